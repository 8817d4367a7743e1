// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Names that a place of the document may hold because another place has them: a feature's table
/// is one of the tables. nullopt where a place holds no such name.
std::optional<QStringList> namesAt(const ExperimentEditor& editor, const QString& pointer);

/// What null is called where it stands for something, "(numbers)" for a feature without a table; ""
/// elsewhere.
QString absentWord(const QString& pointer);

/// Columns of the data set that a feature can read: those with ids, then those with numbers.
QStringList readableColumns(const experiment::Experiment& experiment);
/// Columns of numbers.
QStringList numberColumns(const experiment::Experiment& experiment);

}  // namespace parapet::ui
