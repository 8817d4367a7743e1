// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/languages.h"

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
  /// The warning of the last load() or setAside(); "" if there is none.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int version_;
  std::string warning_;
};

/// Keeps the experiment that is being edited in a file of the settings folder: what earlier versions
/// had, and what a workspace that can only be read has, instead of an experiment of the workspace. Every
/// change is written half a second later, off the GUI thread, old or new, never half.
class Autosave : public QObject {
  Q_OBJECT

 public:
  /// `folder` gets `experiment.json`; it is made when first needed.
  Autosave(ExperimentEditor& editor, const std::filesystem::path& folder,
           QObject* parent = nullptr);
  /// Writes what was not written yet.
  ~Autosave() override;

  /// Loads what was saved into the editor; false if there was nothing to load.
  bool restore();
  /// Saves every change from now on.
  void begin();
  /// Removes the file: what it held is kept elsewhere.
  void discard();
  /// The fault of the saved file; "" if none.
  [[nodiscard]] QString warning() const;

 signals:
  void failed(const QString& reason);

 private:
  [[nodiscard]] nlohmann::json snapshot() const;
  void save();

  ExperimentEditor& editor_;
  SettingsFile file_;
  QTimer timer_;
  std::unique_ptr<Background> writer_ = std::make_unique<Background>();
  bool changedMeanwhile_ = false, started_ = false;
};

/// Choices that a person expects to find again: theme, language, whether proposals race, and whether
/// the tour was seen. Every change
/// is written at once.
class AppSettings : public QObject {
  Q_OBJECT

 public:
  explicit AppSettings(const std::filesystem::path& folder, QObject* parent = nullptr);

  /// The fault of the file; "" if none.
  [[nodiscard]] QString warning() const;
  /// "follow", "light" or "dark".
  [[nodiscard]] QString theme() const { return theme_; }
  void setTheme(const QString& name);
  /// A code of languages(), or kSystemLanguage. The window speaks another one from its next start on.
  [[nodiscard]] QString language() const { return language_; }
  void setLanguage(const QString& choice);
  /// The language that the settings in a folder name, for what is shown before there are settings;
  /// kSystemLanguage if none can be read there. Changes no file.
  static QString languageIn(const std::filesystem::path& folder);
  /// Whether variants of a proposal for data that are opened race by themselves.
  [[nodiscard]] bool racesProposals() const { return racesProposals_; }
  void setRacesProposals(bool on);
  /// Whether the tour of the window was taken or skipped.
  [[nodiscard]] bool tourSeen() const { return tourSeen_; }
  void setTourSeen();

 signals:
  void failed(const QString& reason);

 private:
  void save();

  SettingsFile file_;
  QString theme_ = QStringLiteral("follow"), language_ = QLatin1String(kSystemLanguage);
  bool racesProposals_ = true, tourSeen_ = false;
};

}  // namespace parapet::ui
