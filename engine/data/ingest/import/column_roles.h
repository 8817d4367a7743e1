// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/propose_roles.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A name as names are compared here: lower case (ASCII), without '_', '-', '.' and spaces.
std::string plainName(std::string_view name);

/// The role that a column has by its name in the data sets of this field ("userId", "item_id",
/// "timestamp", …); nullopt for other names. Names are compared as plainName() has them.
std::optional<experiment::ColumnRole> roleOfName(std::string_view name);

/// The role by ordinary words for users and items ("visitor", "reader", "book", "song"), which name
/// a role less surely.
std::optional<experiment::ColumnRole> roleOfWord(std::string_view name);

/// The columns that a document without any has: the first user, item and time column of the source
/// by name. Fewer if the source has none of a role.
std::vector<experiment::Column> standardColumns(std::span<const SourceColumn> source);

/// The columns of the data set: those of the document, or the standard ones of the source.
std::vector<experiment::Column> columnsOf(const experiment::Dataset& spec,
                                          std::span<const SourceColumn> source);

/// "user", "item", "context", "feature", "time" or "number".
const char* roleName(experiment::ColumnRole role);

/// The document with columns, label, weight and vocabularies for a source with these first rows, as
/// `proposals` have them; labels that are ratings get their scale, features whose cells hold "a|b"
/// or "a:0.5|b:1" these separators. What nothing is proposed for is left out. Columns of MovieLens
/// and of generated data are known and stay.
experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview,
                                   std::span<const RoleProposal> proposals);
/// Suggests with what proposeRoles() proposes.
experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview);

/// A column of the source that an import of the document reads.
struct ImportedColumn {
  /// By its name in the source; the type is that of the source, but a number for a text that is used as one: the
  /// row of a text that is none is rejected.
  ColumnRequest request;
  bool isRequired = false;  ///< a row without it is rejected
  bool isTime = false;
  bool isId = false;  ///< of the user or the item
};

/// Each once, in the order of the document; columns that `all` has not are left out.
std::vector<ImportedColumn> importedColumns(const experiment::Dataset& spec,
                                            std::span<const SourceColumn> all);

/// The use that the document makes of a column of the source, or of a derived one: "user", "item",
/// "context", "feature", "time", "number", "label", "weight", or "" for none.
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
