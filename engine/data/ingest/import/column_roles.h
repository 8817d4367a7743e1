// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/dataset/row_block.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A name as names are compared here: lower case (ASCII), without '_', '-' and spaces.
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

}  // namespace parapet::data
