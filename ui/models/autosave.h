// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/settings_file.h"

namespace parapet::ui {

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

}  // namespace parapet::ui
