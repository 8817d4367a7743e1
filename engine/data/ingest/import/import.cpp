// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/base/threads.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/user_groups.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/import/import_settings.h"
#include "engine/data/ingest/import/import_writer.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/data/ingest/import/vectors_import.h"
#include "engine/data/ingest/shape/k_core.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// Where a file is, for messages: a catalogue where it was found, another one inside the folder or
// archive of the document's source, or it is the source.
std::string sourcePath(const experiment::Dataset& spec, const std::string& file) {
  const bool isOfTheRows = spec.path && fs::path(*spec.path).filename() == file;
  for (const experiment::Catalogue& catalogue : spec.catalogues) {
    if (isOfTheRows || fs::path(catalogue.path).filename() != file) continue;
    const auto found = findSideFile(spec, catalogue.path);
    return found ? *found : catalogue.path;
  }
  if (spec.split.kind == experiment::SplitKind::kFiles) {
    const auto found = findSideFile(spec, file);
    return found ? *found : file;
  }
  if (spec.source == experiment::SourceKind::kGenerated || !spec.path) return file;
  const fs::path path(*spec.path);
  return (path.filename() == file ? path : path / file).string();
}

// The setting at which all rejected lines of a file failed, of the lines that were kept; `mixed`
// where they failed at several.
std::string blamedSetting(const Manifest& manifest, const std::string& file,
                          const std::string& mixed) {
  std::set<std::string> settings;
  for (const auto& rejected : manifest.rejectedLines)
    if (rejected.file == file) settings.insert(rejected.pointer);
  if (settings.size() > 1) return mixed;
  return settings.empty() ? std::string() : *settings.begin();
}

// The error of a file of the source of which too many lines, or all, were rejected, for several
// reasons at the setting `mixed`.
Error rejectedLinesError(const experiment::Dataset& spec, const Manifest& manifest,
                         const Manifest::Source& source, std::string_view accepted,
                         const std::string& mixed) {
  constexpr std::size_t kReasonsShown = 3;
  Error error{ErrorCode::kData, "", blamedSetting(manifest, source.file, mixed),
              sourcePath(spec, source.file)};
  std::vector<std::string> reasons;
  for (const auto& bad : manifest.rejectedLines) {
    if (bad.file != source.file) continue;
    if (!error.line) error.line = bad.line;
    if (reasons.size() == kReasonsShown) break;
    reasons.push_back(fmt::format("line {}: {} [{}]", bad.line, bad.reason, bad.excerpt));
  }
  error.message =
      fmt::format("{}: {} of {} lines were rejected; {}. {}", error.path, source.rejected,
                  source.good + source.rejected, accepted, join(reasons, "; "));
  return error;
}

// Too many rejected lines in a file, or no row at all.
Status checkLines(const experiment::Dataset& spec, const Manifest& manifest) {
  const bool anyBad =
      std::ranges::any_of(manifest.sources, [](const auto& s) { return s.rejected > 0; });
  const std::string passed = manifest.filteredOut > 0
                                 ? fmt::format("no row of {}", formatCount(manifest.filteredOut))
                                 : std::string("no row");
  if (manifest.rows == 0 && spec.filter && !anyBad)
    return Error{
        ErrorCode::kData,
        fmt::format("{} passes the filter {}; at least one is needed", passed, *spec.filter),
        "/dataset/filter"};
  if (manifest.rows == 0 && spec.isText() && manifest.filteredOut > 0 && !anyBad)
    return Error{
        ErrorCode::kData,
        fmt::format("{} lines have fewer than {} bytes; at least one longer line is needed",
                    formatCount(manifest.filteredOut), spec.text->minBytes),
        "/dataset/text/min_bytes"};
  if (manifest.rows == 0 && spec.isText() && !anyBad)
    return Error{ErrorCode::kData,
                 fmt::format("{} has no line of text; at least one is needed",
                             spec.path.value_or(manifest.sources.front().file)),
                 "/dataset/path", spec.path.value_or(std::string())};
  if (manifest.rows == 0 && spec.slice && !anyBad)
    return Error{ErrorCode::kData,
                 fmt::format("no row lies in the slice {}; at least one is needed", *spec.slice),
                 "/dataset/slice"};
  if (manifest.rows == 0)
    return rejectedLinesError(spec, manifest, manifest.sources.front(),
                              "at least one row is needed", "");
  for (const auto& source : manifest.sources) {
    const auto lines = static_cast<double>(source.good + source.rejected);
    if (static_cast<double>(source.rejected) > spec.maxRejectedShare * lines)
      return rejectedLinesError(
          spec, manifest, source,
          fmt::format("a share of at most {} is accepted", spec.maxRejectedShare),
          "/dataset/max_rejected_share");
  }
  return {};
}

ImportReport reportOf(const experiment::Dataset& spec, const Manifest& manifest) {
  ImportReport report;
  report.rows = manifest.rows;
  report.quarantined = manifest.quarantined();
  report.filteredOut = manifest.filteredOut;
  report.belowCore = manifest.belowCore;
  for (const auto& bad : manifest.rejectedLines)
    report.rejectedLines.push_back({sourcePath(spec, bad.file), bad.line, bad.reason, bad.excerpt});
  for (const auto& vocabulary : manifest.vocabularies)
    report.vocabularies.push_back(
        {vocabulary.name, vocabulary.size, vocabulary.oovShare, vocabulary.unusedRows});
  report.warnings = manifest.warnings;
  return report;
}

void addQuarantine(const Quarantine& quarantine, Manifest& manifest) {
  manifest.sources.push_back({quarantine.fileName(), quarantine.good(), quarantine.rejected()});
  for (const auto& line : quarantine.lines())
    if (manifest.rejectedLines.size() < Quarantine::kKept)
      manifest.rejectedLines.push_back(
          {quarantine.fileName(), line.number, line.reason, line.excerpt, line.pointer});
}

// The rows of the source that the document asks for. A share needs their number, so the source is
// counted once as it will be read: a line that is rejected then is no row now.
Result<RowSlice> resolveSlice(const experiment::Dataset& spec, const WorkContext& context,
                              const GeneratorFactory& makeGenerator) {
  if (!spec.slice) return RowSlice{};
  PARAPET_ASSIGN(const Slice slice, Slice::parse(*spec.slice));
  if (!slice.needsRowCount()) return slice.of(0);
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  PARAPET_ASSIGN(const ImportPlan plan, planImport(spec, *source));
  PARAPET_TRY(source->readCatalogues(CatalogueExtent::kAll, context));
  std::int64_t rows = 0;
  PARAPET_TRY(forEachBlock(
      *source, "counting",
      [&rows](const Source::Piece&, const RowBlock& block) {
        rows += block.rows;
        return Status{};
      },
      context));
  return slice.of(rows);
}

// Counts good and rejected lines of the rows' files, which follow one another.
class LineCount {
 public:
  explicit LineCount(const Source& source) : source_(source), numbers_(source) {}

  /// Returns how many lines of the file come before the first of the piece.
  std::int64_t add(const ShapedRows& rows) {
    const std::string_view file = rows.piece.file;
    const std::int64_t before = numbers_.before(rows.piece, rows.block.lines);
    const std::string name = file.empty() ? source_.fileName() : std::string(file);
    if (files_.empty() || files_.back().fileName() != name) files_.emplace_back(name);
    for (const RejectedRow& bad : rows.block.rejected)
      files_.back().addShown(before + bad.line + 1, bad.reason, bad.excerpt, bad.pointer);
    files_.back().countGood(rows.rows + rows.filteredOut);
    filteredOut_ += rows.filteredOut;
    return before;
  }
  void writeTo(Manifest& manifest) const {
    // Pieces are left out where no row can pass the filter.
    manifest.filteredOut = filteredOut_ + numbers_.skippedRows();
    for (const Quarantine& quarantine : files_) addQuarantine(quarantine, manifest);
    if (files_.empty()) addQuarantine(Quarantine(source_.fileName()), manifest);
  }

 private:
  const Source& source_;
  LineNumbers numbers_;
  std::int64_t filteredOut_ = 0;
  std::vector<Quarantine> files_;
};

// A direct vocabulary met an id that it has no row for. Rejecting the line would lose every row of
// a user or an item, so the document must say how ids become rows.
Error unfitIdError(const experiment::Dataset& spec, const Source& source, const ImportPlan& plan,
                   const ShapedRows& rows, std::int64_t linesBefore) {
  const UnfitId& unfit = *rows.unfit;
  const PlannedVocabulary& vocabulary = plan.vocabularies[unfit.vocabulary];
  const std::string_view file = rows.piece.file;
  Error error{ErrorCode::kData, "", vocabulary.pointer + "/kind",
              sourcePath(spec, file.empty() ? source.fileName() : std::string(file))};
  error.line = linesBefore + unfit.line + 1;
  error.message = fmt::format(
      "{}: line {}: {} [{}]. Vocabulary \"{}\" is direct, so its ids are its rows; the "
      "kind \"compressed\" with the size \"auto\" accepts any id",
      error.path, *error.line, unfit.reason, unfit.excerpt, vocabulary.spec.name);
  return error;
}

// A row of an unknown part. To leave it out would change the split that others published.
Error wrongPartError(const experiment::Dataset& spec, const Source& source, const ImportPlan& plan,
                     const ShapedRows& rows, std::int64_t linesBefore) {
  const WrongPart& wrong = *rows.wrongPart;
  const std::string_view file = rows.piece.file;
  Error error{ErrorCode::kData, "", "/dataset/split/column",
              sourcePath(spec, file.empty() ? source.fileName() : std::string(file))};
  error.line = linesBefore + wrong.line + 1;
  error.message = fmt::format(
      "{}: line {}: the part \"{}\" in the column \"{}\" [{}]; \"train\", \"validation\" and "
      "\"test\" are accepted. A filter leaves out the rows of other parts",
      error.path, *error.line, wrong.found, plan.partName, wrong.excerpt);
  return error;
}

// Reads the whole source into the writer's columns; fills the manifest's lines.
Status readRows(const experiment::Dataset& spec, Source& source, const ImportPlan& plan,
                const RowSlice& slice, ImportWriter& writer, Manifest& manifest,
                const WorkContext& context) {
  LineCount lines(source);
  TextRows texts;
  const auto take = [&](ShapedRows& rows) -> Status {
    const std::int64_t before = lines.add(rows);
    if (rows.unfit) return unfitIdError(spec, source, plan, rows, before);
    if (rows.wrongPart) return wrongPartError(spec, source, plan, rows, before);
    texts.add(rows);
    return writer.add(rows);
  };
  const RowShaper shaper(source, plan);
  PARAPET_TRY(shapeInOrder(source, shaper, slice, Workers::available(), take, context));
  manifest.rows = writer.rows();
  manifest.warnings = source.warnings();
  lines.writeTo(manifest);
  for (const Quarantine* other : source.quarantines()) addQuarantine(*other, manifest);
  PARAPET_TRY(checkLines(spec, manifest));
  return texts.check(spec, manifest);
}

// The numbers of user and item of every row, as the writer has them on disk.
struct PairColumns {
  MappedFile users, items;
  std::int64_t userCount = 0, itemCount = 0;

  static Result<PairColumns> of(const ImportWriter& writer) {
    const IdColumn& user = writer.columns()[0];
    const IdColumn& item = writer.columns()[1];
    PairColumns pairs;
    PARAPET_ASSIGN(pairs.users, MappedFile::open(user.path()));
    PARAPET_ASSIGN(pairs.items, MappedFile::open(item.path()));
    pairs.userCount = writer.distinctIds(user);
    pairs.itemCount = writer.distinctIds(item);
    return pairs;
  }
  void release(std::int64_t firstRow, std::int64_t lastRow) const {
    for (const MappedFile* file : {&users, &items})
      file->release(static_cast<std::size_t>(firstRow) * sizeof(std::int32_t),
                    static_cast<std::size_t>(lastRow) * sizeof(std::int32_t));
  }
  [[nodiscard]] Status intact() const {
    PARAPET_TRY(users.intact());
    return items.intact();
  }
};

// Leaves the rows of the k-core; none left is an error.
Status keepCore(const experiment::KCore& core, ImportWriter& writer, Manifest& manifest,
                const WorkContext& context) {
  context.report("k-core", 0, 0);
  PARAPET_ASSIGN(const PairColumns pairs, PairColumns::of(writer));
  PARAPET_ASSIGN(const KCoreResult kept,
                 kCore(pairs.users.as<std::int32_t>(), pairs.items.as<std::int32_t>(),
                       pairs.userCount, pairs.itemCount, core, context));
  PARAPET_TRY(pairs.intact());
  if (kept.rows == 0)
    return Error{ErrorCode::kData,
                 fmt::format("no row is left of {}: no users with {} rows and items with {} rows "
                             "hold each other; smaller numbers are accepted",
                             formatCount(manifest.rows), core.user, core.item),
                 "/dataset/k_core"};
  manifest.belowCore = manifest.rows - kept.rows;
  if (manifest.belowCore == 0) return {};
  PARAPET_TRY(writer.keepRows(kept.keep));
  manifest.rows = writer.rows();
  return {};
}

// Rows of a user and an item that are there already.
Result<std::int64_t> repeatedPairs(const ImportWriter& writer) {
  const bool hasPairs = writer.columns().size() > 1 && writer.columns()[1].plan().isRequired();
  if (!hasPairs) return std::int64_t{0};
  PARAPET_ASSIGN(const PairColumns pairs, PairColumns::of(writer));
  const std::int64_t repeated = countRepeatedPairs(
      pairs.users.as<std::int32_t>(), pairs.items.as<std::int32_t>(), pairs.userCount,
      pairs.itemCount,
      [&pairs](std::int64_t first, std::int64_t last) { pairs.release(first, last); });
  PARAPET_TRY(pairs.intact());
  return repeated;
}

// The work after the last row. Pairs are counted while vocabularies are made, which does not
// change the columns of ids.
Status finish(ImportWriter& writer, const Source& source, Manifest& manifest) {
  Result<std::int64_t> repeated = std::int64_t{0};
  Status written;
  {
    const std::jthread counting([&] {
      const ThreadName name("import");
      try {
        repeated = repeatedPairs(writer);
      } catch (const std::exception& failure) {
        repeated = Error{ErrorCode::kInternal, failure.what()};
      }
    });
    written = writer.writeVocabularies(source, manifest);
  }
  PARAPET_TRY(written);
  PARAPET_TRY(repeated);
  if (*repeated > 0)
    manifest.warnings.push_back(fmt::format(
        "{} rows repeat the (user, item) pair of an earlier row", formatCount(*repeated)));
  PARAPET_TRY(writer.finishColumns(manifest));
  return writer.writeEntityColumns(source, manifest);
}

// Imports into a temporary folder and renames it; `folder` must not exist.
Status importInto(const fs::path& folder, const experiment::Dataset& spec, std::string hash,
                  Source& source, ImportPlan& plan, const WorkContext& context,
                  const GeneratorFactory& makeGenerator) {
  PARAPET_TRY(source.readCatalogues(CatalogueExtent::kAll, context));
  PARAPET_TRY(planRanges(plan, source));
  PARAPET_ASSIGN(const RowSlice slice, resolveSlice(spec, context, makeGenerator));
  PARAPET_ASSIGN(ImportWriter writer, ImportWriter::create(folder, plan));
  Manifest manifest;
  manifest.hash = std::move(hash);
  manifest.scale = spec.label.scale;
  PARAPET_TRY(readRows(spec, source, plan, slice, writer, manifest, context));
  PARAPET_TRY(writer.finishRows());
  if (spec.kCore) PARAPET_TRY(keepCore(*spec.kCore, writer, manifest, context));
  context.report("indexing", 0, 0);
  PARAPET_TRY(finish(writer, source, manifest));
  PARAPET_TRY(importVectors(spec, writer.folder(), manifest, context));
  if (context.cancelled()) return importCancelled();
  return writer.commit(manifest);
}

// Why a data set that was there is imported anew.
std::string replacedBy(const fs::path& folder, const Error& error) {
  if (error.code == ErrorCode::kNotFound)
    return fmt::format("the data set {} was written by an older program; it is imported anew",
                       folder.filename().string());
  return fmt::format("the data set {} was damaged; it is imported anew. {}",
                     folder.filename().string(), error.text());
}

// Reports on an open set by its manifest. A set that holds more rejected lines than `spec` accepts is
// refused, for the import that made it may have been more patient.
Result<ImportReport> reportOn(std::shared_ptr<const Dataset> dataset, const fs::path& folder,
                              const experiment::Dataset& spec) {
  PARAPET_ASSIGN(const Manifest manifest, Manifest::read(folder));
  PARAPET_TRY(checkLines(spec, manifest));
  ImportReport report = reportOf(spec, manifest);
  report.dataset = std::move(dataset);
  return report;
}

}  // namespace

Result<ImportReport> importDataset(const experiment::Dataset& spec, const fs::path& datasetsFolder,
                                   const WorkContext& context,
                                   const GeneratorFactory& makeGenerator) {
  const Stopwatch watch;
  PARAPET_TRY(checkImportSettings(spec));
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  PARAPET_ASSIGN(ImportPlan plan, planImport(spec, *source));
  PARAPET_ASSIGN(const std::string hash, importHash(spec, *source, context));
  const fs::path folder = datasetsFolder / hash;

  bool reused = true;
  std::error_code ignored;
  const bool isThere = fs::exists(folder, ignored);
  std::vector<std::string> warnings;
  auto dataset = Dataset::open(folder);
  if (!dataset) {
    reused = false;
    if (dataset.error().code == ErrorCode::kIo) return dataset.error();
    // A folder that was not there before may be another program's by now; one that was there is damaged.
    if (isThere) {
      warnings.push_back(replacedBy(folder, dataset.error()));
      PARAPET_TRY(removeFolder(folder));
    }
    PARAPET_TRY(importInto(folder, spec, hash, *source, plan, context, makeGenerator));
    dataset = Dataset::open(folder);
    if (!dataset) return dataset.error();
  }
  PARAPET_ASSIGN(ImportReport report, reportOn(std::move(dataset).value(), folder, spec));
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  report.reused = reused;
  report.seconds = watch.seconds();
  if (!reused)
    report.rowsPerSecond = static_cast<double>(report.rows) / std::max(report.seconds, 1e-9);
  return report;
}

Result<std::optional<ImportReport>> reuseImport(const experiment::Dataset& spec,
                                                const fs::path& datasetsFolder,
                                                const WorkContext& context,
                                                const GeneratorFactory& makeGenerator) {
  const Stopwatch watch;
  PARAPET_ASSIGN(auto dataset, findImported(spec, datasetsFolder, context, makeGenerator));
  if (!dataset) return std::optional<ImportReport>();
  const fs::path folder = datasetsFolder / dataset->hash();
  PARAPET_ASSIGN(ImportReport report, reportOn(std::move(dataset), folder, spec));
  report.reused = true;
  report.seconds = watch.seconds();
  return std::optional(std::move(report));
}

Result<ImportReport> openImported(const experiment::Dataset& spec, const fs::path& folder) {
  PARAPET_ASSIGN(auto dataset, Dataset::open(folder));
  PARAPET_ASSIGN(ImportReport report, reportOn(std::move(dataset), folder, spec));
  report.reused = true;
  return report;
}

Result<bool> wasReadDifferently(const experiment::Dataset& spec, const std::string& hash,
                                const WorkContext& context, const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  return isOldImportHash(hash, spec, *source, context);
}

Result<std::shared_ptr<const Dataset>> findImported(const experiment::Dataset& spec,
                                                    const fs::path& datasetsFolder,
                                                    const WorkContext& context,
                                                    const GeneratorFactory& makeGenerator) {
  PARAPET_TRY(checkImportSettings(spec));
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  PARAPET_ASSIGN(const std::string hash, importHash(spec, *source, context));
  auto dataset = Dataset::open(datasetsFolder / hash);
  return dataset ? std::move(dataset).value() : std::shared_ptr<const Dataset>{};
}

}  // namespace parapet::data
