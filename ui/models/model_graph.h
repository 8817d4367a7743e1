// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/problems_model.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A part of a model as it is drawn.
struct GraphBox {
  enum class Kind {
    kFeature,  ///< or several that the same layers read
    kLayer,
    kScore,
    kHead,
  };
  /// The part of a retrieval model that is drawn apart from the other one.
  enum class Lane {
    kQuery,
    kCandidate,
    kNone,  ///< of both, or of a model without towers
  };
  Kind kind = Kind::kLayer;
  Lane lane = Lane::kNone;
  QString title{};               ///< "genres", "dense", "score"; of several features their names
  QString name{};                ///< where the title is shorter than it: "user/genres"
  QString detail{};              ///< "table user", "64 units, relu"; further names of features
  QString pointer{};             ///< of the part in the document
  int features = 1;              ///< that it stands for
  std::int64_t width = 0;        ///< elements per row; 0: unknown
  std::int64_t longest = 0;      ///< rows of an example, if it is a sequence; 0: one
  std::int64_t parameters = -1;  ///< −1: has none, or they are not known yet
  Severity severity = Severity::kNone;
  QString problem{};  ///< the finding as text
  int column = 0;     ///< from the features on; an edge goes to a later column
  double row = 0.0;   ///< from above; boxes of a column are at least 1 apart
};

struct GraphEdge {
  int from = 0, to = 0;
  /// Where it passes the columns between its boxes, in order: rows of kPassage in height that no box
  /// takes. Edges of one box share them.
  std::vector<double> passages{};
};
/// Height of the way of an edge through a column, in rows.
inline constexpr double kPassage = 0.5;

/// A model as boxes and arrows: features, layers, score and heads, laid out from left to right. The
/// towers of a retrieval model are two lanes, one below the other; edges lead around boxes. A part
/// with a finding is drawn and marked.
struct ModelGraph {
  std::vector<GraphBox> boxes;
  std::vector<GraphEdge> edges;
  std::int64_t batchRows = 0;        ///< 0: not known
  std::int64_t layerParameters = 0;  ///< of all layers

  /// The title of a box, whole.
  [[nodiscard]] static const QString& nameOf(const GraphBox& box) {
    return box.name.isEmpty() ? box.title : box.name;
  }
  /// "[256, 64]" for a box.
  [[nodiscard]] QString shapeOf(const GraphBox& box) const;
};

/// The graph of the document. `tables` gives the sizes of embeddings, as far as they are known.
ModelGraph modelGraph(const ExperimentEditor& editor,
                      const std::vector<workspace::TableEstimate>& tables);

/// The graph in words: a row a box with what it reads. Columns as graphTitles().
std::vector<ReportTableModel::Row> graphRows(const ModelGraph& graph);
QStringList graphTitles();

/// Puts features that the same layers read into one box each, where there are too many to draw.
void groupFeatures(ModelGraph& graph);

/// Gives boxes their column and row: a box stands right after all that it reads, near the middle of
/// it.
void layOut(ModelGraph& graph);

}  // namespace parapet::ui
