// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/ranking_metric.h"

// Mesh, training, evaluation and the published run that an experiment refers to.

namespace parapet::experiment {

/// The devices of a mesh that share their memory.
enum class MemorySpaces {
  kShared,    ///< those whose memory can be shared do
  kSeparate,  ///< each device has a memory of its own
};

/// Max. bytes of devices for tables, optimizer slots and step buffers: one number for every device,
/// or one for each.
struct DeviceCapacity {
  std::vector<std::int64_t> bytes;  ///< by rank; of one number, that number alone
  bool perDevice = false;           ///< written as a list

  DeviceCapacity() = default;
  DeviceCapacity(std::int64_t ofEach) : bytes{ofEach} {}
  explicit DeviceCapacity(std::vector<std::int64_t> ofRanks)
      : bytes(std::move(ofRanks)), perDevice(true) {}

  /// `rank` of as many as a list has.
  [[nodiscard]] std::int64_t of(int rank) const {
    return bytes.at(perDevice ? static_cast<std::size_t>(rank) : 0);
  }
  bool operator==(const DeviceCapacity&) const = default;
};

struct Mesh {
  std::vector<std::string> devices{"cpu*1"};
  std::optional<std::vector<std::int64_t>> shape;  ///< default: one axis over all devices
  std::vector<std::string> axes{"data"};
  std::optional<std::int64_t> threads{};          ///< of the process; null: one per core
  std::optional<DeviceCapacity> capacityBytes{};  ///< null: the memory of each device
  bool stackTables = true;  ///< look up tables with the same sharding together, in one exchange
  bool overlap = true;      ///< exchange the ids of the next batch during the current step
  MemorySpaces spaces = MemorySpaces::kShared;
};

struct EarlyStopping {
  std::string metric = "val_loss";
  std::int64_t patience = 5;  ///< validations without improvement
  double minDelta = 0.0;
};

struct Checkpoints {
  /// Epochs between checkpoints; null: only at the end and at the best.
  std::optional<std::int64_t> every;
  std::int64_t keep = 3;
  /// Metric whose best checkpoint is kept; null: none.
  std::optional<std::string> best = "val_loss";
};

/// Arithmetic of matrix products.
enum class Precision {
  kFp32,
  kTf32,  ///< operands rounded to 10 bits of mantissa, sums in single precision; some GPUs alone
  kBf16,  ///< operands rounded to bfloat16, sums in single precision
};

/// The checkpoint of another run that a run begins with: its weights, optimizer slots and position in
/// the data.
struct Fork {
  std::string run;                     ///< id, or a unique prefix of one
  std::optional<std::int64_t> step{};  ///< of its checkpoint; null: the newest
};

/// The examples of training.
enum class Objective {
  kEachRow,  ///< each training row with a history of its own
  /// Next item at every position: a user's training rows in order are one sequence, encoded once;
  /// each position predicts the rows that come after it.
  kAllPositions,
};

struct Training {
  Objective objective = Objective::kEachRow;
  /// kAllPositions: rows that a window predicts at most, so windows of a long sequence begin so many
  /// rows apart. Null: as many as a history is long.
  std::optional<std::int64_t> stride{};
  std::int64_t epochs = 10;
  std::int64_t validateEvery = 1;  ///< epochs; 0 = never
  std::uint64_t seed = 42;
  std::optional<EarlyStopping> earlyStopping;
  Checkpoints checkpoints;
  Precision precision = Precision::kFp32;
  std::optional<Fork> fork{};                ///< null: the run begins with initial weights
  std::optional<std::string> tensorboard{};  ///< folder of event files; null: none
};

/// The queries for which lists of the catalogue are measured.
enum class EvaluationUnit {
  kUser,     ///< one of each user with held-out rows: all of its relevant items are to be found
  kExample,  ///< one of each held-out row, in its own context: its item is to be found
};
/// When lists of the catalogue are measured in training.
enum class CatalogueTime {
  kValidation,  ///< at every validation
  kEnd,         ///< at the last validation of the run
  kNever,       ///< only when the run is evaluated afterwards
};
/// Held-out rows of a user and an item that are a pair of the training rows, too.
enum class SeenPairs {
  kKeep,  ///< they are to be found as others are
  kDrop,  ///< they are left out
};
/// Rules of a published benchmark for lists of the catalogue, see retrieval::RankingProtocol.
enum class EvaluationProtocol {
  kYambda,        ///< as its paper says
  kYambdaCompat,  ///< as its stored code computes: ndcg@k is 1 with any hit
};
struct Evaluation {
  std::vector<std::int64_t> k{10, 50, 100};
  bool excludeSeen = false;
  /// Smallest raw label of a relevant held-out row. Null: every row is relevant; in groups those
  /// whose scaled label is at least 1, as in Keras.
  std::optional<double> relevanceThreshold;
  /// Null: kExample if the query side reads a context or a history.
  std::optional<EvaluationUnit> unit;
  std::optional<std::int64_t> sample;  ///< queries, drawn by training.seed; null: all
  std::vector<RankingMetric> metrics{RankingMetric::kRecall, RankingMetric::kNdcg,
                                     RankingMetric::kHit, RankingMetric::kMrr};
  /// Id columns of one id a row, and "activity": a table with a line per value each.
  std::vector<std::string> segments;
  SeenPairs seenPairs = SeenPairs::kKeep;
  CatalogueTime catalogue = CatalogueTime::kValidation;
  std::optional<EvaluationProtocol> protocol;  ///< null: what the other settings say
};

struct Reference {
  std::optional<std::string> curve;  ///< name of a published curve
};

}  // namespace parapet::experiment
