// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/choose_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/vocabulary_builder.h"
#include "engine/data/ingest/shape/filter.h"
#include "engine/data/ingest/sources/catalogue_table.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::ColumnRole;
using experiment::SplitAmount;
using experiment::SplitKind;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

/// "user", "item" or "": whose ids a vocabulary holds. The first column of a role gives the role.
std::string roleOf(const experiment::Dataset& spec, const std::string& vocabulary) {
  if (spec.columns.empty())
    return vocabulary == "user" || vocabulary == "item" ? vocabulary : std::string();
  for (const experiment::Column& column : spec.columns)
    if (column.vocabularyName() == vocabulary &&
        (column.role == ColumnRole::kUser || column.role == ColumnRole::kItem))
      return roleName(column.role);
  return {};
}

bool hasLastRow(const experiment::Vocabulary& vocabulary) {
  return vocabulary.kind == VocabularyKind::kDirect &&
         (vocabulary.size.kind == SizeKind::kFixed ||
          vocabulary.size.kind == SizeKind::kCataloguePlusOne);
}

/// Why ids of the catalogue have no row; "" if all have one.
std::string unfitReason(const experiment::Vocabulary& vocabulary, const std::string& role,
                        const Source& source, const WorkContext& context) {
  const auto range = idRange(vocabulary, "", role, source);
  if (!range) return range.error().message;
  const CatalogueTable* catalogue = role.empty() ? nullptr : source.catalogue(role);
  if (!catalogue) return {};
  std::int64_t largest = 0;
  for (std::int32_t entry = 0; entry < catalogue->size() && !context.cancelled(); ++entry)
    largest = std::max(largest, parseInt(catalogue->id(entry)).value_or(0));
  if (largest <= range->last) return {};
  return fmt::format("ids of {} go up to {}, and the rows of the {} entries end at {}",
                     fs::path(catalogue->info(0).file).filename().string(), largest,
                     formatCount(catalogue->size()), range->last);
}

/// Whether a document's settings can be about these columns.
bool hasColumnsOf(const experiment::Dataset& spec, const SourcePreview& preview) {
  const auto isThere = [&](const std::string& name) {
    return std::ranges::find(preview.columns, name, &SourceColumn::name) != preview.columns.end();
  };
  if (!preview.derivedProblems.empty()) return false;
  const std::vector<experiment::Column> columns = columnsOf(spec, preview.columns);
  for (const ColumnRole role : {ColumnRole::kUser, ColumnRole::kItem})
    if (std::ranges::find(columns, role, &experiment::Column::role) == columns.end()) return false;
  for (const experiment::Column& column : columns)
    if (!isThere(column.originName())) return false;
  if (spec.label.column && !isThere(*spec.label.column)) return false;
  if (spec.weight && !isThere(*spec.weight)) return false;
  if (spec.split.kind == SplitKind::kColumn && !isThere(spec.split.column)) return false;
  if (!spec.filter) return true;
  // An expression that does not parse names no columns; its fault is reported where it stands.
  const auto filter = Filter::parse(*spec.filter);
  return !filter || std::ranges::all_of(filter->columns(), isThere);
}

/// Direct vocabularies that the ids of these data exceed become compressed.
Status fitVocabularies(ChosenData& chosen, const WorkContext& context,
                       const GeneratorFactory& makeGenerator) {
  const auto unfit = unfitVocabularies(chosen.dataset, makeGenerator, context);
  if (!unfit && unfit.error().code == ErrorCode::kCancelled) return unfit.error();
  if (!unfit) return {};  // the import reports what cannot be read
  for (const UnfitVocabulary& found : *unfit) {
    experiment::Vocabulary& vocabulary = chosen.dataset.vocabularies[found.index];
    vocabulary.kind = VocabularyKind::kCompressed;
    vocabulary.size = {};
    chosen.changes.push_back(
        fmt::format("vocabulary \"{}\" is compressed: {}", vocabulary.name, found.reason));
  }
  return {};
}

/// Ratings outside the scale would become labels outside [0, 1].
void fitLabel(ChosenData& chosen, const experiment::Label& suggested) {
  experiment::Label& label = chosen.dataset.label;
  if (!label.scale || !suggested.scale || label.column != suggested.column) return;
  const auto& [low, high] = *suggested.scale;
  if (label.scale->front() <= low && label.scale->back() >= high) return;
  label.scale = suggested.scale;
  chosen.changes.push_back(
      fmt::format("the scale of the label is {} to {}, that of these ratings", low, high));
}

/// Rows that the parts of a random split ask for; 0 if they are shares.
std::int64_t countedRows(const experiment::Split& split) {
  if (split.kind != SplitKind::kRandom) return 0;
  double rows = 0.0;
  for (const SplitAmount& amount : {split.train, split.validation, split.test})
    if (!amount.isRatio) rows += amount.value;
  return static_cast<std::int64_t>(rows);
}

/// Counts of rows that were those of other data become shares. Of data that the document named
/// before, it may use fewer rows than there are.
void fitSplit(ChosenData& chosen, const experiment::Dataset& now, const WorkContext& context,
              const GeneratorFactory& makeGenerator) {
  experiment::Split& split = chosen.dataset.split;
  const std::int64_t wanted = countedRows(split);
  if (wanted == 0) return;
  const auto count = countRows(chosen.dataset, wanted + 1, context, makeGenerator);
  if (!count) return;  // the import reports what cannot be read
  const bool named = now.path && now.source == chosen.dataset.source;
  if ((count->complete && count->kept == wanted) || (named && count->kept >= wanted)) return;
  const experiment::Split shares;
  split.train = shares.train;
  split.validation = shares.validation;
  split.test = shares.test;
  chosen.changes.push_back(fmt::format(
      "the split is {:.0f} % and {:.0f} % of the rows: its {} rows were those of other data",
      100.0 * shares.train.value, 100.0 * shares.validation.value, formatCount(wanted)));
}

/// Parts that files or a column of other data named are drawn at random here.
void fitGivenParts(ChosenData& chosen, bool hasParts) {
  experiment::Split& split = chosen.dataset.split;
  if (hasParts || (split.kind != SplitKind::kFiles && split.kind != SplitKind::kColumn)) return;
  const std::string of = split.kind == SplitKind::kFiles
                             ? "the files of the parts"
                             : fmt::format("the column \"{}\" of the parts", split.column);
  split = {};
  chosen.changes.push_back(
      fmt::format("the split is {:.0f} % and {:.0f} % of the rows: {} was that of other data",
                  100.0 * split.train.value, 100.0 * split.validation.value, of));
}

/// Whether the files of the split lie beside these data.
bool hasSplitFiles(const experiment::Dataset& found, const experiment::Split& split) {
  if (split.kind != SplitKind::kFiles || !split.trainFile) return false;
  return fs::path(*split.trainFile).is_relative() && fs::is_directory(*found.path) &&
         fs::exists(fs::path(*found.path) / *split.trainFile);
}

/// Enough rows for what occurs again to be seen, and not too many cells.
std::int64_t rowsToLookAt(const Source& source) {
  constexpr std::int64_t kRows = 5000, kCells = 200'000, kLeast = 50;
  const auto columns = static_cast<std::int64_t>(source.columns().size());
  return std::clamp(kCells / std::max<std::int64_t>(1, columns), kLeast, kRows);
}

/// Why a column has a role that decides what is learned; "" for the others.
std::string sentenceOf(const RoleProposal& proposal) {
  if (proposal.use != "user" && proposal.use != "item" && proposal.use != "label" &&
      proposal.use != "time")
    return {};
  return fmt::format("{} is the {} ({})", printable(proposal.column), proposal.use,
                     proposal.reason);
}

/// Other texts for a document of texts: all else is as it was.
Result<ChosenData> chooseText(const experiment::Dataset& now, const fs::path& path,
                              std::int64_t rows, const WorkContext& context,
                              const GeneratorFactory& makeGenerator) {
  PARAPET_TRY(requireKindOfData(now, path));
  ChosenData chosen;
  chosen.dataset = now;
  chosen.dataset.path = path.string();
  PARAPET_ASSIGN(chosen.preview, previewSource(chosen.dataset, rows, context, makeGenerator));
  return chosen;
}

}  // namespace

Result<std::vector<UnfitVocabulary>> unfitVocabularies(const experiment::Dataset& spec,
                                                       const GeneratorFactory& makeGenerator,
                                                       const WorkContext& context) {
  std::vector<UnfitVocabulary> unfit;
  if (std::ranges::none_of(spec.vocabularies, hasLastRow)) return unfit;
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  PARAPET_TRY(source->readCatalogues(CatalogueExtent::kAll, {{}, context.stop}));
  for (std::size_t i = 0; i < spec.vocabularies.size(); ++i) {
    const experiment::Vocabulary& vocabulary = spec.vocabularies[i];
    // Other policies give a row to every id.
    if (!hasLastRow(vocabulary) || vocabulary.oovKind() != experiment::OovKind::kError) continue;
    std::string reason = unfitReason(vocabulary, roleOf(spec, vocabulary.name), *source, context);
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
    if (!reason.empty()) unfit.push_back({i, std::move(reason)});
  }
  return unfit;
}

Result<ChosenData> suggestData(const experiment::Dataset& found, std::int64_t rows,
                               const WorkContext& context, const GeneratorFactory& makeGenerator) {
  ChosenData chosen;
  PARAPET_ASSIGN(const auto source, openSource(found, makeGenerator));
  PARAPET_ASSIGN(chosen.preview,
                 previewSource(*source, found, std::max(rows, rowsToLookAt(*source)), context));
  if (found.source != experiment::SourceKind::kMovielens)
    chosen.proposals = proposeRoles(chosen.preview);
  chosen.dataset = suggestDataset(found, chosen.preview, chosen.proposals);
  if (!chosen.dataset.times.empty()) {  // their cells are shown as they will be read
    PARAPET_ASSIGN(chosen.preview, previewSource(chosen.dataset, rows, context, makeGenerator));
  }
  if (chosen.preview.rows.size() > static_cast<std::size_t>(rows))
    chosen.preview.rows.resize(static_cast<std::size_t>(rows));
  return chosen;
}

Result<ChosenData> chooseData(const experiment::Dataset& now, const fs::path& path,
                              OtherColumns other, std::int64_t rows, const WorkContext& context,
                              const GeneratorFactory& makeGenerator) {
  if (now.isText()) return chooseText(now, path, rows, context, makeGenerator);
  PARAPET_ASSIGN(const experiment::Dataset found, detectSource(path));
  if (found.isText()) return textsForRows(path);
  ChosenData chosen;
  if (found.source == now.source) {
    chosen.dataset = now;
    chosen.dataset.path = found.path;
    if (now.split.kind == SplitKind::kFiles) fitGivenParts(chosen, hasSplitFiles(found, now.split));
    auto preview = previewSource(chosen.dataset, rows, context, makeGenerator);
    const bool fits = preview && hasColumnsOf(chosen.dataset, *preview);
    if (!fits && other == OtherColumns::kSuggest) chosen.changes.clear();
    if (fits || other == OtherColumns::kKeep) {
      if (!preview) return preview.error();
      chosen.preview = std::move(preview).value();
      PARAPET_TRY(fitVocabularies(chosen, context, makeGenerator));
      fitLabel(chosen, found.label);
      fitSplit(chosen, now, context, makeGenerator);
      return chosen;
    }
  }
  PARAPET_ASSIGN(chosen, suggestData(found, rows, context, makeGenerator));
  const bool isGiven = found.split.kind == SplitKind::kFiles;
  if (!isGiven) chosen.dataset.split = now.split;
  chosen.dataset.batch = now.batch;
  chosen.changes.push_back(
      fmt::format("columns, label and vocabularies are those that the columns of {} suggest",
                  fs::path(*found.path).filename().string()));
  for (const RoleProposal& proposal : chosen.proposals)
    if (const std::string sentence = sentenceOf(proposal); !sentence.empty())
      chosen.changes.push_back(sentence);
  if (isGiven) {
    chosen.changes.push_back("the split is that of the files, one for each part");
    return chosen;
  }
  const auto parts =
      std::ranges::find(chosen.preview.columns, now.split.column, &SourceColumn::name);
  fitGivenParts(chosen,
                now.split.kind == SplitKind::kColumn && parts != chosen.preview.columns.end());
  fitSplit(chosen, now, context, makeGenerator);
  return chosen;
}

}  // namespace parapet::data
