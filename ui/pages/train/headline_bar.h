// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>
#include <array>

#include "ui/models/run_curves_summary.h"

namespace parapet::ui {

/// The numbers of a run that one looks at first, large, and what they are worth. Sentences that come while
/// it trains have their room from the beginning, and scroll beyond it: what is below does not move.
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);
  /// `decision` what decided the end of the run, see decisionOf().
  void show(const RunHeadline& headline, const QString& decision);

 private:
  enum Cell {
    kEpoch,
    kStep,
    kLoss,
    kValLoss,
    kKeyMetric,
    kMaskedHits,
    kMsPerStep,
    kExamples,
    kTime,
    kCellCount
  };

  std::array<QWidget*, kCellCount> cells_{};
  std::array<QLabel*, kCellCount> captions_{}, values_{};
  QLabel *decision_, *verdict_;
};

}  // namespace parapet::ui
