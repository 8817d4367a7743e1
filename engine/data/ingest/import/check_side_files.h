// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Columns of a table that a document names beside its data; of a NumPy array those of its ids.
///
/// Errors   kData or kIo for a file that is not there or no table.
Result<std::vector<SourceColumn>> sideFileColumns(
    const experiment::Dataset& spec, const std::string& path,
    const std::optional<experiment::TextFormat>& format = std::nullopt);

/// The errors that an import would report about the files that the document names beside its data,
/// before it reads their lines: those that are not there, and columns that they have not. At most
/// one for an entry, at its pointer.
std::vector<Error> checkSideFiles(const experiment::Dataset& spec,
                                  const GeneratorFactory& makeGenerator);

/// How a document names a file beside its data: by its name if it lies in their folder, else by its
/// whole path.
std::string sideFileName(const experiment::Dataset& spec, const std::filesystem::path& file);

/// The pretrained embeddings that a file would be: ids of items unless a name tells users, and the
/// column of vectors where several lists could be meant.
///
/// Errors   those of sideFileColumns.
Result<experiment::PretrainedEmbeddings> proposeVectors(const experiment::Dataset& spec,
                                                        const std::filesystem::path& file);

/// Why an import would end before it reads a row, though the document names its data: files of the
/// parts that are not there, and for texts a vocabulary of pieces that cannot be read. Each at the
/// pointer of its setting.
std::vector<Error> missingFiles(const experiment::Dataset& spec);

}  // namespace parapet::data
