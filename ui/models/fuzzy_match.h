// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace parapet::ui {

/// How well a text answers what was typed: every letter of `typed` must occur in `text` in order,
/// without regard to case; spaces in `typed` are skipped. Letters that begin words or follow each
/// other count more, so "expc" finds "Export the curves…" before "Expand all pictures".
///
/// Returns   higher is better; 0 for nothing typed; nullopt if it does not match.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

}  // namespace parapet::ui
