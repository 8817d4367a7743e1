// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/text/word_piece.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Columns of a corpus.
struct CorpusColumns {
  static constexpr const char* kText = "text";      ///< the line
  static constexpr const char* kPieces = "pieces";  ///< the pieces of the line, as texts
  static constexpr const char* kBytes = "bytes";    ///< of the line, its end aside
};

/// The vocabulary of a data set of texts and its encoder.
///
/// Errors   those of findSideFile and PieceVocabulary::read, at /dataset/text/vocabulary;
///          InvalidDocument where the file is not there, or no vocabulary.
Result<PieceVocabulary> openPieces(const experiment::Dataset& spec);
Result<WordPiece> openWordPiece(const experiment::Dataset& spec);

/// Opens files of text whose lines are rows: columns `text`, `pieces`, `bytes` and `tokens`, the
/// ids of [CLS], the pieces and [SEP]. Lines without a piece are no rows, as blank lines of tables
/// are.
Result<std::unique_ptr<Source>> openCorpus(const experiment::Dataset& spec);

/// Opens the lines as they are, for which no vocabulary is needed: columns `text` and `bytes`.
Result<std::unique_ptr<Source>> openLines(const experiment::Dataset& spec);

/// The filter of a document, and of a data set of texts also that of /dataset/text/min_bytes.
std::optional<std::string> filterOf(const experiment::Dataset& spec);

}  // namespace parapet::data
