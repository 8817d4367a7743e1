// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <memory>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/pages/data/coverage_view.h"

namespace parapet::ui {

/// What only imported data show: coverage of the vocabularies. Follows the data.
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
