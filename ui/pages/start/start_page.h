// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/app_settings.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class DropArea;

/// Where a session begins: recipes, the newest run, recent experiments, a place to drop data.
class StartPage : public Page {
  Q_OBJECT

 public:
  StartPage(Workbench& bench, AppSettings& settings, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Start"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("start"); }
  [[nodiscard]] QString terminalCommand() const override {
    return QStringLiteral("parapet-cli recipes");
  }

 signals:
  /// A recipe name or a file.
  void openRequested(const QString& fileOrRecipe);
  /// A file or folder, as if it had been dropped.
  void dropped(const QString& path);

 private:
  QWidget* makeLower(Workbench& bench, AppSettings& settings);

  DropArea* drop_;
};

}  // namespace parapet::ui
