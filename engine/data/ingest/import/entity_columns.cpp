// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/entity_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/files.h"
#include "engine/data/dataset/file_rules.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRowsAtOnce = 1 << 16;

Manifest::Column& columnNamed(Manifest& manifest, const std::string& name) {
  return *std::ranges::find(manifest.columns, name, &Manifest::Column::name);
}

// A column of ids, one each or bags.
class IdWriter {
 public:
  static Result<IdWriter> create(const PlannedColumn& column, const ImportPlan& plan,
                                 const fs::path& folder) {
    PARAPET_ASSIGN(Vocabulary vocabulary,
                   Vocabulary::open(folder, plan.vocabularies[column.vocabulary].spec.name));
    PARAPET_ASSIGN(FileWriter ids, FileWriter::create(folder / entitiesFile(column.spec.name)));
    IdWriter writer(column, std::move(vocabulary), std::move(ids));
    if (column.isBag) {
      PARAPET_ASSIGN(FileWriter offsets,
                     FileWriter::create(folder / entityOffsetsFile(column.spec.name)));
      writer.offsets_.emplace(std::move(offsets));
      const std::int64_t zero = 0;
      PARAPET_TRY(writer.offsets_->write(std::as_bytes(std::span(&zero, 1))));
    }
    return writer;
  }

  Status add(const RowBlock& block) {
    const ColumnValues& values = block.columns[column_->values];
    const auto count = static_cast<std::size_t>(block.rows);
    rows_.clear();
    ends_.clear();
    for (std::size_t row = 0; row < count; ++row) {
      if (!column_->isBag) {
        rows_.push_back(values.isMissing(row) ? 0 : rowOf(values, row));
        continue;
      }
      for (auto i = values.offsets[row]; i < values.offsets[row + 1]; ++i)
        rows_.push_back(rowOf(values, static_cast<std::size_t>(i)));
      longest_ = std::max<std::int64_t>(longest_, values.offsets[row + 1] - values.offsets[row]);
      ends_.push_back(written_ + static_cast<std::int64_t>(rows_.size()));
    }
    written_ += static_cast<std::int64_t>(rows_.size());
    PARAPET_TRY(ids_.write(std::as_bytes(std::span(rows_))));
    return offsets_ ? offsets_->write(std::as_bytes(std::span(ends_))) : Status{};
  }

  Status finish(const std::string& entities, Manifest& manifest, std::vector<std::string>& files) {
    PARAPET_TRY(ids_.finish());
    if (offsets_) PARAPET_TRY(offsets_->finish());
    Manifest::Column& column = columnNamed(manifest, column_->spec.name);
    column.entities = entities;
    if (offsets_) column.longestBag = std::max(column.longestBag, longest_);
    files.push_back(entitiesFile(column.name));
    if (offsets_) files.push_back(entityOffsetsFile(column.name));
    return {};
  }

 private:
  IdWriter(const PlannedColumn& column, Vocabulary vocabulary, FileWriter ids)
      : column_(&column), vocabulary_(std::move(vocabulary)), ids_(std::move(ids)) {}

  [[nodiscard]] std::int32_t rowOf(const ColumnValues& values, std::size_t index) const {
    if (values.type == ValueType::kText) return vocabulary_.row(values.texts[index]).value_or(0);
    return vocabulary_.row(fmt::format("{}", values.integers[index])).value_or(0);
  }

  const PlannedColumn* column_;
  Vocabulary vocabulary_;
  FileWriter ids_;
  std::optional<FileWriter> offsets_;
  std::vector<std::int32_t> rows_;
  std::vector<std::int64_t> ends_;
  std::int64_t written_ = 0, longest_ = 1;
};

// A dense column; numbers that are missing become 0 where the column says so, else the mean.
class NumberWriter {
 public:
  explicit NumberWriter(const PlannedNumber& column) : column_(&column) {}

  void add(const RowBlock& block) {
    const ColumnValues& values = block.columns[column_->values];
    for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
      const double number = values.type == ValueType::kInteger
                                ? static_cast<double>(values.integers[row])
                                : values.numbers[row];
      const auto single = static_cast<float>(number);
      const bool isThere = !values.isMissing(row) && std::isfinite(single);
      numbers_.push_back(isThere ? single : std::numeric_limits<float>::quiet_NaN());
      if (!isThere) continue;
      sum_ += number;
      ++count_;
    }
  }
  Status finish(const std::string& entities, const fs::path& folder, Manifest& manifest,
                std::vector<std::string>& files) {
    const bool isMean = column_->missing != experiment::MissingNumbers::kZero && count_ > 0;
    const auto filled = static_cast<float>(isMean ? sum_ / static_cast<double>(count_) : 0.0);
    for (float& number : numbers_)
      if (std::isnan(number)) number = filled;
    files.push_back(entitiesFile(column_->name));
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder / files.back()));
    PARAPET_TRY(file.write(std::as_bytes(std::span(numbers_))));
    PARAPET_TRY(file.finish());
    columnNamed(manifest, column_->name).entities = entities;
    return {};
  }

 private:
  const PlannedNumber* column_;
  std::vector<float> numbers_;
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

}  // namespace

Result<std::vector<std::string>> writeEntityColumns(const ImportPlan& plan, const Source& source,
                                                    std::string_view role, const fs::path& folder,
                                                    Manifest& manifest) {
  std::vector<std::string> files;
  std::vector<IdWriter> ids;
  std::vector<NumberWriter> numbers;
  for (const PlannedColumn& column : plan.ids) {
    if (column.describes != role) continue;
    PARAPET_ASSIGN(IdWriter writer, IdWriter::create(column, plan, folder));
    ids.push_back(std::move(writer));
  }
  for (const PlannedNumber& column : plan.denseColumns)
    if (column.describes == role) numbers.emplace_back(column);
  const auto found = std::ranges::find(plan.vocabularies, role, &PlannedVocabulary::role);
  if ((ids.empty() && numbers.empty()) || found == plan.vocabularies.end()) return files;

  PARAPET_ASSIGN(const Vocabulary entities, Vocabulary::open(folder, found->spec.name));
  std::vector<std::string_view> rawIds;
  RowBlock block;
  for (std::int64_t first = 0; first < entities.size(); first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, entities.size());
    rawIds.clear();
    for (std::int64_t row = first; row < end; ++row) rawIds.push_back(entities.rawId(row));
    source.readEntities(role, rawIds, block);
    plan.derived.append(block);
    for (IdWriter& writer : ids) PARAPET_TRY(writer.add(block));
    for (NumberWriter& writer : numbers) writer.add(block);
  }
  for (IdWriter& writer : ids) PARAPET_TRY(writer.finish(found->spec.name, manifest, files));
  for (NumberWriter& writer : numbers)
    PARAPET_TRY(writer.finish(found->spec.name, folder, manifest, files));
  return files;
}

}  // namespace parapet::data
