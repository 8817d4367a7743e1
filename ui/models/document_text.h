// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>

#include "ui/models/document_schema.h"

namespace parapet::ui {

// Numbers of bytes as a user reads and types them: one, or a list with a number for each device.

/// "2 GiB" where that is exact, else the number as it is; a list with commas, in brackets if it has
/// one entry, so that it stays one when it is typed again.
QString shownBytes(const nlohmann::ordered_json& value);
/// "2 GiB, 512 MiB" as [2147483648, 536870912]; nothing typed is null. Units are B, KiB, MiB, GiB, TiB
/// and kB, MB, GB, TB, with or without a blank before them. What does not fit stays a text, so that
/// the document shows the problem where it was typed.
nlohmann::json typedBytes(const QString& text);

// Values of a document as a user reads and types them. Numbers are of the C locale, always.

/// A text as it is, a number as JSON has it, null as "", a list with commas, an object as its JSON.
QString shownValue(const nlohmann::ordered_json& value);
/// One line for settings: "uniform −0.05 … 0.05", "adam, rate 0.001", "experiment's" for null.
QString shownSettings(const nlohmann::ordered_json& value);
/// "20000" as "20,000", from five digits on; what is no whole number stays as it is.
QString groupedDigits(const QString& text);
/// The reverse.
QString plainDigits(const QString& text);

/// The typed text as a value of the field's type. A text that does not fit stays one, so that the
/// document shows the problem where it was typed; nothing typed is null where that is accepted.
nlohmann::json typedValue(const QString& text, const FieldInfo& info);

}  // namespace parapet::ui
