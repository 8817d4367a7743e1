// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/movielens.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source_kinds.h"

namespace parapet::data {
namespace {

Result<std::unique_ptr<Source>> openRows(const experiment::Dataset& spec,
                                         const GeneratorFactory& makeGenerator) {
  if (spec.isText()) return openCorpus(spec);
  if (spec.split.kind == experiment::SplitKind::kFiles)
    return openSplitFiles(spec, [&makeGenerator](const experiment::Dataset& part) {
      return openRows(part, makeGenerator);
    });
  if (spec.source == experiment::SourceKind::kGenerated)
    return openGeneratedSource(spec, makeGenerator);
  if (!spec.path || spec.path->empty())
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("source \"{}\" needs the path of its data; set it in the document or "
                             "pass `--data PATH`",
                             experiment::sourceName(spec.source)),
                 "/dataset/path"};
  PARAPET_TRY(requireFileOrFolder(*spec.path, "/dataset/path"));
  if (spec.source == experiment::SourceKind::kMovielens) return openMovielensSource(spec);
  if (spec.source == experiment::SourceKind::kCsv) return openCsvSource(spec);
  if (spec.source == experiment::SourceKind::kJson) return openJsonSource(spec);
  return openParquetSource(spec);
}

}  // namespace

Result<std::unique_ptr<Source>> openSource(const experiment::Dataset& spec,
                                           const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(auto rows, openRows(spec, makeGenerator));
  PARAPET_ASSIGN(auto joined, joinCatalogues(std::move(rows), spec));
  return readTimes(std::move(joined), spec);
}

void Quarantine::add(std::int64_t lineNumber, std::string reason, std::string_view line) {
  addShown(lineNumber, std::move(reason), lines_.size() < kKept ? printable(line) : std::string());
}

void Quarantine::addShown(std::int64_t lineNumber, std::string reason, std::string excerpt,
                          std::string pointer) {
  ++rejected_;
  if (lines_.size() < kKept)
    lines_.push_back({lineNumber, std::move(reason), std::move(excerpt), std::move(pointer)});
}

LineNumbers::LineNumbers(const Source& source) : source_(source), lines_(source.linesBefore()) {}

std::int64_t LineNumbers::before(const Source::Piece& piece, std::int64_t lines) {
  if (piece.file != file_) {
    file_ = piece.file;
    lines_ = source_.linesBefore();
  }
  if (piece.count > 0) {
    const std::int64_t skipped = piece.first - rowsSeen_;
    lines_ += skipped;
    skippedRows_ += skipped;
    rowsSeen_ = piece.first + piece.count;
  }
  const std::int64_t before = lines_;
  lines_ += lines;
  return before;
}

std::int64_t LineNumbers::skippedRows() const {
  return skippedRows_ + (rowsSeen_ > 0 ? source_.done() - rowsSeen_ : 0);
}

}  // namespace parapet::data
