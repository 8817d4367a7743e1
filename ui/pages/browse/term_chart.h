// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/explanation_model.h"

namespace parapet::ui {

/// The terms of a dot product as bars from a zero line, the largest in size first. Terms that have
/// no room are shown as one sum.
class TermChart : public QWidget {
  Q_OBJECT

 public:
  explicit TermChart(QWidget* parent = nullptr);
  /// By descending size, as ExplanationModel sorts them.
  void setTerms(std::vector<ExplanationModel::Term> terms);
  [[nodiscard]] int barsShown() const;

  [[nodiscard]] QSize sizeHint() const override { return {320, 120}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {120, 72}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QRectF plotRect() const;
  [[nodiscard]] double barWidth() const;

  std::vector<ExplanationModel::Term> terms_;
};

}  // namespace parapet::ui
