// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/experiment_picker.h"

#include <QFileDialog>
#include <QFileInfo>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "ui/bridge/shown_text.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

constexpr int kMaxNameWidth = 220;

QString shownOrigin(const QString& origin) {
  return shownText(QFileInfo(origin).isAbsolute() ? QFileInfo(origin).fileName() : origin)
      .replace(QLatin1Char('&'), QStringLiteral("&&"));
}

}  // namespace

ExperimentPicker::ExperimentPicker(ExperimentEditor& editor, AppSettings& settings, QWidget* parent)
    : QToolButton(parent),
      editor_(editor),
      settings_(settings),
      open_(new QAction(lineIcon(QStringLiteral("open")), tr("&Open an experiment…"), this)),
      save_(new QAction(lineIcon(QStringLiteral("save")), tr("&Save the experiment as…"), this)) {
  setObjectName(QStringLiteral("experimentPicker"));
  setAccessibleName(tr("Experiment"));
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setPopupMode(QToolButton::InstantPopup);
  setMenu(&menu_);
  setIcon(lineIcon(QStringLiteral("experiment")));
  open_->setShortcut(QKeySequence::Open);
  open_->setObjectName(QStringLiteral("experiment.open"));
  save_->setShortcut(QKeySequence::Save);
  save_->setObjectName(QStringLiteral("experiment.save"));
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    const QString name = QString::fromStdString(recipe.name);
    auto* action = new QAction(lineIcon(QStringLiteral("document")), shownText(recipe.title), this);
    action->setObjectName(QStringLiteral("recipe.") + name);
    action->setProperty("paletteGroup", tr("New experiment"));
    action->setToolTip(recipe.needsData ? tr("Needs data: %1").arg(name) : name);
    connect(action, &QAction::triggered, this, [this, name] { emit openRequested(name); });
    recipes_.append(action);
  }
  connect(open_, &QAction::triggered, this, &ExperimentPicker::askForFile);
  connect(save_, &QAction::triggered, this, &ExperimentPicker::askWhereToSave);
  connect(&menu_, &QMenu::aboutToShow, this, &ExperimentPicker::fillMenu);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &ExperimentPicker::update);
  connect(&editor_.undoStack(), &QUndoStack::cleanChanged, this, &ExperimentPicker::update);
  update();
}

void ExperimentPicker::update() {
  QString name;
  if (const auto& document = editor_.document(); document.is_object())
    if (const auto at = document.find("name"); at != document.end() && at->is_string())
      name = QString::fromStdString(at->get<std::string>());
  if (name.isEmpty()) name = tr("no name");
  if (editor_.modified()) name += QStringLiteral(" •");
  name = fontMetrics().elidedText(shownText(name), Qt::ElideMiddle, kMaxNameWidth);
  setText(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
  const QString origin = editor_.origin();
  setToolTip(tr("%1%2\nClick for recipes, recent experiments and files")
                 .arg(origin.isEmpty() ? tr("Not saved") : tr("From %1").arg(shownText(origin)),
                      editor_.modified() ? tr(", changed since") : QString()));
}

void ExperimentPicker::fillMenu() {
  menu_.clear();
  menu_.addSection(tr("New from a recipe"));
  menu_.addActions(recipes_);
  if (!settings_.recent().isEmpty()) {
    menu_.addSection(tr("Recent"));
    for (const QString& origin : settings_.recent()) {
      QAction* action = menu_.addAction(shownOrigin(origin));
      action->setToolTip(shownText(origin));
      connect(action, &QAction::triggered, this, [this, origin] { emit openRequested(origin); });
    }
  }
  menu_.addSeparator();
  menu_.addAction(open_);
  menu_.addAction(save_);
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
    settings_.addRecent(file);
    log(LogLevel::kInfo, "saved the experiment as " + file.toStdString());
  });
  dialog->open();
}

}  // namespace parapet::ui
