// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "ui/controllers/run_feed.h"
#include "ui/models/app_settings.h"
#include "ui/pages/frame/main_window.h"

namespace parapet::window {

/// Warnings of the workspace, from whatever thread, for the window. Those that come before it listens
/// are kept.
class StoreWarnings : public QObject {
  Q_OBJECT

 public:
  /// Any thread.
  void add(const std::string& message);
  /// From now on a warning is told when it comes; those before are told now.
  void deliver();

 signals:
  void arrived(const QString& message);

 private:
  std::mutex mutex_;
  QStringList early_;
  bool delivering_ = false;
};

/// The parts of the program, made once, in an order in which each outlives its users.
class Parts {
 public:
  /// `settingsFolder` keeps theme, layout and autosave.
  static Result<std::unique_ptr<Parts>> make(const std::filesystem::path& workspaceFolder,
                                             const std::filesystem::path& settingsFolder);

  [[nodiscard]] ui::Workbench& bench() { return bench_; }
  [[nodiscard]] ui::AppSettings& settings() { return settings_; }
  [[nodiscard]] ui::MainWindow& window() { return *window_; }

  /// Trains the recipe `sample` if the workspace has no run, so that no page is empty. True if it
  /// does.
  bool trainSampleIfEmpty();

 private:
  void watchStore();
  Parts(std::shared_ptr<StoreWarnings> warnings, std::unique_ptr<workspace::Workspace> workspace,
        const std::filesystem::path& settingsFolder);

  ui::LogCollector log_;
  std::shared_ptr<StoreWarnings> warnings_;
  std::unique_ptr<workspace::Workspace> workspace_;
  ui::RunBridge bridge_;
  ui::RunController runs_;
  ui::ExperimentEditor editor_;
  ui::Workbench bench_;
  ui::AppSettings settings_;
  std::unique_ptr<ui::MainWindow> window_;
  ui::OwnerWatch owners_;
};

}  // namespace parapet::window
