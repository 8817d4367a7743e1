// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Whether a name is that of the data at `path`, perhaps with a number.
bool isNameOfData(const std::string& name, const QString& path);
/// Whether a new document has the name that it was given with its origin, a recipe or data, or that of its data
/// at `path` ("" if there are none), perhaps with a number.
bool isProposedName(const std::string& name, const QString& origin, const QString& path);

/// Names that a field of the document may hold because another field defines them: a feature's
/// table is one of the tables. nullopt where a field holds no such name.
std::optional<QStringList> namesAt(const ExperimentEditor& editor, const QString& pointer);

/// The word for null where it stands for something, "(numbers)" for a dense feature; ""
/// elsewhere.
QString absentWord(const QString& pointer);

/// Columns of the data set that a feature can read: those with ids, then dense ones.
QStringList readableColumns(const experiment::Experiment& experiment);
/// Dense columns.
QStringList denseColumns(const experiment::Experiment& experiment);

}  // namespace parapet::ui
