// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>

namespace parapet::ui {

// Numbers of bytes as a user reads and types them: one, or a list with a number for each device.

/// "2 GiB" where that is exact, else the number as it is; a list with commas, in brackets if it has
/// one entry, so that it stays one when it is typed again.
QString shownBytes(const nlohmann::ordered_json& value);
/// "2 GiB, 512 MiB" as [2147483648, 536870912]; nothing typed is null. Units are B, KiB, MiB, GiB, TiB
/// and kB, MB, GB, TB, with or without a blank before them. What does not fit stays a text, so that
/// the document shows the problem where it was typed.
nlohmann::json typedBytes(const QString& text);

}  // namespace parapet::ui
