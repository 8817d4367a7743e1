// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

// The texts that the `hash` of a row of `epochs` and `runs` is made from (content_hash.h): an epoch with
// its metrics, and the fields of a run that are stored once. The hash of a document is that of its text. Another
// expression needs a migration that makes the hashes anew.
#define PARAPET_EPOCH_HASH                                                                  \
  "content_hash(epochs.run_id, epochs.epoch, step, loss, loss_as_displayed, learning_rate," \
  " train_seconds, validation_seconds, retrieval_seconds, seconds, ms_per_step,"            \
  " examples_per_second, time_json, verdicts_json, segments_json, rules,"                   \
  " (SELECT content_sum(position, key, value) FROM epoch_metrics"                           \
  "  WHERE epoch_metrics.run_id=epochs.run_id AND epoch_metrics.epoch=epochs.epoch))"
#define PARAPET_RUN_HASH                                                                      \
  "content_hash(id, fingerprint, dataset, data, model, loss, seed, forked_from, forked_step," \
  " best_metric, rules, started_json, test_json)"

namespace parapet::store {

/// Older rows have no hash.
inline constexpr int kFirstVersionWithHashes = 10;

/// Gives rows without a hash that of what they hold now, and marks them: nobody has verified them.
/// For rows of an older version alone.
inline constexpr const char* kTakeOverRows =
    "UPDATE documents SET taken_over=1, hash=content_hash(experiment) WHERE hash='';"
    "UPDATE epochs SET taken_over=1, hash=" PARAPET_EPOCH_HASH
    " WHERE hash='';"
    "UPDATE runs SET taken_over=1, hash=" PARAPET_RUN_HASH " WHERE hash='';";

/// The scripts that lead from an empty file to today's schema; the n-th leads to version n. A
/// script that was released is never edited: a change is a new one at the end. Tables and columns
/// are described in README.md.
std::span<const char* const> migrationScripts();

}  // namespace parapet::store
