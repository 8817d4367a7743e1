// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The source that a file or folder is, by its content: a MovieLens folder or zip, Parquet, a
/// corpus of texts (corpusAt), or lines of text (packed ones too). Only `source` and `path` are set,
/// what MovieLens and texts are known to have, and the split of a folder with a file of training and one
/// of validation or test rows.
///
/// Errors   kNotFound if there is nothing; kData for what is no data (an experiment, a picture, a
///          folder with several files), with what was found and what may be chosen.
Result<experiment::Dataset> detectSource(const std::filesystem::path& path);

/// The corpus of texts at `path`, with the vocabulary of pieces that lies beside it ("" if none
/// does); nullopt if it is none. A corpus is a folder or a zip archive with the files of one
/// (findCorpus), or a file of sentences; .txt files of either are looked at, since tables are
/// called so, too.
std::optional<experiment::Dataset> corpusAt(const std::filesystem::path& path);

/// Why the texts of a folder are none where corpusAt() finds no corpus though one of its files is
/// named as those of a corpus are: what is wrong with that file; nullopt where none is, or it is a
/// table.
std::optional<Error> wrongFileOfCorpus(const std::filesystem::path& folder);

/// Whether the first bytes of a file are sentences: lines of several words, mostly letters, that no
/// delimiter cuts into the same number of fields.
bool looksLikeSentences(std::string_view head);

/// Refuses texts for a document that reads rows, and rows for one that reads texts. Ok where they
/// fit, and where `path` is no data, which the import tells.
Status requireKindOfData(const experiment::Dataset& wanted, const std::filesystem::path& path);

/// The error of texts that were chosen for rows.
Error textsForRows(const std::filesystem::path& path);

}  // namespace parapet::data
