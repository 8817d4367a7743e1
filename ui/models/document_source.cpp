// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_source.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/experiment/experiment.h"
#include "engine/workspace/proposal.h"
#include "engine/workspace/source_questions.h"
#include "ui/models/document_names.h"

namespace parapet::ui {
namespace {

// Whose lists beat the most popular items, not the one that shows a published loss again.
constexpr const char* kMovieLensRecipe = "movielens-retrieval-learned";

/// Only the ids of 100K are rows as they stand.
bool is100K(const nlohmann::json& document) {
  const auto& vocabularies = document.at("dataset").at("vocabularies");
  return std::ranges::all_of(vocabularies, [](const nlohmann::json& vocabulary) {
    return vocabulary.value("kind", "") == "direct";
  });
}

}  // namespace

QString movieLensFolder(const QString& folder) {
  const auto found = workspace::detectSource(folder.toStdString());
  return found && found->source == experiment::SourceKind::kMovielens
             ? QString::fromStdString(*found->path)
             : QString();
}

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

Result<SourcedDocument> documentOfDrop(const QString& path) {
  const QFileInfo info(path);
  if (!info.isDir()) return documentOfFile(path);
  const QString data = movieLensFolder(path);
  if (data.isEmpty())
    return Error{.code = ErrorCode::kData,
                 .message = path.toStdString() +
                            " holds no MovieLens data set; drop a folder with u.data, "
                            "ratings.dat or ratings.csv, or an experiment (a .json file)",
                 .path = path.toStdString()};
  PARAPET_ASSIGN(SourcedDocument found,
                 documentOfRecipe(QString::fromLatin1(kMovieLensRecipe), data));
  found.document["name"] = nameOfData(data);
  // The rate of the recipe falls over the steps of 100K.
  if (!is100K(found.document)) found.document["schedule"] = {{"kind", "constant"}};
  return found;
}

Result<SourcedDocument> documentForData(const QString& path) {
  PARAPET_ASSIGN(const auto source, workspace::detectSource(path.toStdString()));
  SourcedDocument found;
  if (source.isText()) {
    PARAPET_ASSIGN(const auto proposal, workspace::proposeExperiment(path.toStdString(), {}));
    found.document = nlohmann::json(experiment::toJson(proposal.experiment));
  } else {
    PARAPET_ASSIGN(found, documentOfRecipe(QStringLiteral("sample"), {}));
  }
  found.document["name"] = nameOfData(path);
  // What stands beside the name is what was dropped, not what the document was begun with.
  found.origin = QFileInfo(QDir::cleanPath(path)).fileName();
  return found;
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
