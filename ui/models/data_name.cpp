// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/data_name.h"

#include <QDir>
#include <QFileInfo>
#include <string_view>

#include "engine/experiment/experiment_name.h"

namespace parapet::ui {
namespace {

/// "clicks" and "clicks-2" come from "clicks".
bool comesFrom(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return false;
  const std::string_view rest = name.substr(base.size());
  return rest.empty() || (rest.size() > 1 && rest.front() == '-' &&
                          rest.find_first_not_of("0123456789", 1) == rest.npos);
}

}  // namespace

std::string nameOfData(const QString& path) {
  const QFileInfo info(QDir::cleanPath(path));
  const QString name = info.isDir() ? info.fileName() : info.fileName().section('.', 0, 0);
  return experiment::experimentNameFrom(name.toStdString());
}

bool isNameOfData(const std::string& name, const QString& path) {
  return !path.isEmpty() && comesFrom(name, nameOfData(path));
}

bool isProposedName(const std::string& name, const QString& origin, const QString& path) {
  // An origin with a folder is a document, which has the name that a person gave it.
  const bool isFile = origin.isEmpty() || origin.contains(QLatin1Char('/'));
  return isNameOfData(name, path) ||
         (!isFile && (comesFrom(name, origin.toStdString()) || isNameOfData(name, origin)));
}

}  // namespace parapet::ui
