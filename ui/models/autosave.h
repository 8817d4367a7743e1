// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/settings_file.h"

namespace parapet::ui {

/// Keeps the experiment that is being edited on disk, so that a crash costs at most the last
/// moment: every change is written half a second later, off the GUI thread, old or new, never half.
class Autosave : public QObject {
  Q_OBJECT

 public:
  /// `folder` gets `experiment.json`; it is made when first needed.
  Autosave(ExperimentEditor& editor, const std::filesystem::path& folder,
           QObject* parent = nullptr);
  /// Writes what was not written yet.
  ~Autosave() override;

  /// Loads what was saved into the editor; false if there was nothing to load. From then on changes
  /// are saved.
  bool restore();
  /// Saves from now on without restoring.
  void begin();
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
