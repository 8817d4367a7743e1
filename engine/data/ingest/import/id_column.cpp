// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/id_column.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/file_ranges.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/ingest/import/column_file.h"

namespace parapet::data {
namespace {

constexpr std::size_t kIdsPerBlock = 1 << 20;

}  // namespace

IdColumn::IdColumn(std::filesystem::path folder, PlannedColumn plan, FileWriter ids)
    : folder_(std::move(folder)), plan_(std::move(plan)), ids_(std::move(ids)) {}

Result<IdColumn> IdColumn::create(const std::filesystem::path& folder, const PlannedColumn& plan) {
  const std::string& name = plan.spec.name;
  // Names are paths ("user/id"), so a column may stand in a folder.
  PARAPET_TRY(createFolders((folder / name).parent_path()));
  PARAPET_ASSIGN(FileWriter ids, FileWriter::create(folder / (name + ".i32")));
  IdColumn column(folder, plan, std::move(ids));
  if (!plan.isBag) return column;
  PARAPET_ASSIGN(FileWriter offsets, FileWriter::create(folder / (name + ".offsets.i64")));
  column.offsets_.emplace(std::move(offsets));
  constexpr std::int64_t kFirst = 0;
  PARAPET_TRY(column.offsets_->write(std::as_bytes(std::span(&kFirst, 1))));
  if (plan.weights) {
    PARAPET_ASSIGN(FileWriter weights, FileWriter::create(folder / (name + ".weights.f32")));
    column.weights_.emplace(std::move(weights));
  }
  return column;
}

Status IdColumn::addBags(const ShapedRows::Ids& ids) {
  offsetsOfRows_.clear();
  for (std::size_t row = 0; row + 1 < ids.offsets.size(); ++row) {
    longestBag_ = std::max<std::int64_t>(longestBag_, ids.offsets[row + 1] - ids.offsets[row]);
    offsetsOfRows_.push_back(values_ + ids.offsets[row + 1]);
  }
  PARAPET_TRY(offsets_->write(std::as_bytes(std::span(offsetsOfRows_))));
  return weights_ ? weights_->write(std::as_bytes(std::span(ids.weights))) : Status{};
}

Status IdColumn::add(const ShapedRows::Ids& ids, IdTable& table) {
  uniqueIndices_.clear();
  if (table.type() == ValueType::kInteger)
    PARAPET_TRY(table.add(ids.integers, ids.missing, uniqueIndices_));
  else
    PARAPET_TRY(table.add(ids.texts, ids.hashes, ids.missing, uniqueIndices_));
  if (!ids.missing.empty()) missing_ += std::ranges::count(uniqueIndices_, -1);
  if (plan_.isBag) PARAPET_TRY(addBags(ids));
  values_ += static_cast<std::int64_t>(uniqueIndices_.size());
  return ids_.write(std::as_bytes(std::span(uniqueIndices_)));
}

Status IdColumn::finishRows() {
  if (offsets_) PARAPET_TRY(offsets_->finish());
  if (weights_) PARAPET_TRY(weights_->finish());
  return ids_.finish();
}

Status IdColumn::keepRows(std::span<const std::uint64_t> bits, std::vector<std::int64_t>& counts) {
  RowBits idBits;
  if (plan_.isBag) {
    PARAPET_ASSIGN(KeptBags kept, keepBagsOfFile(folder_ / offsetsFile(plan_.spec.name), bits));
    longestBag_ = kept.longestBag;
    bits = idBits = std::move(kept.idBits);
    if (weights_)
      PARAPET_TRY(
          keepRowsOfFile(folder_ / bagWeightsFile(plan_.spec.name), bits, values_, sizeof(float)));
  }
  PARAPET_TRY(keepRowsOfFile(path(), bits, values_, sizeof(std::int32_t)));
  PARAPET_ASSIGN(const MappedFile file, MappedFile::open(path()));
  missing_ = 0;
  values_ = 0;
  for (const std::int32_t uniqueIndex : file.as<std::int32_t>()) {
    ++values_;
    if (uniqueIndex < 0)
      ++missing_;
    else
      ++counts[static_cast<std::size_t>(uniqueIndex)];
  }
  return file.intact();
}

Status IdColumn::writeRows(std::span<const std::int32_t> rowOf) {
  return mapIndices(path(), rowOf);
}

Status IdColumn::writeEntries(std::span<const std::int32_t> entryOf) {
  const std::filesystem::path copy = folder_ / entriesFile(plan_.spec.name);
  std::error_code error;
  std::filesystem::copy_file(path(), copy, error);
  if (error) return ioError("copy", path(), error.value());
  hasEntries_ = true;
  return mapIndices(copy, entryOf);
}

Status IdColumn::mapIndices(const std::filesystem::path& path,
                            std::span<const std::int32_t> of) const {
  PARAPET_ASSIGN(const FileUpdater file, FileUpdater::open(path));
  const auto count = static_cast<std::size_t>(values_);
  const auto blocks = static_cast<std::int64_t>((count + kIdsPerBlock - 1) / kIdsPerBlock);
  std::vector<Status> outcomes(static_cast<std::size_t>(blocks));
  const auto mapBlock = [&](std::int64_t block) -> Status {
    const std::size_t first = static_cast<std::size_t>(block) * kIdsPerBlock;
    std::vector<std::int32_t> ids(std::min(kIdsPerBlock, count - first));
    const auto bytes = std::as_writable_bytes(std::span(ids));
    PARAPET_TRY(file.read(first * sizeof(std::int32_t), bytes));
    for (std::int32_t& id : ids) id = id < 0 ? 0 : of[static_cast<std::size_t>(id)];
    return file.write(first * sizeof(std::int32_t), bytes);
  };
  Workers workers(Workers::available());
  workers.parallelFor(blocks, [&](std::int64_t block) {
    outcomes[static_cast<std::size_t>(block)] = mapBlock(block);
  });
  for (const Status& outcome : outcomes) PARAPET_TRY(outcome);
  return file.sync();
}

std::vector<std::string> IdColumn::files() const {
  std::vector<std::string> names{plan_.spec.name + ".i32"};
  if (offsets_) names.push_back(plan_.spec.name + ".offsets.i64");
  if (weights_) names.push_back(plan_.spec.name + ".weights.f32");
  if (hasEntries_) names.push_back(entriesFile(plan_.spec.name));
  return names;
}

}  // namespace parapet::data
