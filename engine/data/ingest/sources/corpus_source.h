// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/text/word_piece.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A file of a corpus, and to which part of the split its lines belong.
struct CorpusFile {
  std::string path;
  std::string name;                             ///< in its folder, for messages
  std::optional<experiment::SplitPart> part{};  ///< null: the split is not by files
  /// > 0: so many lines at the start train, whatever `part` says of the others.
  std::int64_t trainingLines = 0;
  std::string archive{};  ///< zip that holds `name`; "": the path is a file of its own
};

/// Opens the lines of a file, from the first.
Result<std::unique_ptr<TextInput>> openCorpusFile(const CorpusFile& file);

/// The files of a corpus, those of training first.
struct CorpusFiles {
  std::vector<CorpusFile> files;
  std::vector<std::string> warnings{};
};

/// Finds the files of a data set of texts: those that the split names, the file of the path, or the
/// files of its folder or zip archive: wiki.{train,valid,test}.{tokens,raw} or
/// {train,valid,test}.txt, of which the first that is there is taken. A folder may have any of them
/// as .gz or .zst; where a file is there both ways the plain one is read, which is a warning.
///
/// Without a file of training lines the first 90 % of the lines of the validation file, or of the
/// only file, train and the others validate, which is a warning.
/// Errors   InvalidDocument at /dataset/path; Data with the path of a file that is not there, or a
///          folder without such files; those of reading a file whose lines are counted.
Result<CorpusFiles> findCorpus(const experiment::Dataset& spec);

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
