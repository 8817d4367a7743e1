// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/text_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_files.h"

namespace parapet::data {
namespace {

using experiment::SplitPart;

// Why no line of a file is a row.
std::string reasonOfNoRow(const experiment::Dataset& spec, const Manifest& manifest,
                          const CorpusFile& file) {
  const auto counted = std::ranges::find(manifest.sources, file.name, &Manifest::Source::file);
  if (counted != manifest.sources.end() && counted->good > 0)
    return fmt::format("has {} lines of text, and {}", formatCount(counted->good),
                       manifest.filteredOut > 0 ? "min_bytes or the filter leaves out all of them"
                                                : "all of them train");
  if (spec.slice) return fmt::format("has no line of text in the slice {}", *spec.slice);
  return "has no line of text";
}

}  // namespace

std::string truncationWarning(std::int64_t sequences, const experiment::Dataset& spec) {
  return fmt::format("{} sequences were truncated to {} pieces", formatCount(sequences),
                     spec.text->maxLength);
}

void TextRows::add(const ShapedRows& rows) {
  for (const std::uint8_t part : rows.parts) ++rowsOf_[part];
  for (std::size_t row = 0; row < rows.block.truncated.size(); ++row)
    truncated_ += rows.keep[row] & rows.block.truncated[row];
}

Status TextRows::check(const experiment::Dataset& spec, Manifest& manifest) const {
  if (!spec.isText()) return {};
  if (truncated_ > 0) manifest.warnings.push_back(truncationWarning(truncated_, spec));
  if (spec.split.kind != experiment::SplitKind::kFiles) return {};
  const auto rowsOf = [this](SplitPart part) { return rowsOf_[static_cast<std::size_t>(part)]; };
  if (rowsOf(SplitPart::kTrain) > 0 && rowsOf(SplitPart::kValidation) > 0) return {};
  PARAPET_ASSIGN(const CorpusFiles corpus, findCorpus(spec));
  for (const CorpusFile& file : corpus.files) {
    const bool trains = file.part == SplitPart::kTrain || file.trainingLines > 0;
    if (trains && rowsOf(SplitPart::kTrain) == 0)
      return Error{ErrorCode::kData,
                   fmt::format("{} {}; at least one row is needed for training", file.path,
                               reasonOfNoRow(spec, manifest, file)),
                   spec.slice             ? "/dataset/slice"
                   : spec.split.trainFile ? "/dataset/split/train"
                                          : "/dataset/path",
                   file.path};
    if (file.part == SplitPart::kValidation && rowsOf(SplitPart::kValidation) == 0)
      manifest.warnings.push_back(
          fmt::format("there is no validation row, so no loss of validation is measured: {} {}",
                      file.name, reasonOfNoRow(spec, manifest, file)));
  }
  return {};
}

}  // namespace parapet::data
