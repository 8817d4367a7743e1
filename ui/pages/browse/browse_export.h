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
///   held_out_hit,seen_in_training
///
/// Users without lists are left out; the second model's lines follow the first's for each user.
std::string listsAsCsv(const std::vector<ColumnAnswer>& answers, const ModelNames& names);
/// The same as a JSON array with one object a list: `{user, run, step, …, items: […]}`.
std::string listsAsJson(const std::vector<ColumnAnswer>& answers, const ModelNames& names);
/// The same for the clipboard, parted by tabs.
QString listsAsTsv(const std::vector<ColumnAnswer>& answers, const ModelNames& names);

}  // namespace parapet::ui
