// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

class QToolButton;

namespace parapet::ui {

/// Tabs that can be folded to their titles, so that what stands above them has the space. The arrow
/// beside the titles folds and unfolds them; a title unfolds its page.
class FoldingTabs : public QTabWidget {
  Q_OBJECT

 public:
  explicit FoldingTabs(QWidget* parent = nullptr);
  [[nodiscard]] bool isFolded() const { return folded_; }
  void setFolded(bool folded);

 signals:
  void foldedChanged(bool folded);

 private:
  bool folded_ = false;
  QToolButton* arrow_;
};

}  // namespace parapet::ui
