// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_source.h"

#include <QDir>
#include <QFileInfo>

#include "engine/base/files.h"
#include "engine/experiment/experiment.h"

namespace parapet::ui {
namespace {

constexpr const char* kMovieLensRecipe = "movielens-retrieval";

}  // namespace

QString movieLensFolder(const QString& folder) {
  for (const QString& candidate : {folder, QDir(folder).filePath(QStringLiteral("ml-100k"))})
    if (QFileInfo::exists(QDir(candidate).filePath(QStringLiteral("u.data"))))
      return QFileInfo(candidate).absoluteFilePath();
  return {};
}

Result<SourcedDocument> documentOfRecipe(const QString& name, const QString& dataFolder) {
  PARAPET_ASSIGN(const experiment::Recipe recipe, experiment::findRecipe(name.toStdString()));
  PARAPET_ASSIGN(nlohmann::json document, experiment::parseJson(recipe.text, recipe.name));
  if (recipe.needsData && !dataFolder.isEmpty())
    document["dataset"]["path"] = QFileInfo(dataFolder).absoluteFilePath().toStdString();
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
                            " holds no u.data; drop the folder ml-100k of MovieLens 100K, or an "
                            "experiment (a .json file)",
                 .path = path.toStdString()};
  return documentOfRecipe(QString::fromLatin1(kMovieLensRecipe), data);
}

}  // namespace parapet::ui
