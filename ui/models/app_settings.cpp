// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/app_settings.h"

#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

constexpr int kSettingsVersion = 1;

}  // namespace

AppSettings::AppSettings(const std::filesystem::path& folder, QObject* parent)
    : QObject(parent), file_(folder / "settings.json", kSettingsVersion) {
  const nlohmann::json saved = file_.load();
  if (const auto theme = saved.find("theme"); theme != saved.end() && theme->is_string())
    theme_ = QString::fromStdString(theme->get<std::string>());
}

QString AppSettings::warning() const {
  return shownText(file_.warning());
}

void AppSettings::setTheme(const QString& name) {
  if (theme_ == name) return;
  theme_ = name;
  save();
}

void AppSettings::save() {
  nlohmann::json object;
  object["theme"] = theme_.toStdString();
  if (const Status saved = file_.save(std::move(object)); !saved.ok())
    emit failed(shownText(saved.error().text()));
}

}  // namespace parapet::ui
