// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/data/ingest/import/column_file.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/source.h"

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

/// Writes the columns that catalogues know of the users or items (`role`) by the rows of their
/// vocabulary, so that those without a row of the data have features, and notes them in the columns
/// of the manifest. An id that a vocabulary has not falls on its row for unknown ones; a number
/// that is missing becomes the mean of the others. Derived columns are computed as those of rows
/// are. Vocabularies lie in `folder` already.
///
/// Memory   a block of rows, and 4 bytes per row of the vocabulary for a number.
/// Returns  the names of the files.
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

// The ids of the data that the files of a catalogue know. One that knows none of them is not about
// these data.
Status checkCoverage(const CatalogueTable& catalogue, const BuiltVocabulary& built,
                     Manifest& manifest) {
  for (std::size_t file = 0; file < catalogue.files(); ++file) {
    const CatalogueInfo& info = catalogue.info(file);
    if (info.pointer.empty()) continue;
    const std::int64_t known = built.describedIds[file];
    if (known == 0)
      return Error{ErrorCode::kData,
                   fmt::format("{} names none of the {} {}s of the data; its ids are {}, those of "
                               "the data {}",
                               info.file, formatCount(built.usedIds), info.of,
                               catalogue.exampleIds(file), built.exampleIds),
                   info.pointer + "/id", info.file};
    if (known < built.usedIds)
      manifest.warnings.push_back(fmt::format(
          "{} of the {} {}s of the data have no entry in {}", formatCount(built.usedIds - known),
          formatCount(built.usedIds), info.of, fs::path(info.file).filename().string()));
  }
  return {};
}

// Programs write these words for a value that is missing; as ids they are the most frequent ones.
void warnOfMissingWords(const PlannedVocabulary& plan, const PlannedColumn& column,
                        const IdTable& ids, Manifest& manifest) {
  if (plan.role.empty() || ids.type() != ValueType::kText) return;
  std::vector<std::string> found;
  std::string_view first;
  for (const std::string_view word : kNullValues)
    if (const std::int32_t n = ids.find(word); n >= 0) {
      if (found.empty()) first = word;
      found.push_back(fmt::format("\"{}\" ({} rows)", word,
                                  formatCount(ids.counts()[static_cast<std::size_t>(n)])));
    }
  if (!found.empty())
    manifest.warnings.push_back(fmt::format(
        "{} of {} read like words for a missing value, and are ids here; a filter such as {} != "
        "\"{}\" leaves their rows out",
        join(found), column.spec.name, column.spec.originName(), first));
}

// A vocabulary of other texts, or of five special pieces, leaves a model nothing to learn.
Status checkUnknownPieces(const PlannedVocabulary& plan, const IdTable& ids,
                          const BuiltVocabulary& built, Manifest& manifest) {
  std::int64_t pieces = 0;
  for (std::size_t n = 0; n < ids.size(); ++n) {
    const std::int64_t id = ids.integer(n);
    const bool isFrame = id == plan.pieces->id(SpecialPiece::kClassify) ||
                         id == plan.pieces->id(SpecialPiece::kSeparator);
    if (!isFrame) pieces += ids.counts()[n];
  }
  if (built.oovIds > 0 && built.oovIds == pieces)
    return Error{ErrorCode::kData,
                 fmt::format("all {} tokens of the texts are [UNK]: the vocabulary has none of "
                             "their words; one of such texts is accepted (`parapet-cli vocabulary "
                             "FILE` trains one)",
                             formatCount(pieces)),
                 plan.pointer};
  if (2 * built.oovIds > pieces)
    manifest.warnings.push_back(fmt::format(
        "{:.0f} % of the tokens of the texts are [UNK] ({} of {}): the vocabulary lacks most of "
        "their words; `parapet-cli vocabulary FILE` trains one that has them",
        100.0 * static_cast<double>(built.oovIds) / static_cast<double>(pieces),
        formatCount(built.oovIds), formatCount(pieces)));
  return {};
}

}  // namespace

Status removeFolder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return ioError("remove", folder, error.value());
  return {};
}

Result<ImportWriter> ImportWriter::create(const fs::path& target, const ImportPlan& plan) {
  PARAPET_ASSIGN(PendingFolder folder, PendingFolder::create(target));
  ImportWriter writer(std::move(folder), plan);
  for (const PlannedVocabulary& vocabulary : plan.vocabularies)
    writer.tables_.emplace_back(vocabulary.type, vocabulary.spec.name);
  for (const PlannedColumn& column : plan.ids) {
    PARAPET_ASSIGN(IdColumn created, IdColumn::create(writer.folder(), column));
    writer.columns_.push_back(std::move(created));
  }
  if (plan.hasLabels) PARAPET_TRY(writer.addNumberColumn(kLabelFile, sizeof(float)));
  if (plan.weight) PARAPET_TRY(writer.addNumberColumn(kWeightFile, sizeof(float)));
  if (plan.time) PARAPET_TRY(writer.addNumberColumn(kTimeFile, sizeof(std::int64_t)));
  if (plan.hasParts) PARAPET_TRY(writer.addNumberColumn(kPartFile, sizeof(std::uint8_t)));
  for (const PlannedNumber& column : plan.denseColumns) {
    PARAPET_TRY(createFolders((writer.folder() / column.name).parent_path()));
    PARAPET_TRY(writer.addNumberColumn(Manifest::denseFile(column.name), sizeof(float)));
  }
  return writer;
}

Status ImportWriter::addNumberColumn(std::string name, std::size_t elementBytes) {
  PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder() / name));
  numbers_.push_back({std::move(name), std::move(file), elementBytes});
  return {};
}

Status ImportWriter::add(const ShapedRows& rows) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    PARAPET_TRY(columns_[i].add(rows.ids[i], tables_[columns_[i].plan().vocabulary]));
  auto next = numbers_.begin();
  if (plan_->hasLabels) PARAPET_TRY((next++)->writer.write(std::as_bytes(std::span(rows.labels))));
  if (plan_->weight) PARAPET_TRY((next++)->writer.write(std::as_bytes(std::span(rows.weights))));
  hasWeight_ = hasWeight_ || std::ranges::any_of(rows.weights, [](float of) { return of > 0.0F; });
  if (plan_->time) PARAPET_TRY((next++)->writer.write(std::as_bytes(std::span(rows.times))));
  times_ += std::ssize(rows.times);
  lateTimes_ += std::ranges::count_if(rows.times, [](auto time) { return time > kStartOf2100; });
  if (plan_->hasParts) PARAPET_TRY((next++)->writer.write(std::as_bytes(std::span(rows.parts))));
  for (const std::vector<float>& values : rows.dense)
    PARAPET_TRY((next++)->writer.write(std::as_bytes(std::span(values))));
  PARAPET_TRY(addMicroseconds(rows));
  rows_ += rows.rows;
  return {};
}

// Few data have them: the file begins with the first one, and zeros for all rows before.
Status ImportWriter::addMicroseconds(const ShapedRows& rows) {
  if (!hasMicroseconds_ && rows.microseconds.empty()) return {};
  const auto writeZeros = [this](std::int64_t count) -> Status {
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(std::min(count, kRowsAtOnce)));
    for (; count > 0; count -= std::ssize(zeros))
      PARAPET_TRY(numbers_.back().writer.write(
          std::as_bytes(std::span(zeros).first(std::min(zeros.size(), std::size_t(count))))));
    return {};
  };
  if (!hasMicroseconds_) {
    PARAPET_TRY(addNumberColumn(kMicrosecondFile, sizeof(std::int32_t)));
    hasMicroseconds_ = true;
    PARAPET_TRY(writeZeros(rows_));
  }
  if (rows.microseconds.empty()) return writeZeros(rows.rows);
  return numbers_.back().writer.write(std::as_bytes(std::span(rows.microseconds)));
}

Status ImportWriter::finishRows() {
  for (NumberColumn& column : numbers_) PARAPET_TRY(column.writer.finish());
  for (IdColumn& column : columns_) PARAPET_TRY(column.finishRows());
  return {};
}

Status ImportWriter::keepRows(std::span<const std::uint64_t> bits) {
  for (IdTable& table : tables_) std::ranges::fill(table.counts(), 0);
  for (IdColumn& column : columns_)
    PARAPET_TRY(column.keepRows(bits, tables_[column.plan().vocabulary].counts()));
  for (const NumberColumn& column : numbers_)
    PARAPET_TRY(keepRowsOfFile(folder() / column.name, bits, rows_, column.elementBytes));
  rows_ = 0;
  for (const std::uint64_t word : bits) rows_ += std::popcount(word);
  return {};
}

Status ImportWriter::writeVocabularies(const Source& source, Manifest& manifest) {
  for (std::size_t v = 0; v < tables_.size(); ++v) {
    const PlannedVocabulary& plan = plan_->vocabularies[v];
    std::int64_t missing = 0;
    for (const IdColumn& column : columns_)
      if (column.plan().vocabulary == v) missing += column.missing();
    PARAPET_ASSIGN(BuiltVocabulary built,
                   buildVocabulary(plan, tables_[v], missing,
                                   plan.role.empty() ? nullptr : source.catalogue(plan.role)));
    PARAPET_TRY(built.writer.write(folder(), plan.spec.name));
    std::int64_t ids = missing;
    for (const std::int64_t count : tables_[v].counts()) ids += count;
    // NaN of a column whose lists are all empty: 0 of 0.
    manifest.vocabularies.push_back({plan.spec.name, built.writer.size(),
                                     static_cast<double>(built.oovIds) / static_cast<double>(ids),
                                     built.unusedRows, built.writer.sharedIds()});
    if (built.writer.sharedIds() > 0)
      manifest.warnings.push_back(
          Vocabulary::collisionText(plan.spec.name, built.writer.sharedIds(), built.writer.ids()));
    const CatalogueTable* catalogue = plan.role.empty() ? nullptr : source.catalogue(plan.role);
    if (catalogue) PARAPET_TRY(checkCoverage(*catalogue, built, manifest));
    const auto column = std::ranges::find(plan_->ids, v, &PlannedColumn::vocabulary);
    if (column != plan_->ids.end()) warnOfMissingWords(plan, *column, tables_[v], manifest);
    // Most texts use few of the pieces; the table is that of the vocabulary all the same.
    if (!plan.pieces) warnOfRows(plan, built, manifest);
    if (plan.pieces) PARAPET_TRY(checkUnknownPieces(plan, tables_[v], built, manifest));
    rowOf_.push_back(std::move(built.rowOf));
    entryOf_.push_back(std::move(built.entryOf));
  }
  return {};
}

void ImportWriter::warnOfRows(const PlannedVocabulary& plan, const BuiltVocabulary& built,
                              Manifest& manifest) const {
  const std::int64_t size = built.writer.size();
  if (2 * built.coldRows > size)
    manifest.warnings.push_back(fmt::format(
        "{} of the {} rows of vocabulary \"{}\" are entries of a catalogue without a row of the "
        "data; \"cold\": \"drop\" of the catalogue leaves them out",
        formatCount(built.coldRows), formatCount(size), plan.spec.name));
  const std::int64_t unused = built.unusedRows - built.coldRows;
  if (2 * unused <= size) return;
  manifest.warnings.push_back(fmt::format(
      "{} of the {} rows of vocabulary \"{}\" are in no imported row, so more than half of its "
      "tables is never touched; {} would have {} rows",
      formatCount(unused), formatCount(size), plan.spec.name,
      plan.spec.kind == experiment::VocabularyKind::kHash ? "a smaller size or kind \"compressed\""
                                                          : "kind \"compressed\"",
      formatCount(size - unused)));
}

Status ImportWriter::writeEntityColumns(const Source& source, Manifest& manifest) {
  for (const char* role : {"user", "item"}) {
    PARAPET_ASSIGN(const auto files,
                   data::writeEntityColumns(*plan_, source, role, folder(), manifest));
    entityFiles_.insert(entityFiles_.end(), files.begin(), files.end());
  }
  return {};
}

Status ImportWriter::finishColumns(Manifest& manifest) {
  if (plan_->weight && !hasWeight_)
    manifest.warnings.push_back(
        fmt::format("all weights of column \"{}\" are 0: no row counts in a loss or metric",
                    plan_->weightName));
  if (lateTimes_ > 0) manifest.warnings.push_back(lateTimesWarning(lateTimes_, times_));
  for (const PlannedNumber& column : plan_->denseColumns) {
    if (column.missing == experiment::MissingNumbers::kReject) continue;
    PARAPET_ASSIGN(const FilledNumbers filled,
                   fillMissing(folder() / Manifest::denseFile(column.name), column.missing));
    if (filled.count > 0)
      manifest.warnings.push_back(fmt::format(
          "{} of the {} numbers of \"{}\" are missing; they become {:.6g}{}",
          formatCount(filled.count), formatCount(rows_), column.name, filled.value,
          column.missing == experiment::MissingNumbers::kMean ? ", the mean of the others" : ""));
  }
  for (IdColumn& column : columns_) {
    const PlannedColumn& plan = column.plan();
    // Items that share a row are told apart by entry: lists and their metrics are of items.
    if (plan.spec.role == experiment::ColumnRole::kItem && !entryOf_[plan.vocabulary].empty())
      PARAPET_TRY(column.writeEntries(entryOf_[plan.vocabulary]));
    PARAPET_TRY(column.writeRows(rowOf_[plan.vocabulary]));
  }
  for (const IdColumn& column : columns_)
    manifest.columns.push_back({column.plan().spec.name, roleName(column.plan().spec.role),
                                plan_->vocabularies[column.plan().vocabulary].spec.name,
                                column.plan().isBag ? column.longestBag() : 0});
  for (const PlannedNumber& column : plan_->denseColumns)
    manifest.columns.push_back({.name = column.name, .role = Manifest::kNumberRole});
  return {};
}

std::vector<std::string> ImportWriter::fileNames(const Manifest& manifest) const {
  std::vector<std::string> names;
  for (const IdColumn& column : columns_)
    for (std::string& name : column.files()) names.push_back(std::move(name));
  for (const NumberColumn& column : numbers_) names.push_back(column.name);
  for (const PlannedVocabulary& vocabulary : plan_->vocabularies)
    names.push_back(vocabularyFile(vocabulary.spec.name));
  for (const auto& vectors : manifest.vectors) names.push_back(vectorsFile(vectors.name));
  names.insert(names.end(), entityFiles_.begin(), entityFiles_.end());
  return names;
}

Status ImportWriter::commit(Manifest& manifest) {
  for (std::string& name : fileNames(manifest)) manifest.files.push_back({std::move(name), 0, {}});
  PARAPET_TRY(manifest.describeFiles(folder()));
  PARAPET_TRY(manifest.write(folder()));
  const Status committed = folder_.commit();
  if (!committed && Dataset::open(folder_.target()).ok()) return {};
  return committed;
}

}  // namespace parapet::data
