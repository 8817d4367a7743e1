// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QScreen>
#include <QTimer>
#include <QUrl>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/dialogs/help_dialog.h"
#include "ui/forms/card.h"
#include "ui/models/recipe_summary.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr QSize kFirstSize(1280, 800), kMinSize(960, 500);
/// A run stops at its next step; a window that waits longer looks frozen.
constexpr int kMaxStopMs = 5000;

}  // namespace

MainWindow::MainWindow(Workbench& bench, AppSettings& settings, LogCollector& log,
                       const std::filesystem::path& folder, QWidget* parent)
    : QMainWindow(parent),
      bench_(bench),
      settings_(settings),
      log_(log),
      experiments_(bench.workspace, bench.editor, folder / "autosave"),
      actions_(bench.workspace, bench.runs, bench.editor, this),
      bar_(new PageBar),
      stack_(new QStackedWidget),
      banner_(new NoticeRow),
      tour_(new Tour),
      notices_(new NoticeBar),
      status_(new StatusView(bench.runs)),
      command_(new CommandBar(bench.workspace.folder())),
      toolbar_(new RunToolbar(bench.runs, bench.editor, experiments_, actions_)),
      palette_(new CommandPalette(this)),
      question_(new CloseQuestion(this)),
      memory_(new WindowMemory(*this, folder, [this] { return content(); })) {
  setObjectName(QStringLiteral("mainWindow"));
  setAcceptDrops(true);
  setMinimumSize(kMinSize);
  resize(kFirstSize.boundedTo(screen()->availableSize()));
  setCentralWidget(makeCentre());
  addToolBar(Qt::TopToolBarArea, toolbar_);
  setStatusBar(status_);
  makeActions();
  makeMenus();
  watchMessages();
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &MainWindow::updateTitle);
  updateTitle();
}

// Pages go before the members that they watch.
MainWindow::~MainWindow() {
  QDesktopServices::unsetUrlHandler(QLatin1String(kHelpScheme));
  for (const Hosted& hosted : pages_) delete hosted.page;
}

QWidget* MainWindow::makeCentre() {
  auto* centre = new QWidget;
  auto* across = horizontalBox(centre, 0);
  auto* down = verticalBox(nullptr, 0);
  down->addWidget(banner_);
  down->addWidget(tour_);
  down->addWidget(stack_, 1);
  // Below the page: a notice that comes does not move what the mouse is about to press.
  down->addWidget(notices_);
  down->addWidget(command_);
  across->addWidget(bar_);
  across->addLayout(down, 1);
  return centre;
}

void MainWindow::updateTitle() {
  const QString name = QString::fromStdString(bench_.editor.experiment().name);
  const QString workspace = QString::fromStdString(bench_.workspace.folder().filename().string());
  QStringList parts{shownText(name), shownText(workspace),
                    isSafeMode_ ? tr("Parapet (safe mode)") : tr("Parapet")};
  parts.removeAll(QString());
  setWindowTitle(parts.join(QStringLiteral(" — ")));
}

void MainWindow::addPage(const QString& name, Page* page) {
  QAction* action = bar_->addPage(name, page->title(), page->iconName());
  addAction(action);
  pages_.push_back({name, page, action});
  stack_->addWidget(page);
  dropSharedShortcuts(*page);
  focus_.watch(page);
  connect(page, &Page::pageRequested, this, &MainWindow::showPage);
  connect(page, &Page::browseRequested, this, &MainWindow::browseRequested);
  connect(page, &Page::showRunRequested, this, &MainWindow::showRunRequested);
  connect(page, &Page::messageRequested, this,
          [this](const QString& text) { showMessage(LogLevel::kInfo, text); });
  connect(page, &Page::complained, this,
          [this](const QString& text) { showMessage(LogLevel::kWarning, text); });
  if (current_.isEmpty()) showPage(name);
}

Page* MainWindow::page(const QString& name) const {
  for (const Hosted& hosted : pages_)
    if (hosted.name == name) return hosted.page;
  return nullptr;
}

void MainWindow::showPage(const QString& nameAndPart) {
  const QString name = nameAndPart.section('/', 0, 0);
  const QString part = nameAndPart.section('/', 1);
  Page* wanted = page(name);
  if (!wanted) return;
  QWidget* last = focus_.lastOf(wanted);
  if (!part.isEmpty()) wanted->showPart(part);
  const bool another = stack_->currentWidget() != wanted;
  current_ = name;
  bar_->setCurrent(name);
  stack_->setCurrentWidget(wanted);
  if (another) FocusHistory::give(wanted, last);
  command_->setPage(wanted);
}

bool MainWindow::restore() {
  const nlohmann::json content = memory_->restore();
  const auto edited = content.find("experiment");
  const bool hasExperiment =
      experiments_.begin(edited != content.end() && edited->is_string()
                             ? QString::fromStdString(edited->get<std::string>())
                             : QString());
  if (const auto states = content.find("pages"); states != content.end() && states->is_object())
    for (const auto& [name, state] : states->items()) {
      const QString pageName = QString::fromStdString(name);
      if (Page* at = page(pageName))
        at->restoreState(state);
      else
        unclaimed_[pageName] = state;
    }
  if (const auto shown = content.find("page"); shown != content.end() && shown->is_string())
    showPage(QString::fromStdString(shown->get<std::string>()));
  for (const QString& warning : {memory_->warning(), settings_.warning()})
    if (!warning.isEmpty()) showMessage(LogLevel::kWarning, warning);
  memory_->begin();
  bench_.runs.queue().begin();
  return hasExperiment;
}

nlohmann::json MainWindow::content() const {
  nlohmann::json states = nlohmann::json::object();
  for (const auto& [name, state] : unclaimed_) states[name.toStdString()] = state;
  for (const Hosted& hosted : pages_) states[hosted.name.toStdString()] = hosted.page->saveState();
  return {{"page", current_.toStdString()},
          {"experiment", experiments_.currentId().toStdString()},
          {"pages", std::move(states)}};
}

void MainWindow::openDocument(const QString& fileOrRecipe, const QString& dataFolder) {
  const QString folder = dataFolder.isEmpty() ? ownDataOf(fileOrRecipe) : dataFolder;
  load(documentOf(fileOrRecipe, folder));
  const auto recipe = experiment::findRecipe(fileOrRecipe.toStdString());
  if (!recipe || folder.isEmpty()) return;
  const Status named = workspace::requireNamedData(*recipe, folder.toStdString());
  if (!named.ok() && named.error().code == ErrorCode::kData)
    showMessage(LogLevel::kWarning, shownText(named.error().message));
}

// The data of the command line are those of the recipes that can read them.
QString MainWindow::ownDataOf(const QString& recipe) const {
  return !dataFolder_.isEmpty() && recipesFor(dataFolder_).contains(recipe) ? dataFolder_
                                                                            : QString();
}

void MainWindow::openDropped(const QString& path) {
  // On the page of the experiment they are its data; elsewhere, those of a new one.
  openPath(path, current_ == QStringLiteral("experiment") ? DataOf::kThisExperiment
                                                          : DataOf::kNewExperiment);
}

/// A recipe, or a file: data that are chosen for an experiment begin one.
void MainWindow::openChosen(const QString& fileOrRecipe) {
  if (QFileInfo(fileOrRecipe).isFile())
    openPath(fileOrRecipe, DataOf::kNewExperiment);
  else
    openDocument(fileOrRecipe);
}

void MainWindow::askForModel() {
  auto* dialog = new QFileDialog(this, tr("Open a model folder"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
    if (workspace::Workspace::isModel(folder.toStdString()))
      return openPath(folder, DataOf::kNewExperiment);
    showMessage(
        LogLevel::kWarning,
        tr("%1 is no model folder. Runs › Export… › Model writes one.").arg(shownText(folder)));
  });
  dialog->open();
}

void MainWindow::openPath(const QString& path, DataOf of) {
  // A model is a workspace of its own, and a program has one.
  if (workspace::Workspace::isModel(path.toStdString())) {
    QStringList arguments{QStringLiteral("--model"), path};
    if (isSafeMode_) arguments << QStringLiteral("--safe-mode");
    if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments))
      return showTrouble(tr("The model %1 cannot be opened in a window of its own.").arg(path));
    return showMessage(LogLevel::kInfo, tr("The model opens in a window of its own."));
  }
  const auto source = workspace::detectSource(path.toStdString());
  // Data may be called so, too.
  if (!source && path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive))
    return load(documentOfFile(path));
  if (!source) return showOfExperiment(shownText(source.error().text()));
  emit dataDropped(path, of);
}

void MainWindow::load(const Result<SourcedDocument>& source) {
  if (!source) return showOfExperiment(shownText(source.error().text()));
  openSource(*source);
}

void MainWindow::openSource(const SourcedDocument& source) {
  bench_.editor.load(source.document, source.origin);
  showPage(QStringLiteral("experiment"));
}

void MainWindow::beginWith(const QString& recipe) {
  if (const auto source = documentOfRecipe(recipe, ownDataOf(recipe)))
    bench_.editor.load(source->document, source->origin);
}

void MainWindow::offerTour() {
  if (!settings_.tourSeen()) tour_->begin();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (mayClose_ || !bench_.runs.active()) return event->accept();
  event->ignore();
  if (!question_->isVisible())
    question_->ask(QString::fromStdString(bench_.runs.experiment().name));
}

// Chosen in the question, or asked for by SIGTERM. What waits in the queue is offered by the next window.
void MainWindow::quitWithCheckpoint() {
  bench_.runs.queue().hold();
  const auto leave = [this] {
    mayClose_ = true;
    question_->hide();
    close();
  };
  if (!bench_.runs.active()) return leave();
  connect(&bench_.runs, &RunController::ended, this, leave);
  connect(&bench_.runs, &RunController::failed, this, leave);
  QTimer::singleShot(kMaxStopMs, this, leave);
  bench_.runs.stop();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return;
  event->acceptProposedAction();
  openDropped(urls.front().toLocalFile());
}

void MainWindow::makeActions() {
  QUndoStack& steps = bench_.editor.undoStack();
  undo_ = steps.createUndoAction(this, tr("&Undo"));
  showChangesOf(*undo_, &QUndoStack::undo);
  undo_->setIcon(lineIcon(QStringLiteral("undo")));
  undo_->setShortcut(QKeySequence::Undo);
  undo_->setObjectName(QStringLiteral("edit.undo"));
  redo_ = steps.createRedoAction(this, tr("&Redo"));
  showChangesOf(*redo_, &QUndoStack::redo);
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
  // A person who presses Run wants to see the run; the run that the first start makes by itself
  // stays in the background.
  connect(&actions_, &RunCommands::runStarted, this, [this] { showPage(QStringLiteral("train")); });
  connect(toolbar_, &RunToolbar::queueRequested, this,
          [this] { showPage(QStringLiteral("runs")); });
  connect(toolbar_, &RunToolbar::problemChosen, this, &MainWindow::showSetting);
  connect(toolbar_, &RunToolbar::questionRequested, this, [this](experiment::FixKind kind) {
    showPage(QStringLiteral("experiment"));
    emit questionRequested(kind);
  });
  connect(tour_, &Tour::pageRequested, this, &MainWindow::showPage);
  connect(tour_, &Tour::ended, &settings_, &AppSettings::setTourSeen);
  connect(question_, &CloseQuestion::quitChosen, this, &MainWindow::quitWithCheckpoint);
}

// A step that is taken back on another page, or in another step of Experiment, is shown.
void MainWindow::showChangesOf(QAction& action, void (QUndoStack::*step)()) {
  QUndoStack& steps = bench_.editor.undoStack();
  disconnect(&action, &QAction::triggered, &steps, nullptr);
  connect(&action, &QAction::triggered, this, [this, &steps, step] {
    const nlohmann::json before = bench_.editor.document();
    (steps.*step)();
    const auto changes = nlohmann::json::diff(before, nlohmann::json(bench_.editor.document()));
    if (!changes.empty()) showSetting(QString::fromStdString(changes[0]["path"]));
  });
}

void MainWindow::showSetting(const QString& pointer) {
  showPage(QStringLiteral("experiment"));
  emit problemChosen(pointer);
}

void MainWindow::makeMenus() {
  QMenu* file = menuBar()->addMenu(tr("&Experiment"));
  file->addAction(toolbar_->picker()->listAction());
  QMenu* recipes = file->addMenu(tr("&New from a recipe"));
  recipes->addActions(toolbar_->picker()->recipeActions());
  file->addSeparator();
  file->addAction(toolbar_->picker()->openAction());
  file->addAction(toolbar_->picker()->saveAction());
  openModel_ = file->addAction(lineIcon(QStringLiteral("open")), tr("Open a &model folder…"), this,
                               &MainWindow::askForModel);
  openModel_->setObjectName(QStringLiteral("experiment.openModel"));
  openModel_->setToolTip(
      tr("Browses a model that was exported as a folder, in a window of its own"));
  file->addSeparator();
  file->addAction(quit_);
  QMenu* edit = menuBar()->addMenu(tr("E&dit"));
  edit->addActions({undo_, redo_});
  QMenu* run = menuBar()->addMenu(tr("&Run"));
  run->addActions(actions_.all());
  run->addSeparator();
  run->addAction(toolbar_->problemsAction());
  races_ = run->addAction(tr("Race &variants of new proposals"));
  races_->setObjectName(QStringLiteral("run.raceProposals"));
  races_->setCheckable(true);
  races_->setChecked(settings_.racesProposals());
  races_->setToolTip(
      tr("After data were opened, trains variants of the proposal for about a minute "
         "and takes the best; an edit or a run ends that"));
  connect(races_, &QAction::toggled, &settings_, &AppSettings::setRacesProposals);
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
  makeLanguageMenu(view);
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
  add(tr("&Tour of the window"), "help.tour", [this] { tour_->begin(); });
  add(tr("&Glossary"), "help.glossary", [this] { showGlossary({}); });
  add(tr("&Documents"), "help.documents", [this] { showDocument({}, {}); });
  QDesktopServices::setUrlHandler(QLatin1String(kHelpScheme), this, "openHelp");
  help->addSeparator();
  restart_ = add(tr("Restart in &safe mode"), "help.restart", [this] { emit restartRequested(); });
  restart_->setToolTip(
      tr("Stops a run with a checkpoint and starts again without plugins, and with the default "
         "layout and settings"));
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

void MainWindow::makeLanguageMenu(QMenu* view) {
  QMenu* menu = view->addMenu(tr("Lan&guage"));
  languages_ = new QActionGroup(this);
  for (const QString& code : QStringList{QLatin1String(kSystemLanguage)} + languages()) {
    const bool isSystem = code == QLatin1String(kSystemLanguage);
    QAction* action = menu->addAction(isSystem ? tr("As the &system") : languageName(code));
    action->setCheckable(true);
    action->setChecked(settings_.language() == code);
    action->setObjectName(QStringLiteral("language.") + code);
    action->setProperty("paletteGroup", tr("Language"));
    languages_->addAction(action);
    connect(action, &QAction::triggered, this, [this, code] {
      settings_.setLanguage(code);
      showMessage(LogLevel::kInfo, tr("The language changes at the next start of Parapet."));
    });
  }
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
          openModel_,
          undo_,
          redo_,
          command_->copyAction(),
          showLog_};
  QStringList texts;
  for (const QAction* action : all) texts.append(action->text().remove(QLatin1Char('&')));
  for (const Hosted& hosted : pages_)
    for (QAction* action : hosted.page->pageActions()) {
      // Actions that the window offers under the same words are listed once.
      if (action->isSeparator() || texts.contains(action->text().remove(QLatin1Char('&'))))
        continue;
      if (!action->property("paletteGroup").isValid())
        action->setProperty("paletteGroup", hosted.page->title());
      all.append(action);
    }
  all += themes_->actions();
  all += languages_->actions();
  all += help_;
  all.append(quit_);
  return all;
}

}  // namespace parapet::ui
