// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/workspace/source_questions.h"

namespace parapet::ui {

/// How many of a vocabulary's most frequent ids cover how many rows.
struct VocabularyCoverage {
  QString name;
  std::vector<workspace::CoveragePoint> curve;
};

/// Curves of coverage, a vocabulary each, over a logarithmic number of ids.
class CoverageView : public QWidget {
  Q_OBJECT

 public:
  explicit CoverageView(QWidget* parent = nullptr);
  void setCoverage(std::vector<VocabularyCoverage> coverage);
  [[nodiscard]] const std::vector<VocabularyCoverage>& coverage() const { return coverage_; }

  [[nodiscard]] QSize sizeHint() const override { return {640, 200}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintAxes(QPainter& painter, const QRectF& plot, double most) const;

  std::vector<VocabularyCoverage> coverage_;
};

}  // namespace parapet::ui
