// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document_dataset.h"
#include "engine/experiment/document_model.h"
#include "engine/experiment/document_optimizer.h"

// Embedding tables and the features that look them up.
namespace parapet::experiment {

enum class Combiner { kMean, kSum, kSqrtn };
enum class Placement {
  kAuto,        ///< the planner decides
  kReplicated,  ///< a copy in every memory space
  kRow,         ///< row-wise (modulo): row r on shard r mod S
  kRowBlock,    ///< row-wise (block): S blocks of ⌈V/S⌉ rows
  kColumn,      ///< column-wise: S blocks of columns
  kTable,       ///< table-wise: the whole table on one device
};

/// The rows of a table that a run begins with: those of a table of another run, matched by raw id.
struct WarmStart {
  std::string run;                     ///< id, or a unique prefix of one
  std::optional<std::string> table{};  ///< of that run; null: of the same name
  std::optional<std::int64_t> step{};  ///< of its checkpoint; null: the newest
};

struct Table {
  std::string name;
  std::string vocabulary;
  std::int64_t embeddingDim = 32;
  Initializer initializer;
  std::optional<Optimizer> optimizer;  ///< default: the experiment's optimizer
  Combiner combiner = Combiner::kMean;
  Placement placement = Placement::kAuto;
  /// Mesh axes over which it is split; over the others it is replicated. Empty: all axes.
  std::vector<std::string> axes;
  std::optional<std::string> device;  ///< kTable: its device; null: planned
  /// Rows of a shard that a device with memory of its own holds of a table that lies in the host's;
  /// null: all of them.
  std::optional<std::int64_t> cacheRows{};
  bool trainable = true;
  std::optional<WarmStart> warmStart{};  ///< null: the initializer alone
};

/// The subject of a feature: the user and the context, or the item.
enum class Tower { kQuery, kCandidate };

/// Where a bag with more ids than the feature's maximum is truncated.
enum class TruncationSide {
  kEnd,    ///< the first ids stay
  kStart,  ///< the last ids stay
};

/// Function applied to a numeric column.
enum class NumericTransform {
  kNone,
  kLog1p,        ///< sign(x)·log(1 + |x|)
  kStandardize,  ///< (x − mean) / standard deviation, those of the training rows
  kQuantile,     ///< share of the training rows below x, in [0, 1]
};

/// Whether a transform is fitted to the training rows before a run begins.
constexpr bool isFitted(NumericTransform transform) {
  return transform == NumericTransform::kStandardize || transform == NumericTransform::kQuantile;
}

/// The rows that histories are made of.
enum class HistoryRows {
  kTrain,  ///< training rows alone, whatever the example is
  kAll,    ///< every imported row; held-out ones, too, are known once they have passed
};

/// The items that the user of an example had before it, as a bag. The example itself is never in
/// it, and nothing that is as late as it; an earlier row with the same item is like any other.
struct History {
  std::int64_t length = 20;                     ///< max. items: the last ones before the example
  std::optional<std::int64_t> withinSeconds{};  ///< kTime; null: however long before
  HistoryRows rows = HistoryRows::kTrain;
  EventOrder order = EventOrder::kTime;
  auto operator<=>(const History&) const = default;
};

struct Feature {
  std::string name;  ///< may be a path: "user/genres"; features nest by it
  std::string column;
  std::string table;  ///< empty: the column is numeric
  Tower tower = Tower::kQuery;
  std::optional<History> history{};  ///< the column is that of the items; null: of the example
  std::optional<std::int64_t> maxLength{};               ///< max. ids of a bag; null: all are used
  TruncationSide truncationSide = TruncationSide::kEnd;  ///< of longer bags
  bool weighted = true;                                  ///< use the weights of the column, if any
  /// The ids are not combined: the value has a row of each, in their order (of a history the oldest
  /// first). Layers of sequences read it, and a kPool makes it one row per example.
  bool sequence = false;
  NumericTransform transform = NumericTransform::kNone;  ///< numeric columns only
  /// Checked when given: [global batch] or [global batch, longest bag]; [global batch, width].
  std::optional<std::vector<std::int64_t>> inputShape{}, outputShape{};
};

}  // namespace parapet::experiment
