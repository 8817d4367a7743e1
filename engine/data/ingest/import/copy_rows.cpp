// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/copy_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/data/ingest/import/column_file.h"
#include "engine/experiment/document_dataset.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

/// The files of a copy, from which the rows without a bit are taken out.
struct CopiedColumns {
  fs::path folder;
  const Manifest& manifest;
  RowBits bits;
  std::int64_t rows;  ///< of the source

  [[nodiscard]] Status keep(const std::string& file, std::size_t elementBytes) const {
    return manifest.file(file) ? keepRowsOfFile(folder / file, bits, rows, elementBytes) : Status();
  }
  [[nodiscard]] Status keepBags(const std::string& column) const {
    PARAPET_ASSIGN(const KeptBags kept, keepBagsOfFile(folder / offsetsFile(column), bits));
    PARAPET_TRY(
        keepRowsOfFile(folder / rowsFile(column), kept.idBits, kept.ids, sizeof(std::int32_t)));
    if (!manifest.file(bagWeightsFile(column))) return {};
    return keepRowsOfFile(folder / bagWeightsFile(column), kept.idBits, kept.ids, sizeof(float));
  }
  [[nodiscard]] Status keep(const Manifest::Column& column) const {
    if (column.role == Manifest::kNumberRole)
      return keep(Manifest::denseFile(column.name), sizeof(float));
    if (column.longestBag > 0) return keepBags(column.name);
    PARAPET_TRY(keep(rowsFile(column.name), sizeof(std::int32_t)));
    return keep(entriesFile(column.name), sizeof(std::int32_t));
  }
};

Status writeEmptyText(const fs::path& folder, const std::string& column) {
  constexpr std::array<std::int64_t, 2> kEmptyBag{};
  PARAPET_ASSIGN(FileWriter offsets, FileWriter::create(folder / offsetsFile(column)));
  PARAPET_TRY(offsets.write(std::as_bytes(std::span(kEmptyBag))));
  return offsets.finish();
}

Status writeParts(const fs::path& path, const RowSet& kept, const RowBits& trained) {
  using experiment::SplitPart;
  std::vector<std::uint8_t> parts;
  kept.ascending().forEach([&](std::int64_t row) {
    parts.push_back(
        static_cast<std::uint8_t>(hasRow(trained, row) ? SplitPart::kTrain : SplitPart::kTest));
  });
  PARAPET_ASSIGN(FileWriter file, FileWriter::create(path));
  PARAPET_TRY(file.write(std::as_bytes(std::span(parts))));
  return file.finish();
}

/// The manifest of a data set, without the parts of its source and the weights of its rows.
Result<Manifest> manifestOf(const Dataset& from) {
  PARAPET_ASSIGN(Manifest manifest, Manifest::read(from.folder()));
  std::erase_if(manifest.files, [](const Manifest::File& file) {
    return file.name == kPartFile || file.name == kWeightFile;
  });
  return manifest;
}

/// Copies the files of a manifest that the folder lacks.
Status copyFiles(const Manifest& manifest, const fs::path& from, const fs::path& to,
                 const WorkContext& context) {
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "copying the rows was cancelled"};
    context.report("copying the rows", static_cast<std::int64_t>(i), std::ssize(manifest.files));
    const fs::path file = to / manifest.files[i].name;
    std::error_code error;
    if (fs::exists(file, error)) continue;
    PARAPET_TRY(createFolders(file.parent_path()));
    fs::copy_file(from / manifest.files[i].name, file, error);
    if (error) return writeError("copy", file, error.value());
  }
  return {};
}

/// Ends a data set whose files are written, and returns its hash.
Result<std::string> committed(PendingFolder& pending, Manifest& manifest) {
  PARAPET_TRY(manifest.describeFiles(pending.path()));
  PARAPET_TRY(manifest.write(pending.path()));
  PARAPET_TRY(pending.commit());
  return manifest.hash;
}

/// The entry of a vocabulary for each entry of another one.
std::vector<std::int32_t> entriesIn(const Vocabulary& known, const Vocabulary& theirs) {
  std::vector<std::int32_t> found(static_cast<std::size_t>(theirs.entries()), 0);
  for (std::int64_t entry = 0; entry < theirs.entries(); ++entry) {
    const std::string_view id = theirs.rawId(entry);
    if (id.empty()) continue;
    const auto own = known.entry(id);
    found[static_cast<std::size_t>(entry)] = own ? *own : known.row(id).value_or(0);
  }
  return found;
}

/// The ids of the rows of a column behind those that are there; rows are those of the vocabulary.
struct MoreIds {
  std::vector<std::int32_t> entries;
  std::vector<std::int64_t> ends;  ///< of bags
};

class Appending {
 public:
  Appending(const Dataset& to, const Dataset& more, fs::path folder)
      : to_(to), more_(more), folder_(std::move(folder)) {}

  Status write(const RowSet& training) {
    for (const IdColumnInfo& column : to_.columns()) PARAPET_TRY(addIds(column));
    for (const std::string& column : to_.denseColumns()) PARAPET_TRY(addNumbers(column));
    PARAPET_TRY(add<float>(kLabelFile, to_.labels(), more_.labels()));
    PARAPET_TRY(add<std::int64_t>(kTimeFile, to_.times(), more_.times()));
    if (!to_.timeMicroseconds().empty())
      PARAPET_TRY(add<std::int32_t>(kMicrosecondFile, to_.timeMicroseconds(), fractions()));
    using experiment::SplitPart;
    std::vector<std::uint8_t> parts(static_cast<std::size_t>(to_.rows()),
                                    static_cast<std::uint8_t>(SplitPart::kTest));
    training.forEach([&](std::int64_t row) {
      parts[static_cast<std::size_t>(row)] = static_cast<std::uint8_t>(SplitPart::kTrain);
    });
    const std::vector<std::uint8_t> held(static_cast<std::size_t>(more_.rows()),
                                         static_cast<std::uint8_t>(SplitPart::kValidation));
    return add<std::uint8_t>(kPartFile, parts, held);
  }

 private:
  template <class T>
  Status add(const std::string& name, std::span<const T> first, std::span<const T> second) {
    if (first.empty()) return {};
    if (second.empty())
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("the rows have no {}, which the data of the run have",
                               fs::path(name).stem().string())};
    PARAPET_TRY(createFolders((folder_ / name).parent_path()));
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder_ / name));
    PARAPET_TRY(file.write(std::as_bytes(first)));
    PARAPET_TRY(file.write(std::as_bytes(second)));
    return file.finish();
  }

  [[nodiscard]] std::vector<std::int32_t> fractions() const {
    const auto known = more_.timeMicroseconds();
    return known.empty() ? std::vector<std::int32_t>(static_cast<std::size_t>(more_.rows()))
                         : std::vector<std::int32_t>(known.begin(), known.end());
  }

  const std::vector<std::int32_t>& mapOf(const std::string& column) {
    auto& map = maps_[column];
    if (map.empty()) map = entriesIn(to_.vocabularyOf(column), more_.vocabularyOf(column));
    return map;
  }

  /// The row of the user or item of each row, whose catalogue knows a column.
  Result<std::vector<std::int32_t>> entitiesOf(const std::string& column,
                                               const EntityColumn& known) {
    for (const IdColumnInfo& info : to_.columns()) {
      if (info.vocabulary != known.vocabulary || (info.role != "user" && info.role != "item"))
        continue;
      std::vector<std::int32_t> rows;
      for (const std::int32_t theirs : more_.entries(info.name))
        rows.push_back(
            to_.vocabularyOf(info.name).rowOf(mapOf(info.name)[static_cast<std::size_t>(theirs)]));
      return rows;
    }
    return lacks(column);
  }

  [[nodiscard]] Error lacks(const std::string& column) const {
    std::vector<std::string> names = more_.denseColumns();
    for (const IdColumnInfo& info : more_.columns()) names.push_back(info.name);
    return {ErrorCode::kInvalidDocument, fmt::format("the rows have no column \"{}\"; they have {}",
                                                     column, fmt::join(names, ", "))};
  }

  Result<MoreIds> idsBehind(const IdColumnInfo& column) {
    MoreIds out;
    if (more_.idColumn(column.name)) {
      const auto& map = mapOf(column.name);
      const bool isBag = column.longestBag > 0;
      for (const std::int32_t theirs : isBag ? more_.ids(column.name) : more_.entries(column.name))
        out.entries.push_back(map[static_cast<std::size_t>(theirs)]);
      const auto offsets = more_.bagOffsets(column.name);
      for (std::int64_t row = 1; isBag && row <= more_.rows(); ++row)
        out.ends.push_back(offsets.empty() ? row : offsets[static_cast<std::size_t>(row)]);
      return out;
    }
    const auto known = to_.entityColumn(column.name);
    if (!known) return lacks(column.name);
    PARAPET_ASSIGN(const auto entities, entitiesOf(column.name, *known));
    for (const std::int32_t entity : entities) {
      const auto at = static_cast<std::size_t>(entity);
      const BagRange bag = known->offsets.empty()
                               ? BagRange(std::array<std::int64_t, 2>{entity, entity + 1}, 0)
                               : BagRange(known->offsets, static_cast<std::int64_t>(at));
      for (std::int64_t i = bag.begin; i < bag.end; ++i)
        out.entries.push_back(known->ids[static_cast<std::size_t>(i)]);
      if (column.longestBag > 0) out.ends.push_back(std::ssize(out.entries));
    }
    return out;
  }

  Status addIds(const IdColumnInfo& column) {
    PARAPET_ASSIGN(const MoreIds behind, idsBehind(column));
    const Vocabulary& vocabulary = to_.vocabularyOf(column.name);
    std::vector<std::int32_t> rows;
    for (const std::int32_t entry : behind.entries) rows.push_back(vocabulary.rowOf(entry));
    PARAPET_TRY(add<std::int32_t>(rowsFile(column.name), to_.ids(column.name), rows));
    if (column.longestBag == 0)
      return isThere(entriesFile(column.name))
                 ? add<std::int32_t>(entriesFile(column.name), to_.entries(column.name),
                                     behind.entries)
                 : Status();
    const auto offsets = to_.bagOffsets(column.name);
    std::vector<std::int64_t> ends = behind.ends;
    for (std::int64_t& end : ends) end += offsets.back();
    PARAPET_TRY(add<std::int64_t>(offsetsFile(column.name), offsets, ends));
    const auto weights = to_.bagWeights(column.name);
    if (weights.empty()) return {};
    const auto theirs =
        more_.idColumn(column.name) ? more_.bagWeights(column.name) : std::span<const float>();
    const std::vector<float> ones(rows.size(), 1.0F);
    return add<float>(bagWeightsFile(column.name), weights,
                      theirs.empty() ? std::span<const float>(ones) : theirs);
  }

  Status addNumbers(const std::string& column) {
    const std::string file = Manifest::denseFile(column);
    if (more_.isDense(column))
      return add<float>(file, to_.denseValues(column), more_.denseValues(column));
    const auto known = to_.entityColumn(column);
    if (!known) return lacks(column);
    PARAPET_ASSIGN(const auto entities, entitiesOf(column, *known));
    std::vector<float> values;
    for (const std::int32_t entity : entities)
      values.push_back(known->values[static_cast<std::size_t>(entity)]);
    return add<float>(file, to_.denseValues(column), values);
  }

  [[nodiscard]] bool isThere(const std::string& file) const {
    std::error_code error;
    return fs::exists(to_.folder() / file, error);
  }

  const Dataset& to_;
  const Dataset& more_;
  fs::path folder_;
  std::map<std::string, std::vector<std::int32_t>> maps_;
};

}  // namespace

Result<std::string> copyRows(const Dataset& from, const CopiedRows& rows, const fs::path& parent,
                             const WorkContext& context) {
  if (rows.kept.empty() && from.hasInteractions())
    throw InvalidArgument("[copyRows] no rows; accepted is at least one");
  PARAPET_ASSIGN(Manifest manifest, manifestOf(from));
  const RowBits bits = rows.kept.bits(from.rows()), trained = rows.training.bits(from.rows());
  manifest.hash = hashHex(from.hash() + hashHex(std::as_bytes(std::span(bits))) +
                          hashHex(std::as_bytes(std::span(trained))));
  PARAPET_ASSIGN(PendingFolder pending, PendingFolder::create(parent / manifest.hash));
  const CopiedColumns copied{pending.path(), manifest, bits, from.rows()};
  PARAPET_TRY(copyFiles(manifest, from.folder(), pending.path(), context));
  for (const Manifest::Column& column : manifest.columns) PARAPET_TRY(copied.keep(column));
  PARAPET_TRY(copied.keep(kLabelFile, sizeof(float)));
  PARAPET_TRY(copied.keep(kTimeFile, sizeof(std::int64_t)));
  PARAPET_TRY(copied.keep(kMicrosecondFile, sizeof(std::int32_t)));
  if (bits != trained) {
    PARAPET_TRY(writeParts(pending.path() / kPartFile, rows.kept, trained));
    manifest.files.push_back({kPartFile, 0, {}});
  }
  if (rows.kept.empty()) PARAPET_TRY(writeEmptyText(pending.path(), manifest.columns.front().name));
  PARAPET_TRY(from.intact());
  std::int64_t kept = 0;
  for (const std::uint64_t word : bits) kept += std::popcount(word);
  manifest.rows = std::max<std::int64_t>(1, kept);
  manifest.filteredOut = manifest.belowCore = 0;
  manifest.sources.clear();
  manifest.rejectedLines.clear();
  manifest.warnings.clear();
  return committed(pending, manifest);
}

Result<std::string> appendRows(const Dataset& to, const RowSet& training, const Dataset& more,
                               const fs::path& parent, const WorkContext& context) {
  PARAPET_ASSIGN(Manifest manifest, manifestOf(to));
  manifest.hash = hashHex(to.hash() + more.hash());
  PARAPET_ASSIGN(PendingFolder pending, PendingFolder::create(parent / manifest.hash));
  PARAPET_TRY(Appending(to, more, pending.path()).write(training));
  PARAPET_TRY(copyFiles(manifest, to.folder(), pending.path(), context));
  manifest.files.push_back({kPartFile, 0, {}});
  manifest.rows += more.rows();
  for (Manifest::Column& column : manifest.columns)
    if (const IdColumnInfo* theirs = column.longestBag > 0 ? more.idColumn(column.name) : nullptr)
      column.longestBag = std::max(column.longestBag, theirs->longestBag);
  return committed(pending, manifest);
}

}  // namespace parapet::data
