// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/import.h"

#include <fmt/format.h>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/import/import_settings.h"
#include "engine/data/import/import_writer.h"
#include "engine/data/import/manifest.h"
#include "engine/data/sources/row_source.h"
#include "engine/data/shape/vocabulary_builder.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// Where the document's source keeps a file, for messages.
std::string sourcePath(const experiment::Dataset& spec, const std::string& file) {
  return spec.source == "movielens" && spec.path ? (fs::path(*spec.path) / file).string() : file;
}

// The error of a file of the source of which too many lines, or all, are bad.
Error badLinesError(const experiment::Dataset& spec, const Manifest& manifest,
                    const Manifest::Source& source, std::string_view accepted) {
  constexpr std::size_t kReasonsShown = 3;
  Error error{ErrorCode::kData, "", "", sourcePath(spec, source.file)};
  std::vector<std::string> reasons;
  for (const auto& bad : manifest.badLines) {
    if (bad.file != source.file) continue;
    if (!error.line) error.line = bad.line;
    if (reasons.size() == kReasonsShown) break;
    reasons.push_back(fmt::format("line {}: {} [{}]", bad.line, bad.reason, bad.excerpt));
  }
  error.message = fmt::format("{}: {} of {} lines are bad; {}. {}", error.path, source.bad,
                              source.good + source.bad, accepted, join(reasons, "; "));
  return error;
}

// Too many bad lines in a file, or no good row at all.
Status checkLines(const experiment::Dataset& spec, const Manifest& manifest) {
  if (manifest.rows == 0)
    return badLinesError(spec, manifest, manifest.sources.front(), "at least one row is needed");
  for (const auto& source : manifest.sources) {
    const auto lines = static_cast<double>(source.good + source.bad);
    if (static_cast<double>(source.bad) > spec.maxBadShare * lines)
      return badLinesError(spec, manifest, source,
                           fmt::format("a share of at most {} is accepted", spec.maxBadShare));
  }
  return {};
}

ImportReport reportOf(const experiment::Dataset& spec, const Manifest& manifest) {
  ImportReport report;
  report.rows = manifest.rows;
  report.quarantined = manifest.quarantined();
  for (const auto& bad : manifest.badLines)
    report.badLines.push_back({sourcePath(spec, bad.file), bad.line, bad.reason, bad.excerpt});
  for (const auto& vocabulary : manifest.vocabularies)
    report.vocabularies.push_back(
        {vocabulary.name, vocabulary.size, vocabulary.oovShare, vocabulary.unusedRows});
  report.warnings = manifest.warnings;
  return report;
}

void addQuarantines(const RowSource& source, Manifest& manifest) {
  for (const Quarantine* quarantine : source.quarantines()) {
    manifest.sources.push_back({quarantine->fileName(), quarantine->good(), quarantine->bad()});
    for (const auto& line : quarantine->lines())
      if (manifest.badLines.size() < Quarantine::kKept)
        manifest.badLines.push_back(
            {quarantine->fileName(), line.number, line.reason, line.excerpt});
  }
}

// Reads the whole source into the writer's columns.
Status readRows(RowSource& source, ImportWriter& writer, const WorkContext& context) {
  RowChunk chunk;
  for (;;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
    PARAPET_TRY(source.read(chunk));
    context.report("reading", source.done(), source.total());
    if (chunk.size() == 0) return {};
    PARAPET_TRY(writer.add(chunk));
  }
}

// Builds and writes the vocabulary of a column and the column with its rows.
Status finishColumn(const VocabularyPlan& plan, const RowSource& source, IdColumn& column,
                    ImportWriter& writer, Manifest& manifest) {
  PARAPET_ASSIGN(const BuiltVocabulary built,
                 buildVocabulary(plan, column, source.catalogue(column.name())));
  PARAPET_TRY(
      Vocabulary::write(writer.folder(), column.name(), built.attributeNames, built.entries));
  PARAPET_TRY(column.writeRows(built.rowOf));
  manifest.vocabularies.push_back(
      {column.name(), static_cast<std::int64_t>(built.entries.size()),
       static_cast<double>(built.oovRows) / static_cast<double>(manifest.rows), built.unusedRows});
  return {};
}

// Imports into a temporary folder and renames it; `folder` must not exist.
Status importInto(const fs::path& folder, const experiment::Dataset& spec, std::string hash,
                  RowSource& source, const WorkContext& context) {
  PARAPET_ASSIGN(const VocabularyPlan users, planVocabulary(spec, "user"));
  PARAPET_ASSIGN(const VocabularyPlan items, planVocabulary(spec, "item"));
  PARAPET_TRY(source.readCatalogues());
  PARAPET_ASSIGN(const IdRange userRange, idRange(users, source));
  PARAPET_ASSIGN(const IdRange itemRange, idRange(items, source));
  source.restrict(userRange, itemRange);

  PARAPET_ASSIGN(ImportWriter writer, ImportWriter::create(folder, spec));
  PARAPET_TRY(readRows(source, writer, context));
  Manifest manifest{.hash = std::move(hash),
                    .rows = writer.rows(),
                    .scale = spec.label.scale,
                    .files = {},
                    .vocabularies = {},
                    .sources = {},
                    .badLines = {},
                    .warnings = source.warnings()};
  addQuarantines(source, manifest);
  PARAPET_TRY(checkLines(spec, manifest));

  context.report("indexing", 0, 0);
  PARAPET_TRY(writer.finishRows());
  const std::int64_t repeated =
      countRepeatedPairs(writer.users().spilled(), writer.items().spilled());
  if (repeated > 0)
    manifest.warnings.push_back(fmt::format(
        "{} rows repeat the (user, item) pair of an earlier row", formatCount(repeated)));
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
  PARAPET_TRY(finishColumn(users, source, writer.users(), writer, manifest));
  PARAPET_TRY(finishColumn(items, source, writer.items(), writer, manifest));
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
  return writer.commit(manifest);
}

}  // namespace

Result<ImportReport> importDataset(const experiment::Dataset& spec, const fs::path& datasetsFolder,
                                   const WorkContext& context) {
  const Stopwatch watch;
  PARAPET_TRY(checkImportSettings(spec));
  PARAPET_ASSIGN(const auto source, openSource(spec));
  PARAPET_ASSIGN(const std::string hash, importHash(spec, *source, context));
  const fs::path folder = datasetsFolder / hash;

  bool reused = true;
  auto dataset = Dataset::open(folder);
  if (!dataset) {
    reused = false;
    PARAPET_TRY(removeFolder(folder));  // damaged, or not there
    PARAPET_TRY(importInto(folder, spec, hash, *source, context));
    dataset = Dataset::open(folder);
    if (!dataset) return dataset.error();
  }
  PARAPET_ASSIGN(const Manifest manifest, Manifest::read(folder));
  PARAPET_TRY(checkLines(spec, manifest));  // a reused import may have been more patient
  ImportReport report = reportOf(spec, manifest);
  report.dataset = std::move(dataset).value();
  report.reused = reused;
  report.seconds = watch.seconds();
  report.rowsPerSecond = static_cast<double>(report.rows) / std::max(report.seconds, 1e-9);
  return report;
}

}  // namespace parapet::data
