// SPDX-License-Identifier: GPL-3.0-or-later
// The actions and menus of the window.
#include <QApplication>
#include <QDesktopServices>
#include <QMenuBar>
#include <QMessageBox>

#include "ui/dialogs/document_dialog.h"
#include "ui/dialogs/help_dialog.h"
#include "ui/forms/info_sign.h"
#include "ui/pages/frame/main_window.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {

void MainWindow::makeActions() {
  QUndoStack& steps = bench_.editor.undoStack();
  undo_ = steps.createUndoAction(this, tr("&Undo"));
  undo_->setIcon(lineIcon(QStringLiteral("undo")));
  undo_->setShortcut(QKeySequence::Undo);
  undo_->setObjectName(QStringLiteral("edit.undo"));
  redo_ = steps.createRedoAction(this, tr("&Redo"));
  redo_->setIcon(lineIcon(QStringLiteral("redo")));
  redo_->setShortcuts(
      {QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))});
  redo_->setObjectName(QStringLiteral("edit.redo"));
  openPalette_ = new QAction(lineIcon(QStringLiteral("search")), tr("Find a &command…"), this);
  openPalette_->setShortcut(QKeySequence(QStringLiteral("Ctrl+K")));
  openPalette_->setObjectName(QStringLiteral("palette.open"));
  connect(openPalette_, &QAction::triggered, this, [this] { palette_->open(allActions()); });
  quit_ = new QAction(tr("&Quit"), this);
  quit_->setShortcut(QKeySequence::Quit);
  quit_->setObjectName(QStringLiteral("window.quit"));
  connect(quit_, &QAction::triggered, this, &QWidget::close);
  connect(bar_, &PageBar::pageChosen, this, &MainWindow::showPage);
  connect(toolbar_->picker(), &ExperimentPicker::openRequested, this, &MainWindow::openChosen);
  // Who presses Run wants to see it; the run that the first start makes by itself stays in the
  // background.
  connect(actions_.run(), &QAction::triggered, this, [this] {
    if (bench_.runs.active()) showPage(QStringLiteral("train"));
  });
  connect(toolbar_, &RunToolbar::problemChosen, this, [this](const QString& pointer) {
    showPage(QStringLiteral("experiment"));
    emit problemChosen(pointer);
  });
  connect(toolbar_, &RunToolbar::questionRequested, this, [this](experiment::FixKind kind) {
    showPage(QStringLiteral("experiment"));
    emit questionRequested(kind);
  });
  connect(question_, &CloseQuestion::quitChosen, this, &MainWindow::quitWithCheckpoint);
}

void MainWindow::makeMenus() {
  QMenu* file = menuBar()->addMenu(tr("&Experiment"));
  file->addAction(toolbar_->picker()->listAction());
  QMenu* recipes = file->addMenu(tr("&New from a recipe"));
  recipes->addActions(toolbar_->picker()->recipeActions());
  file->addSeparator();
  file->addAction(toolbar_->picker()->openAction());
  file->addAction(toolbar_->picker()->saveAction());
  file->addSeparator();
  file->addAction(quit_);
  QMenu* edit = menuBar()->addMenu(tr("E&dit"));
  edit->addActions({undo_, redo_});
  QMenu* run = menuBar()->addMenu(tr("&Run"));
  run->addActions(actions_.all());
  run->addSeparator();
  run->addAction(toolbar_->problemsAction());
  QMenu* view = menuBar()->addMenu(tr("&View"));
  view->addAction(openPalette_);
  view->addSeparator();
  showLog_ = new QAction(lineIcon(QStringLiteral("log")), tr("Show the &log"), this);
  showLog_->setShortcut(QKeySequence(QStringLiteral("Ctrl+L")));
  showLog_->setObjectName(QStringLiteral("view.log"));
  showLog_->setProperty("paletteGroup", tr("View"));
  connect(showLog_, &QAction::triggered, this, [this] { showPage(QStringLiteral("log")); });
  view->addAction(showLog_);
  makeThemeMenu(view);
  pageMenu_ = menuBar()->addMenu(tr("&Page"));
  connect(pageMenu_, &QMenu::aboutToShow, this, &MainWindow::fillPageMenu);
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  const auto add = [this, help](const QString& text, const char* name, auto open) {
    QAction* action = help->addAction(text, this, open);
    action->setObjectName(QLatin1String(name));
    action->setProperty("paletteGroup", tr("Help"));
    help_ << action;
    return action;
  };
  add(tr("&Keyboard shortcuts"), "help.shortcuts", [this] {
    showShortcuts();
  })->setShortcut(QKeySequence::HelpContents);
  add(tr("&Glossary"), "help.glossary", [this] { showGlossary({}); });
  add(tr("&Documents"), "help.documents", [this] { showDocument({}, {}); });
  QDesktopServices::setUrlHandler(QLatin1String(kHelpScheme), this, "openHelp");
  help->addSeparator();
  help->addAction(tr("&About Parapet"), this, [this] {
    auto* about = new QMessageBox(
        QMessageBox::NoIcon, tr("About Parapet"),
        tr("Parapet %1\n\nA workbench for two-tower recommenders.\nThe window is free software "
           "under the GPL, version 3 or later; the engine under the Apache licence 2.0.")
            .arg(QApplication::applicationVersion()),
        QMessageBox::Close, this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->open();
  });
}

void MainWindow::showShortcuts() {
  HelpDialog::Entries entries;
  for (const QAction* action : allActions())
    for (const QKeySequence& keys : action->shortcuts())
      entries.append(
          {keys.toString(QKeySequence::NativeText), action->text().remove(QLatin1Char('&'))});
  auto* dialog =
      new HelpDialog(tr("Keyboard shortcuts"), {tr("Keys"), tr("Command")}, entries, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainWindow::showGlossary(const QString& term) {
  auto* dialog = new HelpDialog(tr("Glossary"), {tr("Term"), tr("Meaning")}, glossary(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->search(term);
  dialog->open();
}

void MainWindow::showDocument(const QString& name, const QString& part) {
  auto* dialog = new DocumentDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
  if (!name.isEmpty()) dialog->showDocument(name, part);
}

void MainWindow::openHelp(const QUrl& address) {
  const QString kind = address.path().section('/', 0, 0), name = address.path().section('/', 1);
  if (kind == QLatin1String("glossary"))
    showGlossary(name);
  else
    showDocument(name, address.fragment());
}

void MainWindow::makeThemeMenu(QMenu* view) {
  QMenu* menu = view->addMenu(lineIcon(QStringLiteral("theme")), tr("&Theme"));
  themes_ = new QActionGroup(this);
  const auto add = [&](Theme theme, const QString& text) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(themeFromName(settings_.theme()) == theme);
    action->setObjectName(QStringLiteral("theme.") + themeName(theme));
    action->setProperty("paletteGroup", tr("Theme"));
    themes_->addAction(action);
    connect(action, &QAction::triggered, this, [this, theme] {
      applyTheme(theme);
      settings_.setTheme(themeName(theme));
    });
  };
  add(Theme::kFollow, tr("As the &desktop"));
  add(Theme::kLight, tr("&Light"));
  add(Theme::kDark, tr("D&ark"));
}

void MainWindow::fillPageMenu() {
  pageMenu_->clear();
  const Page* shown = page(current_);
  const QList<QAction*> actions = shown ? shown->pageActions() : QList<QAction*>();
  pageMenu_->addActions(actions);
  if (!actions.isEmpty()) pageMenu_->addSeparator();
  pageMenu_->addAction(command_->copyAction());
}

// A key that window and page both answer to would be ambiguous, and then neither gets it. The
// window does the same thing for such keys (open, save, undo, redo).
void MainWindow::dropSharedShortcuts(const Page& page) {
  QList<QKeySequence> ours;
  for (const QAction* action : {undo_, redo_, openPalette_, quit_, command_->copyAction(),
                                toolbar_->picker()->openAction(), toolbar_->picker()->saveAction()})
    ours += action->shortcuts();
  for (QAction* action : page.findChildren<QAction*>()) {
    QList<QKeySequence> theirs = action->shortcuts();
    const auto shared = [&ours](const QKeySequence& keys) { return ours.contains(keys); };
    if (theirs.removeIf(shared) > 0) action->setShortcuts(theirs);
  }
}

QList<QAction*> MainWindow::allActions() const {
  QList<QAction*> all = actions_.all();
  all.append(toolbar_->problemsAction());
  for (const Hosted& hosted : pages_) {
    hosted.show->setProperty("paletteGroup", tr("Page"));
    all.append(hosted.show);
  }
  all += toolbar_->picker()->recipeActions();
  all += {toolbar_->picker()->listAction(),
          toolbar_->picker()->openAction(),
          toolbar_->picker()->saveAction(),
          undo_,
          redo_,
          command_->copyAction(),
          showLog_};
  QStringList texts;
  for (const QAction* action : all) texts.append(action->text().remove(QLatin1Char('&')));
  for (const Hosted& hosted : pages_)
    for (QAction* action : hosted.page->pageActions()) {
      // What the window offers under the same words is listed once.
      if (action->isSeparator() || texts.contains(action->text().remove(QLatin1Char('&'))))
        continue;
      if (!action->property("paletteGroup").isValid())
        action->setProperty("paletteGroup", hosted.page->title());
      all.append(action);
    }
  all += themes_->actions();
  all += help_;
  all.append(quit_);
  return all;
}

}  // namespace parapet::ui
