// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

namespace parapet::ui {

/// The name of an experiment on the data at `path`: that of the folder or file, as a name.
std::string nameOfData(const QString& path);
/// Whether a name is that of the data at `path`, perhaps with a number.
bool isNameOfData(const std::string& name, const QString& path);
/// Whether a new document has the name that it was given with its origin, a recipe or data, or that of its data
/// at `path` ("" if there are none), perhaps with a number.
bool isProposedName(const std::string& name, const QString& origin, const QString& path);

}  // namespace parapet::ui
