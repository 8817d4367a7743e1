// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/train_pieces.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {
namespace {

// Gives the first `limit` lines of a file to the trainer.
Status addFile(const CorpusFile& file, std::int64_t limit, PieceTrainer& trainer,
               TrainedPieces& trained, const WorkContext& context) {
  PARAPET_ASSIGN(const auto input, openCorpusFile(file));
  Source::Piece piece;
  for (std::int64_t lines = 0; lines < limit;) {
    if (context.cancelled()) return importCancelled();
    PARAPET_ASSIGN(const bool more, input->next(piece));
    if (!more) break;
    const std::int64_t before = lines;
    if (piece.longLineBytes > 0) {
      ++lines;
      ++trained.rejected;
    } else {
      for (std::string_view rest = piece.text; !rest.empty() && lines < limit; ++lines) {
        const std::string_view line = takeLine(rest);
        if (reasonAgainstLine(line, TextEncoding::kUtf8).empty())
          trainer.add(line);
        else
          ++trained.rejected;
      }
    }
    trained.lines += lines - before;
    context.report("counting words", input->done(), input->total());
  }
  return {};
}

}  // namespace

std::string TrainedPieces::text() const {
  return join(pieces, "\n") + "\n";
}

Result<TrainedPieces> trainPieces(const std::filesystem::path& corpus,
                                  const PieceTraining& training, const WorkContext& context) {
  const Stopwatch watch;
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kText;
  spec.path = corpus.string();
  std::error_code ignored;
  if (!std::filesystem::exists(corpus, ignored))
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{} does not exist; a file of text, or a folder, is accepted", corpus.string()),
        "", corpus.string()};
  const bool hasParts = std::filesystem::is_directory(corpus, ignored) || ZipArchive::isZip(corpus);
  spec.split.kind = hasParts ? experiment::SplitKind::kFiles : experiment::SplitKind::kRandom;
  auto found = findCorpus(spec);
  if (!found) {
    Error error = found.error();
    error.pointer.clear();  // there is no document
    return error;
  }
  CorpusFiles files = std::move(*found);
  TrainedPieces trained;
  trained.warnings = std::move(files.warnings);
  PieceTrainer trainer(training);
  for (const CorpusFile& file : files.files) {
    const bool trains = !hasParts || file.part == experiment::SplitPart::kTrain;
    const std::int64_t limit =
        trains ? std::numeric_limits<std::int64_t>::max() : file.trainingLines;
    PARAPET_TRY(addFile(file, limit, trainer, trained, context));
  }
  if (trained.rejected > 0)
    trained.warnings.push_back(fmt::format("{} of {} lines are not text in UTF-8 and left out",
                                           formatCount(trained.rejected),
                                           formatCount(trained.lines)));
  trained.words = trainer.words();
  PARAPET_ASSIGN(trained.pieces, trainer.train(context));
  if (std::ssize(trained.pieces) < training.size)
    trained.warnings.push_back(fmt::format(
        "the vocabulary has {} tokens, not {}: no other pair occurs {} times",
        formatCount(std::ssize(trained.pieces)), formatCount(training.size), training.minCount));
  trained.seconds = watch.seconds();
  return trained;
}

}  // namespace parapet::data
