// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/parts.h"

#include <utility>

#include "app/parapet/pages.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_source.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::window {

void StoreWarnings::add(const std::string& message) {
  const QString shown = ui::shownText(message);
  {
    const std::lock_guard lock(mutex_);
    if (!delivering_) {
      early_.append(shown);
      return;
    }
  }
  emit arrived(shown);
}

void StoreWarnings::deliver() {
  QStringList early;
  {
    const std::lock_guard lock(mutex_);
    delivering_ = true;
    std::swap(early, early_);
  }
  for (const QString& message : early) emit arrived(message);
}

Result<std::unique_ptr<Parts>> Parts::make(const std::filesystem::path& workspaceFolder,
                                           const std::filesystem::path& settingsFolder) {
  auto warnings = std::make_shared<StoreWarnings>();
  PARAPET_ASSIGN(auto communicators, workspace::Workspace::chosenCommunicators());
  PARAPET_ASSIGN(
      auto workspace,
      workspace::Workspace::open(
          workspaceFolder, [warnings](const std::string& message) { warnings->add(message); },
          std::move(communicators)));
  return std::unique_ptr<Parts>(
      new Parts(std::move(warnings), std::move(workspace), settingsFolder));
}

Parts::Parts(std::shared_ptr<StoreWarnings> warnings,
             std::unique_ptr<workspace::Workspace> workspace,
             const std::filesystem::path& settingsFolder)
    : warnings_(std::move(warnings)),
      workspace_(std::move(workspace)),
      runs_(*workspace_, bridge_),
      bench_{*workspace_, bridge_, runs_, editor_},
      settings_(settingsFolder),
      window_(std::make_unique<ui::MainWindow>(bench_, settings_, log_, settingsFolder)),
      owners_(*workspace_) {
  ui::installSpokenDrawings();
  addPages(*window_, bench_);
  watchStore();
  if (workspace::Workspace::isModel(workspace_->folder()))
    window_->notices().show(
        LogLevel::kInfo, ui::MainWindow::tr("This is the model %1. It answers questions; what is "
                                            "edited here is not kept, and nothing is trained.")
                             .arg(ui::shownText(workspace_->folder().string())));
  else if (const auto& reason = workspace_->readOnlyBecause())
    window_->notices().show(
        LogLevel::kWarning,
        ui::MainWindow::tr("The workspace can be read but not written; runs cannot be started. %1")
            .arg(ui::shownText(reason->text())));
}

// Messages of the store are seen on every page, not in the log alone.
void Parts::watchStore() {
  const auto show = [this](const QString& message) {
    log_.add(LogLevel::kWarning, message);
    // A workspace that can only be read has said so, and what it means.
    if (!workspace_->readOnlyBecause()) window_->notices().show(LogLevel::kWarning, message);
  };
  QObject::connect(warnings_.get(), &StoreWarnings::arrived, window_.get(), show,
                   Qt::QueuedConnection);
  QObject::connect(&owners_, &ui::OwnerWatch::failed, window_.get(), &ui::MainWindow::showTrouble);
  QObject::connect(&owners_, &ui::OwnerWatch::recovered, window_.get(),
                   [this] { window_->notices().leave(ui::Lasts::kTrouble); });
  QObject::connect(
      &owners_, &ui::OwnerWatch::crashed, window_.get(), [show](const QStringList& runs) {
        show(ui::MainWindow::tr("The process of run %1 is gone. The run is now Crashed "
                                "and can be resumed.")
                 .arg(runs.join(QStringLiteral(", "))));
      });
  warnings_->deliver();
}

bool Parts::trainSampleIfEmpty() {
  const auto runs = workspace_->store().runs({.trashed = store::RunFilter::Trashed::kInclude});
  if (!runs || !runs->empty()) return false;
  // The window has made an experiment of it if nothing else was there.
  if (editor_.origin() != QStringLiteral("sample") || !editor_.runnable()) {
    const auto sample = ui::documentOfRecipe(QStringLiteral("sample"), QString());
    if (!sample) return false;
    const experiment::Parsed parsed = experiment::parse(sample->document);
    if (!parsed.findings.problems.empty()) return false;
    runs_.start(parsed.experiment, sample->origin);
  } else {
    runs_.start(editor_.experiment(), editor_.origin(), editor_.experimentId());
  }
  return runs_.active();
}

}  // namespace parapet::window
