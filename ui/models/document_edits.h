// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace parapet::ui {

/// A completed document without the settings that stand at their default: what is left means the
/// same. Kinds and sources stay, and so does what one of `kept` points at or into.
nlohmann::ordered_json withoutDefaults(const nlohmann::ordered_json& document,
                                       const QStringList& kept);

/// JSON pointer to line (from 1) for every value of a JSON text. Of a text that is no JSON, the
/// values before the fault.
QHash<QString, int> jsonLocations(const QString& text);

/// The line of a pointer, or of the nearest value around it that the text has.
int lineOf(const QHash<QString, int>& lines, QString pointer);

// Pure changes of experiment documents.

/// The document with every default filled in, keys in canonical order. What is wrong in it (values,
/// unknown keys) stays as it is, so that it can be shown and fixed.
nlohmann::ordered_json completed(const nlohmann::ordered_json& document);

/// The value at a pointer, or null pointer.
const nlohmann::ordered_json* find(const nlohmann::ordered_json& document, const QString& pointer);

/// Sets a value; missing parents are made, parents of the wrong type are replaced. A change of a
/// selector ("kind", "source") drops the settings of other kinds, and those that stood at the
/// default of the old kind. InvalidArgument if `pointer` is no JSON pointer.
void assign(nlohmann::ordered_json& document, const QString& pointer,
            const nlohmann::ordered_json& value);

/// Array elements. The index is clamped to the array; a missing array is made.
void insertAt(nlohmann::ordered_json& document, const QString& arrayPointer, int index,
              const nlohmann::ordered_json& value);
/// Does nothing if there is no such element.
void removeAt(nlohmann::ordered_json& document, const QString& arrayPointer, int index);
/// The element at `from` stands at `to` afterwards. Does nothing if either is not in the array.
void moveAt(nlohmann::ordered_json& document, const QString& arrayPointer, int from, int to);

/// "/tables" and 2 give "/tables/2".
QString elementPointer(const QString& arrayPointer, int index);

/// The text of a document: two spaces of indent.
QString textOf(const nlohmann::ordered_json& document);

}  // namespace parapet::ui
