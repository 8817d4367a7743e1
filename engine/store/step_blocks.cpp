// SPDX-License-Identifier: Apache-2.0
#include "engine/store/step_blocks.h"

#include <algorithm>
#include <optional>

namespace parapet::store {
namespace {

using experiment::StepBucket;

constexpr int kStride = 3;
/// A run of 2^30 steps has 64 blocks of this level.
constexpr int kTopLevel = 24;

#define BUCKET_COLUMNS "first_step, last_step, epoch, min, max, last, seconds, non_finite"

StepBucket bucketOfRow(const Statement& row) {
  return {row.integer(0), row.integer(1), row.integer(2), row.real(3),
          row.real(4),    row.real(5),    row.real(6),    row.integer(7)};
}

/// Joins ascending buckets to the blocks of one level and writes each block once it is complete.
class LevelWriter {
 public:
  LevelWriter(Database& database, const std::string& runId, int level)
      : database_(database), runId_(runId), level_(level) {}

  Status add(const StepBucket& bucket) {
    const std::int64_t block = bucket.lastStep >> level_;
    if (!open_ || block != block_) {
      PARAPET_TRY(write());
      PARAPET_TRY(load(block));
    }
    if (!open_)
      open_ = bucket;
    else if (bucket.lastStep > open_->lastStep)  // else it is in there already
      experiment::joinBucket(*open_, bucket);
    return {};
  }

  Status write() {
    if (!open_) return {};
    const StepBucket& row = *open_;
    return database_.run("INSERT OR REPLACE INTO step_blocks VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                         runId_, level_, block_, row.firstStep, row.lastStep, row.epoch, row.min,
                         row.max, row.last, row.seconds, row.nonFinite);
  }

 private:
  Status load(std::int64_t block) {
    open_.reset();
    block_ = block;
    return database_.each(
        "SELECT " BUCKET_COLUMNS " FROM step_blocks WHERE run_id=? AND level=? AND block=?",
        [this](Statement& row) { open_ = bucketOfRow(row); }, runId_, level_, block);
  }

  Database& database_;
  const std::string& runId_;
  const int level_;
  std::int64_t block_ = 0;
  std::optional<StepBucket> open_;
};

/// Fills one level from the rows that `select` gives: the steps, or the blocks three levels below.
template <class... Values>
Status fillLevel(Database& database, const std::string& runId, int level, const char* select,
                 const Values&... values) {
  LevelWriter writer(database, runId, level);
  Status added;
  PARAPET_TRY(database.each(
      select,
      [&](Statement& row) {
        if (added.ok()) added = writer.add(bucketOfRow(row));
      },
      values...));
  PARAPET_TRY(added);
  return writer.write();
}

}  // namespace

Status addToBlocks(Database& database, const std::string& runId,
                   std::span<const StepBucket> buckets) {
  for (int level = kStride; level <= kTopLevel; level += kStride) {
    LevelWriter writer(database, runId, level);
    for (const StepBucket& bucket : buckets) PARAPET_TRY(writer.add(bucket));
    PARAPET_TRY(writer.write());
  }
  return {};
}

Status rebuildBlocks(Database& database, const std::string& runId, std::int64_t step) {
  PARAPET_ASSIGN(
      const std::int64_t known,
      database.integer("SELECT EXISTS (SELECT 1 FROM step_blocks WHERE run_id=?)", runId));
  const std::int64_t from = known ? step : 0;
  for (int level = kStride; level <= kTopLevel; level += kStride) {
    const std::int64_t block = from >> level;
    PARAPET_TRY(database.run("DELETE FROM step_blocks WHERE run_id=? AND level=? AND block>=?",
                             runId, level, block));
    if (level == kStride)
      PARAPET_TRY(fillLevel(database, runId, level,
                            "SELECT " BUCKET_COLUMNS
                            " FROM steps WHERE run_id=? AND last_step>=? ORDER BY last_step",
                            runId, block << level));
    else
      PARAPET_TRY(fillLevel(database, runId, level,
                            "SELECT " BUCKET_COLUMNS
                            " FROM step_blocks WHERE run_id=? AND level=? AND block>=?"
                            " ORDER BY block",
                            runId, level - kStride, block << kStride));
  }
  return {};
}

Result<std::vector<StepBucket>> readBlocks(Database& database, const std::string& runId,
                                           std::int64_t first, std::int64_t last,
                                           std::int64_t maxBuckets) {
  if (maxBuckets < (1 << kStride))
    throw InvalidArgument("[store.readBlocks] fewer than 8 buckets asked for");
  std::vector<StepBucket> found;
  const auto take = [&](Statement& row) { found.push_back(bucketOfRow(row)); };
  const auto takeSteps = [&] {
    return database.each("SELECT " BUCKET_COLUMNS
                         " FROM steps WHERE run_id=? AND last_step BETWEEN ? AND ?"
                         " ORDER BY last_step",
                         take, runId, first, last);
  };
  PARAPET_ASSIGN(const std::int64_t recorded,
                 database.integer("SELECT count(*) FROM (SELECT 1 FROM steps WHERE run_id=?"
                                  " AND last_step BETWEEN ? AND ? LIMIT ?)",
                                  runId, first, last, maxBuckets + 1));
  PARAPET_ASSIGN(const std::int64_t newest,
                 database.integer("SELECT max(last_step) FROM steps WHERE run_id=?", runId));
  const std::int64_t end = std::min(last, newest);
  int level = kStride;
  while (level < kTopLevel && (end >> level) - (first >> level) + 1 > maxBuckets) level += kStride;
  PARAPET_ASSIGN(
      const std::int64_t blocks,
      database.integer("SELECT EXISTS (SELECT 1 FROM step_blocks WHERE run_id=?)", runId));
  // A run recorded by a program without blocks is read as it is until it is resumed.
  if (recorded <= maxBuckets || !blocks) {
    PARAPET_TRY(takeSteps());
    return found;
  }
  PARAPET_TRY(database.each("SELECT " BUCKET_COLUMNS
                            " FROM step_blocks WHERE run_id=? AND level=? AND block BETWEEN ? AND ?"
                            " ORDER BY block",
                            take, runId, level, first >> level, end >> level));
  return found;
}

}  // namespace parapet::store
