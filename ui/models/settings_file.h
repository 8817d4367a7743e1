// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"

namespace parapet::ui {

/// A small JSON object on disk that survives crashes and bad content: settings, layout, autosave.
///
/// The file carries `"version"`. What cannot be read as such an object, or was written by a newer
/// version, is renamed to `<file>.corrupt-<time>` and a fresh one begins; `warning()` names both.
class SettingsFile {
 public:
  SettingsFile(std::filesystem::path path, int version);

  /// The object without its version; empty if there is no file or it was set aside.
  nlohmann::json load();
  /// Writes the whole object; old content or new is on disk afterwards, never half.
  [[nodiscard]] Status save(nlohmann::json object) const;
  /// Renames the file away, for content that reads as JSON and still makes no sense.
  void setAside(const std::string& reason);
  /// What the last load() or setAside() had to say; "" if nothing.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int version_;
  std::string warning_;
};

}  // namespace parapet::ui
