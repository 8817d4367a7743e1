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
/// What was dropped on the window: an experiment file, or a MovieLens folder (or the folder above
/// it), which becomes the recipe whose lists are best there, under the name of the folder.
///
/// Errors   kNotFound, kData: says what was found and what may be dropped.
Result<SourcedDocument> documentOfDrop(const QString& path);
/// What an experiment on other data begins with, under the name of their file; a page of data makes
/// them its own. Of a corpus of texts it is the proposal for it (workspace::proposeExperiment).
///
/// Errors   kNotFound, kData for what is no data.
Result<SourcedDocument> documentForData(const QString& path);
/// The sample on a hundred times the data: long enough to be watched.
Result<SourcedDocument> documentOfWatchedSample();
/// The folder of a MovieLens data set: `folder` itself, or one inside it; "" if neither.
QString movieLensFolder(const QString& folder);

}  // namespace parapet::ui
