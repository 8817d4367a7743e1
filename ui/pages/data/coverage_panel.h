// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>
#include <memory>
#include <vector>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// How many of a vocabulary's most frequent ids cover how many rows.
struct VocabularyCoverage {
  QString name;
  std::vector<workspace::CoveragePoint> curve;
};

/// Curves of coverage, a vocabulary each, over a logarithmic number of ids.
class CoverageView : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  explicit CoverageView(QWidget* parent = nullptr);
  void setCoverage(std::vector<VocabularyCoverage> coverage);
  [[nodiscard]] const std::vector<VocabularyCoverage>& coverage() const { return coverage_; }

  [[nodiscard]] QSize sizeHint() const override { return {640, 200}; }
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintAxes(QPainter& painter, const QRectF& plot, double most) const;

  std::vector<VocabularyCoverage> coverage_;
};

/// A panel of what only imported data show: coverage of the vocabularies. Follows the data.
class CoveragePanel : public QWidget {
  Q_OBJECT

 public:
  explicit CoveragePanel(QWidget* parent = nullptr);
  /// Null: no data yet.
  void setDataset(std::shared_ptr<const workspace::Dataset> dataset);
  [[nodiscard]] CoverageView& view() const { return *view_; }

 private:
  QLabel* hint_;
  CoverageView* view_;
  Background background_{"coverage"};
};

}  // namespace parapet::ui
