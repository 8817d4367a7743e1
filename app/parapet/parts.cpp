// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/parts.h"

#include "app/parapet/pages.h"
#include "ui/models/document_source.h"
#include "ui/bridge/shown_text.h"

namespace parapet::window {

Result<std::unique_ptr<Parts>> Parts::make(const std::filesystem::path& workspaceFolder,
                                           const std::filesystem::path& settingsFolder) {
  PARAPET_ASSIGN(auto workspace, workspace::Workspace::open(workspaceFolder));
  return std::unique_ptr<Parts>(new Parts(std::move(workspace), settingsFolder));
}

Parts::Parts(std::unique_ptr<workspace::Workspace> workspace,
             const std::filesystem::path& settingsFolder)
    : workspace_(std::move(workspace)),
      runs_(*workspace_, bridge_),
      bench_{*workspace_, bridge_, runs_, editor_},
      settings_(settingsFolder),
      window_(std::make_unique<ui::MainWindow>(bench_, settings_, log_, settingsFolder)) {
  addPages(*window_, bench_, settings_);
  if (const auto& reason = workspace_->readOnlyBecause())
    window_->notices().show(
        LogLevel::kWarning,
        ui::MainWindow::tr("The workspace can be read but not written; runs cannot be started. %1")
            .arg(ui::shownText(reason->text())));
}

bool Parts::trainSampleIfEmpty() {
  const auto runs = workspace_->store().runs({.trashed = store::RunFilter::Trashed::kInclude});
  if (!runs || !runs->empty()) return false;
  const auto sample = ui::documentOfRecipe(QStringLiteral("sample"), QString());
  if (!sample) return false;
  const experiment::Parsed parsed = experiment::parse(sample->document);
  if (!parsed.findings.problems.empty()) return false;
  runs_.start(parsed.experiment, sample->origin);
  return runs_.active();
}

}  // namespace parapet::window
