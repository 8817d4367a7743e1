// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/propose_roles.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The source that a file or folder is, by its content: a MovieLens folder or zip, Parquet, a
/// corpus of texts (corpusAt), or lines of text (.gz too). Only `source` and `path` are set, and
/// what MovieLens and texts are known to have.
///
/// Errors   kNotFound if there is nothing; kData for what is no data (an experiment, a picture, a
///          folder with several files), with what was found and what may be chosen.
Result<experiment::Dataset> detectSource(const std::filesystem::path& path);

/// The document with columns, label, weight and vocabularies for a source with these first rows, as
/// `proposals` have them; labels that are ratings get their scale, features whose cells hold "a|b"
/// or "a:0.5|b:1" these separators. What nothing is proposed for is left out. Columns of MovieLens
/// and of generated data are known and stay.
experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview,
                                   std::span<const RoleProposal> proposals);
/// Suggests with what proposeRoles() proposes.
experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview);

/// What the document uses a column of the source (or a derived one) as: "user", "item", "context",
/// "feature", "time", "number", "label", "weight", or "" for nothing.
std::string useOfColumn(const experiment::Dataset& spec, std::span<const SourceColumn> columns,
                        std::string_view name);

/// The uses of all columns that have one, by their names.
std::map<std::string, std::string, std::less<>> usesOfColumns(
    const experiment::Dataset& spec, std::span<const SourceColumn> columns);

/// The document with another use of a column: an entry of `columns` is made, changed or removed,
/// with its vocabulary; label and weight name it or no longer do. The only user, item or time
/// before it loses its use. InvalidArgument for a word that is no use.
experiment::Dataset withUse(experiment::Dataset spec, std::span<const SourceColumn> columns,
                            std::string_view name, std::string_view use);

}  // namespace parapet::data
