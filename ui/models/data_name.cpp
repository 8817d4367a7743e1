// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/data_name.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <string_view>

#include "engine/experiment/experiment.h"
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

bool isProposedName(const std::string& name, const QString& path) {
  return isNameOfData(name, path) ||
         std::ranges::any_of(experiment::recipes(), [&](const experiment::Recipe& recipe) {
           return comesFrom(name, recipe.name);
         });
}

}  // namespace parapet::ui
