// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/dataset/row_order.h"
#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Rows that are drawn anew for every epoch: a range of an order of all rows that is shuffled by
/// (seed, epoch).
struct Shuffle {
  std::uint64_t seed = 0;
  RowRange rowRange;
};

/// Rows of a data set by part, in the order they are used.
struct Split {
  RowSet train, validation, test;

  /// Split kind "batches": the parts are stretches of permutations of their own, drawn anew for
  /// every epoch, so they overlap. The sets above are then those of epoch 1.
  struct Reshuffled {
    RowSet all;
    Shuffle train, validation, test;
  };
  std::optional<Reshuffled> reshuffled;
};

struct SplitSettings {
  experiment::Split split{};
  std::uint64_t seed = 0;  ///< where the split has none
  std::int64_t window = experiment::Batch{}.window;
  std::int64_t batchRows = 1;  ///< of a global batch
  bool dropRemainder = false;  ///< whether a short last batch is none
};

/// Cuts a data set into parts.
///
///   random        all rows are shuffled once from (seed, kSplit) and cut: the first rows are
///   train,
///                 the next validation, the next test; what is left over is unused. Sets of more
///                 than `window` rows are not shuffled: rows are drawn one after another such that
///                 the counts are exact, and stay in the order of the data.
///   leave_last    of every user the last rows by time (ties: by row) are test, those before
///                 validation. A user always keeps a training row; shares are of the user's rows.
///   leave_random  as leave_last, but by random numbers of (seed, row) in place of times.
///   temporal      test = [end − testSeconds, end), then a gap, validation = validationSeconds,
///   then
///                 a gap; train is what lies before. Intervals are half open; there is no gap
///                 before a part without length. Without seconds, a part begins at the latest
///                 moment from which on it has the rows it should have.
///   column, files every row is in the part that its cell, or its file, says.
///   batches       train: the first batches of a permutation; validation and test: the batches
///                 behind, each of a permutation of its own (see Split::Reshuffled).
///
/// Rows of unknown users stay in train where users decide. Counts are rows (batches: batches);
/// shares are rounded down, and if they sum to 1 the remainder goes to the last part that is not
/// empty. Cold rows of evaluation are dropped where the document says so.
///
/// Errors   InvalidDocument at /dataset/split if more is asked for than there is or train is empty,
///          at /dataset/split/kind if times are needed and not known. Memory: 1 bit per row and
///          part, 4 bytes per user, 8 bytes per row up to `window`, and 256 MiB. Thread   pure.
Result<Split> makeSplit(const EventColumns& events, const SplitSettings& settings);
/// The split of an experiment, whose global batch has `batchRows` rows. Throws PassStopped once
/// `stop` fires.
Result<Split> makeSplit(const Dataset& dataset, const experiment::Experiment& experiment,
                        std::int64_t batchRows, std::stop_token stop = {});

}  // namespace parapet::data
