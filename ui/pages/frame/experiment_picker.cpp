// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/experiment_picker.h"

#include <QFileDialog>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "ui/bridge/shown_text.h"
#include "ui/pages/frame/experiment_picker_popup.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

constexpr int kMaxNameWidth = 220;

}  // namespace

ExperimentPicker::ExperimentPicker(ExperimentEditor& editor, WorkspaceExperiments& experiments,
                                   QWidget* parent)
    : QToolButton(parent),
      editor_(editor),
      list_(new QAction(lineIcon(QStringLiteral("experiment")), tr("List the e&xperiments"), this)),
      open_(new QAction(lineIcon(QStringLiteral("open")), tr("&Open a file…"), this)),
      save_(new QAction(lineIcon(QStringLiteral("save")), tr("&Save as a file…"), this)),
      popup_(new ExperimentPickerPopup(experiments, this)) {
  setObjectName(QStringLiteral("experimentPicker"));
  setAccessibleName(tr("Experiment"));
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setIcon(lineIcon(QStringLiteral("experiment")));
  list_->setObjectName(QStringLiteral("experiment.list"));
  list_->setShortcut(QKeySequence(QStringLiteral("Ctrl+E")));
  open_->setShortcut(QKeySequence::Open);
  open_->setObjectName(QStringLiteral("experiment.open"));
  open_->setToolTip(tr("Makes an experiment from a document in a file (Ctrl+O)"));
  save_->setShortcut(QKeySequence::Save);
  save_->setObjectName(QStringLiteral("experiment.save"));
  save_->setToolTip(
      tr("Writes the document into a file; the experiment itself is always saved (Ctrl+S)"));
  popup_->addAction(open_);
  popup_->addAction(save_);
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    const QString name = QString::fromStdString(recipe.name);
    auto* action = new QAction(lineIcon(QStringLiteral("document")), shownText(recipe.title), this);
    action->setObjectName(QStringLiteral("recipe.") + name);
    action->setProperty("paletteGroup", tr("New experiment"));
    action->setToolTip(recipe.needsData ? tr("Needs data: %1").arg(name) : name);
    connect(action, &QAction::triggered, this, [this, name] { emit openRequested(name); });
    recipes_.append(action);
  }
  connect(this, &QToolButton::clicked, list_, &QAction::trigger);
  connect(list_, &QAction::triggered, this, [this] { popup_->openBelow(this); });
  connect(popup_, &ExperimentPickerPopup::recipeChosen, this, &ExperimentPicker::openRequested);
  connect(open_, &QAction::triggered, this, &ExperimentPicker::askForFile);
  connect(save_, &QAction::triggered, this, &ExperimentPicker::askWhereToSave);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &ExperimentPicker::update);
  connect(&editor_, &ExperimentEditor::experimentChanged, this, &ExperimentPicker::update);
  update();
}

void ExperimentPicker::update() {
  QString name = editor_.experimentName();
  if (name.isEmpty())
    if (const auto& document = editor_.document(); document.is_object())
      if (const auto at = document.find("name"); at != document.end() && at->is_string())
        name = QString::fromStdString(at->get<std::string>());
  if (name.isEmpty()) name = tr("no name");
  name = fontMetrics().elidedText(shownText(name), Qt::ElideMiddle, kMaxNameWidth);
  setText(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
  const QString kept = editor_.experimentName().isEmpty() ? tr("Not an experiment of the workspace")
                                                          : tr("Every edit is saved");
  const QString origin = editor_.origin();
  setToolTip(
      tr("%1%2\nA click lists the experiments and recipes (Ctrl+E)")
          .arg(kept, origin.isEmpty() ? QString() : tr("; made from %1").arg(shownText(origin))));
}

void ExperimentPicker::askForFile() {
  auto* dialog = new QFileDialog(window(), tr("Open an experiment"), QString(),
                                 tr("Experiments (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &ExperimentPicker::openRequested);
  dialog->open();
}

void ExperimentPicker::askWhereToSave() {
  auto* dialog =
      new QFileDialog(window(), tr("Save the experiment"), QString(), tr("Experiments (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    const Status saved =
        writeFileAtomically(file.toStdString(), (editor_.text() + QLatin1Char('\n')).toStdString());
    if (!saved.ok()) return log(LogLevel::kError, saved.error().text());
    editor_.undoStack().setClean();
    log(LogLevel::kInfo, "saved the experiment as " + file.toStdString());
  });
  dialog->open();
}

}  // namespace parapet::ui
