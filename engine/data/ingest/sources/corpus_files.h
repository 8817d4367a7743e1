// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/experiment/document.h"
#include "engine/experiment/split_part.h"

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
/// as .gz; where a file is there both ways the plain one is read, which is a warning.
///
/// Without a file of training lines the first 90 % of the lines of the validation file, or of the
/// only file, train and the others validate, which is a warning.
/// Errors   InvalidDocument at /dataset/path; Data with the path of a file that is not there, or a
///          folder without such files; those of reading a file whose lines are counted.
Result<CorpusFiles> findCorpus(const experiment::Dataset& spec);

}  // namespace parapet::data
