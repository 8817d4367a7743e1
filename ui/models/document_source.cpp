// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_source.h"

#include <QFileInfo>

#include "engine/base/files.h"
#include "engine/experiment/experiment.h"
#include "engine/workspace/source_questions.h"

namespace parapet::ui {

Result<SourcedDocument> documentOfRecipe(const QString& name, const QString& dataFolder) {
  PARAPET_ASSIGN(const experiment::Recipe recipe, experiment::findRecipe(name.toStdString()));
  PARAPET_ASSIGN(nlohmann::json document, experiment::parseJson(recipe.text, recipe.name));
  if (!recipe.needsData || dataFolder.isEmpty()) return SourcedDocument{std::move(document), name};
  const std::string path = QFileInfo(dataFolder).absoluteFilePath().toStdString();
  // Data of another kind would leave a document of problems. What is not there the import tells.
  if (QFileInfo::exists(dataFolder))
    PARAPET_TRY(workspace::requireDataOf(experiment::parse(document).experiment.dataset, path));
  workspace::chooseDataOf(document, path, workspace::OtherColumns::kSuggest);
  return SourcedDocument{std::move(document), name};
}

Result<SourcedDocument> documentOfFile(const QString& file) {
  const std::string path = QFileInfo(file).absoluteFilePath().toStdString();
  PARAPET_ASSIGN(const std::string text, readFile(path));
  PARAPET_ASSIGN(nlohmann::json document, experiment::parseJson(text, path));
  if (!document.is_object() || !document.contains("parapet"))
    return Error{.code = ErrorCode::kInvalidDocument,
                 .message = path +
                            " is no experiment; an experiment is a JSON object with "
                            "\"parapet\": 1",
                 .path = path};
  return SourcedDocument{std::move(document), QString::fromStdString(path)};
}

Result<SourcedDocument> documentOf(const QString& fileOrRecipe, const QString& dataFolder) {
  const QFileInfo info(fileOrRecipe);
  if (info.isFile()) return documentOfFile(fileOrRecipe);
  auto recipe = documentOfRecipe(fileOrRecipe, dataFolder);
  if (recipe || !fileOrRecipe.contains(QLatin1Char('/'))) return recipe;
  return Error{.code = ErrorCode::kNotFound,
               .message = fileOrRecipe.toStdString() + ": no such file, and no recipe of that name",
               .path = fileOrRecipe.toStdString()};
}

Result<SourcedDocument> documentOfWatchedSample() {
  PARAPET_ASSIGN(SourcedDocument sample, documentOfRecipe(QStringLiteral("sample"), {}));
  nlohmann::json& document = sample.document;
  document["name"] = "watch-sample";
  nlohmann::json& generator = document["dataset"]["generator"];
  generator["users"] = 20'000;
  generator["items"] = 2'000;
  generator["events"] = 2'000'000;
  document["optimizer"]["learning_rate"] = 0.1;
  document["training"]["epochs"] = 60;
  return sample;
}

}  // namespace parapet::ui
