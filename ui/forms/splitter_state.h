// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>
#include <nlohmann/json.hpp>

namespace parapet::ui {

/// Sizes of the parts of a splitter, for a page to remember.
nlohmann::json splitterState(const QSplitter& splitter);
/// Sets them again; what is no list of as many integers is ignored.
void restoreSplitter(QSplitter& splitter, const nlohmann::json& pageState);

}  // namespace parapet::ui
