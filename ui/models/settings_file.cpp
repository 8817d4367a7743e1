// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/settings_file.h"

#include <fmt/format.h>

#include <system_error>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/experiment/experiment.h"

namespace parapet::ui {

SettingsFile::SettingsFile(std::filesystem::path path, int version)
    : path_(std::move(path)), version_(version) {}

nlohmann::json SettingsFile::load() {
  warning_.clear();
  std::error_code refused;
  if (!std::filesystem::exists(path_, refused)) return nlohmann::json::object();
  const auto text = readFile(path_);
  if (!text) {
    setAside(text.error().text());
    return nlohmann::json::object();
  }
  auto object = experiment::parseJson(*text);
  if (!object) {
    setAside(object.error().message);
    return nlohmann::json::object();
  }
  const auto version = object->is_object() ? object->find("version") : object->end();
  if (!object->is_object() || version == object->end() || !version->is_number_integer()) {
    setAside("it is no object with a \"version\"");
    return nlohmann::json::object();
  }
  if (version->get<int>() > version_) {
    setAside(fmt::format("it has version {}; this program knows up to {}", version->get<int>(),
                         version_));
    return nlohmann::json::object();
  }
  object->erase("version");
  return std::move(object).value();
}

Status SettingsFile::save(nlohmann::json object) const {
  object["version"] = version_;
  PARAPET_TRY(createFolders(path_.parent_path()));
  return writeFileAtomically(
      path_, object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void SettingsFile::setAside(const std::string& reason) {
  const std::filesystem::path aside = path_.string() + fmt::format(".corrupt-{}", wallClockMs());
  std::error_code refused;
  std::filesystem::rename(path_, aside, refused);
  warning_ = fmt::format(
      "{} cannot be used: {}; {}", path_.string(), reason,
      refused ? "it could not be renamed: " + refused.message()
              : fmt::format("it is kept as {} and a new one begins", aside.filename().string()));
}

}  // namespace parapet::ui
