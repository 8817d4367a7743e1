// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>
#include <array>

#include "ui/models/run_curves_summary.h"

namespace parapet::ui {

/// The numbers of a run that one looks at first, large, and what they are worth.
class HeadlineBar : public QWidget {
  Q_OBJECT

 public:
  explicit HeadlineBar(QWidget* parent = nullptr);
  void show(const RunHeadline& headline);

 protected:
  void changeEvent(QEvent* event) override;

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
  void restyle();

  std::array<QWidget*, kCellCount> cells_{};
  std::array<QLabel*, kCellCount> captions_{}, values_{};
  QLabel* verdict_;
};

}  // namespace parapet::ui
