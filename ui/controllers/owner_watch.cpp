// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/owner_watch.h"

#include <utility>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {

OwnerWatch::OwnerWatch(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  connect(&timer_, &QTimer::timeout, this, &OwnerWatch::poll);
  // Where nothing can be written, nothing can be marked.
  if (!workspace_.readOnlyBecause()) timer_.start(kPollMs);
}

void OwnerWatch::poll() {
  if (background_.running()) return;
  background_.start(
      [&workspace = workspace_](const WorkContext&) { return workspace.store().markCrashed(); },
      [this](const Result<std::vector<std::string>>& found) {
        if (!found) {
          if (!std::exchange(inTrouble_, true)) emit failed(shownText(found.error().text()));
          return;
        }
        inTrouble_ = false;
        QStringList ids;
        for (const std::string& id : *found) ids.append(QString::fromStdString(id));
        if (!ids.isEmpty()) emit crashed(ids);
      });
}

}  // namespace parapet::ui
