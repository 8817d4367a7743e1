// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/workspace/workspace.h"
#include "ui/forms/settings_delegate.h"

namespace parapet::ui {

/// The cells that say which rows of another run a table begins with.
class WarmStartDelegate : public SettingsDelegate {
  Q_OBJECT

 public:
  WarmStartDelegate(workspace::Workspace& workspace, QObject* parent)
      : SettingsDelegate(parent), workspace_(workspace) {}

 protected:
  [[nodiscard]] QWidget* makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                  QWidget* parent) const override;

 private:
  workspace::Workspace& workspace_;
};

}  // namespace parapet::ui
