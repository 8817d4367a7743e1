// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProgressBar>
#include <cstdint>

namespace parapet::ui {

/// A flat line that fills up, without text. What is not known yet (maximum 0) is a faint full line.
///
/// The style's own bar repaints 60 times a second for as long as the program lives once it has been
/// animated; while training that time belongs to the training.
class ThinProgressBar : public QProgressBar {
  Q_OBJECT

 public:
  explicit ThinProgressBar(QWidget* parent = nullptr);

  /// Shows `done` of `total`; total 0: not known. Counts of any size.
  void showShare(std::int64_t done, std::int64_t total);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace parapet::ui
