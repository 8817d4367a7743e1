// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace parapet::ui {

/// A document to edit and where it came from, as the terminal would name it.
struct SourcedDocument {
  nlohmann::json document;
  QString origin;  ///< recipe name, file of an experiment, or the name of data without their folder
};

/// A recipe by name. `dataFolder`, if not empty and the recipe needs data, becomes its data, as
/// workspace::chooseDataOf does.
///
/// Errors   kNotFound; kData for data of another kind (workspace::requireDataOf).
Result<SourcedDocument> documentOfRecipe(const QString& name, const QString& dataFolder);
/// A file that holds an experiment.
Result<SourcedDocument> documentOfFile(const QString& file);
/// DOC of a command line: a file that is there, else a recipe.
Result<SourcedDocument> documentOf(const QString& fileOrRecipe, const QString& dataFolder);
/// The sample on a hundred times the data: long enough to be watched.
Result<SourcedDocument> documentOfWatchedSample();

}  // namespace parapet::ui
