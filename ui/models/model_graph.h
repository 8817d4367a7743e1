// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/report_table_model.h"
#include "ui/models/severity.h"

namespace parapet::ui {

/// A part of a model as it is drawn.
struct GraphBox {
  enum class Kind {
    kFeature,  ///< or several that the same layers read
    kLayer,
    kScore,
    kHead,
  };
  Kind kind = Kind::kLayer;
  QString title{};               ///< "user/genres", "dense", "score"
  QString detail{};              ///< "table user", "64 units, relu"
  QString pointer{};             ///< of the part in the document
  std::int64_t width = 0;        ///< elements per example; 0: unknown
  std::int64_t parameters = -1;  ///< −1: has none, or they are not known yet
  Severity severity = Severity::kNone;
  QString problem{};  ///< the finding as text
  int column = 0;     ///< from the features on; an edge goes to a later column
  double row = 0.0;   ///< from above; boxes of a column are at least 1 apart
};

struct GraphEdge {
  int from = 0, to = 0;
};

/// A model as boxes and arrows: features, layers, score and heads, laid out from left to right.
/// A part with a finding is drawn and marked.
struct ModelGraph {
  std::vector<GraphBox> boxes;
  std::vector<GraphEdge> edges;
  std::int64_t batchRows = 0;        ///< 0: not known
  std::int64_t layerParameters = 0;  ///< of all layers

  /// "[256, 64]" for a box.
  [[nodiscard]] QString shapeOf(const GraphBox& box) const;
};

/// The graph of the document. `tables` gives the sizes of embeddings, as far as they are known.
ModelGraph modelGraph(const ExperimentEditor& editor,
                      const std::vector<workspace::TableEstimate>& tables);

/// The graph in words: a row a box with what it reads. Columns as graphTitles().
std::vector<ReportTableModel::Row> graphRows(const ModelGraph& graph);
QStringList graphTitles();

}  // namespace parapet::ui
