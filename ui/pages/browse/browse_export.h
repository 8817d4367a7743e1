// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "ui/pages/browse/user_column.h"

namespace parapet::ui {

/// The lists shown, one line an item, ids and exact scores:
///
///   user,run,step,data,candidates,seen,rank,id,title,score,popularity,popularity_percentile,
///   held_out_hit,seen_in_training,column,context,given,rank_in_column_1
///
/// `context` is "name=value;…", `given` names those that a person chose. Columns without a list are
/// left out; `rank_in_column_1` is empty for what the first column's list does not have.
std::string listsAsCsv(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen);
/// The lists as a JSON array with one object a list: `{user, run, step, …, items: […]}`.
std::string listsAsJson(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen);
/// The lists for the clipboard, parted by tabs.
QString listsAsTsv(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen);

}  // namespace parapet::ui
