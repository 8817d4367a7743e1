// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/suggest.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_corpus.h"
#include "engine/data/ingest/import/propose_roles.h"
#include "engine/data/ingest/sources/movielens_layout.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::ColumnRole;

constexpr std::array kRoles{ColumnRole::kUser,    ColumnRole::kItem, ColumnRole::kContext,
                            ColumnRole::kFeature, ColumnRole::kTime, ColumnRole::kNumeric};
constexpr char kSeparator = '|', kWeights = ':';
constexpr std::size_t kLooked = 4096;  // bytes of a file that tell what it is

std::string headOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(kLooked, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

Error noData(const fs::path& path, const std::string& found) {
  return {.code = ErrorCode::kData,
          .message = path.string() + " " + found +
                     "; accepted: lines of text (.csv, .tsv, .gz), Parquet, a MovieLens folder or "
                     "zip, a folder of texts (train.txt, valid.txt, test.txt)",
          .path = path.string()};
}

/// Only the ids of 100K are those of the first movies without a gap, so that they can be rows.
experiment::Dataset movieLens(const fs::path& path, MovielensLayout::Kind layout, double least) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kMovielens;
  spec.path = path.string();
  spec.label = {.column = "rating", .scale = std::array{least, 5.0}};
  using experiment::VocabularySize;
  spec.vocabularies.resize(2);
  spec.vocabularies[0].name = "user";
  spec.vocabularies[0].size.kind = VocabularySize::Kind::kMaxPlusOne;
  spec.vocabularies[1].name = "item";
  if (layout == MovielensLayout::Kind::k100K)
    spec.vocabularies[1].size.kind = VocabularySize::Kind::kCataloguePlusOne;
  else
    spec.vocabularies[1].kind = experiment::VocabularyKind::kCompressed;
  return spec;
}

experiment::Dataset plainSource(experiment::SourceKind source, const fs::path& path) {
  experiment::Dataset spec;
  spec.source = source;
  spec.path = path.string();
  spec.label.column.reset();
  return spec;
}

/// The MovieLens data set that a folder or an archive is; nullopt if it is none.
std::optional<experiment::Dataset> movieLensIn(const fs::path& path) {
  const auto files = FileCollection::open(path);
  if (!files) return std::nullopt;
  const auto layout = MovielensLayout::of(*files, path.string());
  using Kind = MovielensLayout::Kind;
  if (!layout || (layout->kind == Kind::kCsv && !files->has(layout->items))) return std::nullopt;
  // Half stars came with 10M, which has no users.
  const bool whole =
      layout->kind == Kind::k100K || (layout->kind == Kind::k1M && files->has(layout->users));
  return movieLens(path, layout->kind, whole ? 1.0 : 0.5);
}

Result<experiment::Dataset> detectFile(const fs::path& file) {
  const std::string head = headOf(file);
  if (head.starts_with("PAR1")) return plainSource(experiment::SourceKind::kParquet, file);
  if (head.starts_with("PK\x03\x04")) {
    if (auto ratings = movieLensIn(file)) return std::move(*ratings);
    if (auto corpus = corpusAt(file)) return std::move(*corpus);
    return plainSource(experiment::SourceKind::kCsv, file);
  }
  if (head.starts_with("\x1f\x8b")) return plainSource(experiment::SourceKind::kCsv, file);
  if (head.empty()) return noData(file, "is empty");
  if (trim(head).starts_with('{') && head.find("\"parapet\"") != std::string::npos)
    return noData(file, "is an experiment, which is opened, not imported");
  if (head.find('\0') != std::string::npos) return noData(file, "is neither text nor Parquet");
  if (auto corpus = corpusAt(file)) return std::move(*corpus);
  return plainSource(experiment::SourceKind::kCsv, file);
}

Result<experiment::Dataset> detectFolder(const fs::path& folder) {
  if (auto ratings = movieLensIn(folder)) return std::move(*ratings);
  std::error_code failed;
  std::vector<fs::path> packed;
  bool parquet = false, csv = false;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string end = toLowerAscii(entry.path().extension().string());
    parquet = parquet || end == ".parquet";
    csv = csv || end == ".csv";
    if (end == ".tsv" || end == ".gz" || end == ".zip") packed.push_back(entry.path());
    if (entry.is_directory(failed))
      if (auto ratings = movieLensIn(entry.path())) return std::move(*ratings);
  }
  if (parquet) return plainSource(experiment::SourceKind::kParquet, folder);
  if (csv) return plainSource(experiment::SourceKind::kCsv, folder);
  if (auto corpus = corpusAt(folder)) return std::move(*corpus);
  if (auto wrong = wrongFileOfCorpus(folder)) return std::move(*wrong);
  if (packed.size() == 1) return detectFile(packed.front());
  return noData(folder, packed.empty() ? "holds no known data"
                                       : "holds several files of text; choose one of them");
}

bool isWeighted(std::string_view value) {
  const auto at = value.rfind(kWeights);
  return at != std::string_view::npos && at > 0 && parseDouble(value.substr(at + 1));
}

/// Says how cells of a column of text hold several values, if they do.
void suggestSeparators(experiment::Column& column, const SourcePreview& preview) {
  const auto found = std::ranges::find(preview.columns, column.originName(), &SourceColumn::name);
  if (found == preview.columns.end() || found->type != ValueType::kText || found->isList) return;
  const auto at = static_cast<std::size_t>(found - preview.columns.begin());
  bool several = false, weighted = true;
  for (const auto& row : preview.rows) {
    if (!row[at] || row[at]->empty()) continue;
    const auto values = splitFields(*row[at], kSeparator);
    several = several || values.size() > 1;
    weighted = weighted && std::ranges::all_of(values, isWeighted);
  }
  if (!several) return;
  column.separator = std::string(1, kSeparator);
  if (weighted) column.weights = std::string(1, kWeights);
}

bool isVocabularyUsed(const experiment::Dataset& spec, const std::string& vocabulary) {
  return std::ranges::any_of(spec.columns, [&](const experiment::Column& column) {
    return experiment::holdsIds(column.role) && column.vocabularyName() == vocabulary;
  });
}

void removeColumn(experiment::Dataset& spec, std::string_view origin) {
  const auto found = std::ranges::find_if(spec.columns, [&](const experiment::Column& column) {
    return column.originName() == origin;
  });
  if (found == spec.columns.end()) return;
  const std::string vocabulary = found->vocabularyName();
  const bool hadIds = experiment::holdsIds(found->role);
  spec.columns.erase(found);
  if (hadIds && !isVocabularyUsed(spec, vocabulary))
    std::erase_if(spec.vocabularies, [&](const auto& each) { return each.name == vocabulary; });
}

/// Forgets how a column says when, unless another column is derived from it.
void forgetTime(experiment::Dataset& spec, std::string_view name) {
  if (std::ranges::find(spec.derived, name, &experiment::Derived::from) != spec.derived.end())
    return;
  std::erase_if(spec.times, [name](const auto& time) { return time.column == name; });
}

/// Names of columns are parts of paths in names of features; those of sources can be anything.
std::string columnName(const experiment::Dataset& spec, std::string_view origin,
                       std::string_view use) {
  if (use == "user" || use == "item" || use == "time") return std::string(use);
  std::string name(origin);
  std::ranges::replace_if(
      name, [](char byte) { return byte == '/' || byte == '~' || byte == ' '; }, '_');
  if (name.empty()) name = "column";
  const std::string wanted = name;
  for (int number = 2;
       std::ranges::find(spec.columns, name, &experiment::Column::name) != spec.columns.end();
       ++number)
    name = wanted + "-" + std::to_string(number);
  return name;
}

}  // namespace

Result<experiment::Dataset> detectSource(const fs::path& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  if (fs::is_directory(absolute, failed)) return detectFolder(absolute);
  if (!fs::exists(absolute, failed))
    return Error{.code = ErrorCode::kNotFound,
                 .message = absolute.string() + " does not exist",
                 .path = absolute.string()};
  if (!fs::is_regular_file(absolute, failed))
    return noData(absolute, "is a pipe, socket or device, and a source is read several times");
  return detectFile(absolute);
}

experiment::Dataset withProposal(experiment::Dataset spec, std::span<const SourceColumn> columns,
                                 const RoleProposal& proposal) {
  spec = withUse(std::move(spec), columns, proposal.column, proposal.use);
  if (!proposal.unit) return spec;
  const auto known =
      std::ranges::find(spec.times, proposal.column, &experiment::TimeColumn::column);
  if (known != spec.times.end())
    known->unit = *proposal.unit;
  else
    spec.times.push_back({proposal.column, *proposal.unit});
  return spec;
}

experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview,
                                   std::span<const RoleProposal> proposals) {
  const std::vector<SourceColumn>& columns = preview.columns;
  if (spec.source == experiment::SourceKind::kMovielens ||
      spec.source == experiment::SourceKind::kGenerated || spec.isText())
    return spec;
  spec.vocabularies.clear();
  spec.columns.clear();
  spec.times.clear();
  spec.label.column.reset();
  spec.weight.reset();
  for (const RoleProposal& proposal : proposals)
    spec = withProposal(std::move(spec), columns, proposal);
  // The first use also wrote down what columns are by their names alone, whatever their cells are:
  // a "timestamp" that is neither a whole number nor a date.
  std::erase_if(spec.columns, [&](const experiment::Column& column) {
    return std::ranges::find(proposals, column.originName(), &RoleProposal::column) ==
           proposals.end();
  });
  if (spec.label.column) spec.label.scale = ratingScale(preview, *spec.label.column);
  for (experiment::Column& column : spec.columns)
    if (column.role == ColumnRole::kFeature) suggestSeparators(column, preview);
  return spec;
}

experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview) {
  return suggestDataset(std::move(spec), preview, proposeRoles(preview));
}

std::string useOfColumn(const experiment::Dataset& spec, std::span<const SourceColumn> columns,
                        std::string_view name) {
  const std::map<std::string, std::string, std::less<>> uses = usesOfColumns(spec, columns);
  const auto found = uses.find(name);
  return found == uses.end() ? std::string() : found->second;
}

std::map<std::string, std::string, std::less<>> usesOfColumns(
    const experiment::Dataset& spec, std::span<const SourceColumn> columns) {
  // The first use of a column is the one that is reported.
  std::map<std::string, std::string, std::less<>> uses;
  for (const experiment::Column& column : columnsOf(spec, columns))
    uses.emplace(column.originName(), roleName(column.role));
  if (spec.label.column) uses.emplace(*spec.label.column, "label");
  if (spec.weight) uses.emplace(*spec.weight, "weight");
  return uses;
}

experiment::Dataset withUse(experiment::Dataset spec, std::span<const SourceColumn> columns,
                            std::string_view name, std::string_view use) {
  const auto* const known =
      std::ranges::find_if(kRoles, [use](ColumnRole role) { return roleName(role) == use; });
  const bool isRole = known != kRoles.end();
  if (!isRole && use != "label" && use != "weight" && !use.empty())
    throw InvalidArgument("withUse: \"" + std::string(use) + "\" is no use of a column");
  spec.columns = columnsOf(spec, columns);
  removeColumn(spec, name);
  forgetTime(spec, name);
  if (spec.label.column && *spec.label.column == name) spec.label = {std::nullopt, std::nullopt};
  if (spec.weight && *spec.weight == name) spec.weight.reset();
  if (use == "label") spec.label = {std::string(name), std::nullopt};
  if (use == "weight") spec.weight = std::string(name);
  if (!isRole) return spec;
  const ColumnRole role = *known;
  if (role == ColumnRole::kUser || role == ColumnRole::kItem || role == ColumnRole::kTime)
    for (const experiment::Column& before : columnsOf(spec, columns))
      if (before.role == role) {
        forgetTime(spec, before.originName());
        removeColumn(spec, before.originName());
      }
  experiment::Column column;
  column.name = columnName(spec, name, use);
  column.role = role;
  if (column.name != name) column.from = std::string(name);
  const bool hasVocabulary =
      std::ranges::find(spec.vocabularies, column.name, &experiment::Vocabulary::name) !=
      spec.vocabularies.end();
  if (experiment::holdsIds(role) && !hasVocabulary) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = column.name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    spec.vocabularies.push_back(std::move(vocabulary));
  }
  spec.columns.push_back(std::move(column));
  const auto source = std::ranges::find(columns, name, &SourceColumn::name);
  if (role == ColumnRole::kTime && source != columns.end() && source->type == ValueType::kText)
    spec.times.push_back({std::string(name), experiment::TimeUnit::kText});
  return spec;
}

}  // namespace parapet::data
