// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/experiment_page.h"

#include <QAction>
#include <QCoreApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSaveFile>
#include <QToolButton>
#include <QWidget>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/field.h"
#include "ui/models/document_source.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/terminal_command.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {

/// Name, origin, state of the document, and what can be done with it as a whole.
class TitleBar : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(TitleBar)
 public:
  explicit TitleBar(ExperimentEditor& editor, QWidget* parent = nullptr);
  /// A button at the right.
  void addTool(QAction* action, Qt::ToolButtonStyle style);

 private:
  void follow();

  ExperimentEditor& editor_;
  QLabel* origin_;
  QHBoxLayout* tools_;
};

TitleBar::TitleBar(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor), origin_(new QLabel(this)), tools_(new QHBoxLayout) {
  auto* layout = horizontalBox(this, 8, {16, 8, 16, 8});
  auto* label = new QLabel(tr("Name"), this);
  auto* name = new Field(editor, "/name", tr("Name"), this);
  name->editWidget()->setMinimumWidth(208);
  label->setBuddy(name->editWidget());
  layout->addWidget(label);
  layout->addWidget(name);
  origin_->setForegroundRole(QPalette::PlaceholderText);
  layout->addWidget(origin_);
  layout->addStretch(1);
  tools_->setSpacing(4);
  layout->addLayout(tools_);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &TitleBar::follow);
  connect(&editor_, &ExperimentEditor::experimentChanged, this, &TitleBar::follow);
  follow();
}

void TitleBar::follow() {
  origin_->setText(editor_.origin().isEmpty() ? QString() : tr("from %1").arg(editor_.origin()));
  origin_->setToolTip(editor_.experimentId().isEmpty()
                          ? tr("What the document was made from")
                          : tr("What the document was made from. Every edit is saved in the "
                               "workspace, and Undo takes it back."));
}

void TitleBar::addTool(QAction* action, Qt::ToolButtonStyle style) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  button->setToolButtonStyle(style);
  const auto follow = [button, action] {
    button->setText(action->iconText());
    button->setAccessibleName(action->text());
  };
  follow();
  connect(action, &QAction::changed, button, follow);
  tools_->addWidget(button);
}

StepBar::StepBar(QWidget* parent) : QTabBar(parent) {
  setDrawBase(false);
  setExpanding(false);
  setUsesScrollButtons(false);
  setElideMode(Qt::ElideNone);
  setAccessibleName(tr("Steps of the experiment"));
}

void StepBar::addStep(const QString& title) {
  titles_ << QString(title).replace('&', QStringLiteral("&&"));
  addTab(titles_.back());
}

void StepBar::setFindings(int step, const experiment::Findings& findings) {
  const QString& title = titles_[step];
  const std::size_t count = findings.problems.size() + findings.warnings.size();
  setTabText(step, count == 0 ? title : tr("%1 (%2)").arg(title).arg(count));
  setTabIcon(step, severityIcon(palette(), severityOf(findings)));
  setTabToolTip(step, findingsText(findings));
}

void StepBar::paintEvent(QPaintEvent* event) {
  QTabBar::paintEvent(event);
  QPainter painter(this);
  painter.setPen(quietColor(palette()));
  for (int step = 0; step + 1 < count(); ++step) {
    const QRect tab = tabRect(step);
    painter.drawText(QRect(tab.right() - 8, tab.top(), 16, tab.height()), Qt::AlignCenter,
                     QStringLiteral("›"));
  }
}

ExperimentPage::ExperimentPage(const Workbench& bench, QWidget* parent)
    : Page(parent),
      bench_(bench),
      preflight_(bench.workspace, bench.editor),
      bar_(new StepBar(this)),
      stack_(new QStackedWidget(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      drawer_(new JsonDrawer(bench.editor, this)),
      problems_(new ProblemsPanel(bench.editor, this)) {
  setObjectName(QStringLiteral("experimentPage"));
  makeActions();
  titleBar_ = new TitleBar(bench.editor, this);
  auto* steps = new QHBoxLayout;
  steps->setContentsMargins(16, 0, 16, 0);
  steps->addWidget(bar_);
  steps->addStretch(1);
  splitter_->addWidget(stack_);
  splitter_->addWidget(drawer_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 2);
  splitter_->setChildrenCollapsible(false);
  drawer_->hide();
  auto* layout = verticalBox(this, 0);
  layout->addWidget(titleBar_);
  layout->addLayout(steps);
  layout->addWidget(splitter_, 1);
  layout->addWidget(problems_);
  for (QAction* action : actions_.first(2)) titleBar_->addTool(action, Qt::ToolButtonIconOnly);
  titleBar_->addTool(toggleDrawer_, Qt::ToolButtonTextBesideIcon);
  connect(bar_, &QTabBar::currentChanged, this, &ExperimentPage::showStep);
  connect(toggleDrawer_, &QAction::toggled, drawer_, &QWidget::setVisible);
  connect(toggleDrawer_, &QAction::toggled, this, [this](bool shown) {
    if (shown && bar_->count() > 0) showStep(bar_->currentIndex());
  });
  connect(drawer_, &JsonDrawer::closeRequested, toggleDrawer_, &QAction::trigger);
  if (const auto& reason = bench.workspace.readOnlyBecause())
    problems_->setObstacle(shownText(reason->message));
  connect(&problems_->list(), &ProblemList::jumpRequested, this, &ExperimentPage::jumpTo);
  connect(problems_, &ProblemsPanel::focusLeft, this,
          [this] { stack_->currentWidget()->setFocus(Qt::OtherFocusReason); });
  connect(&problems_->list(), &ProblemList::questionRequested, this, &ExperimentPage::ask);
  connect(&bench.editor, &ExperimentEditor::findingsChanged, this, &ExperimentPage::followFindings);
  connect(&bench.editor, &ExperimentEditor::loaded, this, &ExperimentPage::rememberBase);
  connect(&bench.editor, &ExperimentEditor::experimentChanged, this,
          &ExperimentPage::followExperiment);
  rememberBase();
  followFindings();
}

void ExperimentPage::addStep(const QString& name, StepPage* step) {
  hosted_.push_back({name, step});
  stack_->addWidget(step);
  bar_->addStep(step->title());
  connect(step, &Page::pageRequested, this, [this](const QString& page) {
    if (page.startsWith(QLatin1String("experiment/"))) showPart(page.section('/', 1));
    emit pageRequested(page);
  });
  connect(step, &Page::browseRequested, this, &Page::browseRequested);
  connect(step, &Page::showRunRequested, this, &Page::showRunRequested);
  connect(step, &Page::messageRequested, this, &Page::messageRequested);
  connect(step, &Page::complained, this, &Page::complained);
  connect(step, &StepPage::pointerChosen, this, &ExperimentPage::jumpTo);
  followFindings();
}

void ExperimentPage::ask(experiment::FixKind question) {
  if (question == experiment::FixKind::kChooseLabel)
    jumpTo(QStringLiteral("/dataset/label/column"));
  else
    emit dataRequested(question);
}

void ExperimentPage::addTool(QAction* action) {
  titleBar_->addTool(action, Qt::ToolButtonTextOnly);
  addAction(action);
  actions_ << action;
}

void ExperimentPage::makeActions() {
  QUndoStack& steps = bench_.editor.undoStack();
  QAction* undo = steps.createUndoAction(this, tr("Undo"));
  QAction* redo = steps.createRedoAction(this, tr("Redo"));
  // The keys of undo and redo are those of the window. The text names the step and is long: the
  // buttons keep their width.
  undo->setIconText(tr("Undo"));
  undo->setIcon(lineIcon(QStringLiteral("undo")));
  redo->setIconText(tr("Redo"));
  redo->setIcon(lineIcon(QStringLiteral("redo")));
  actions_ << undo << redo;
  const auto follow = [undo, redo, &steps] {
    undo->setToolTip(tr("Undo %1").arg(steps.undoText()).trimmed());
    setUsable(*undo, steps.canUndo(), tr("There is no edit to take back"));
    redo->setToolTip(tr("Redo %1").arg(steps.redoText()).trimmed());
    setUsable(*redo, steps.canRedo(), tr("No edit was taken back"));
  };
  for (const auto changed : {&QUndoStack::canUndoChanged, &QUndoStack::canRedoChanged})
    connect(&steps, changed, this, follow);
  connect(&steps, &QUndoStack::undoTextChanged, this, follow);
  follow();
  addPageAction(tr("Open an experiment…"), tr("Open…"), QKeySequence::Open,
                &ExperimentPage::chooseFileToOpen);
  addPageAction(tr("Save the experiment as…"), tr("Save as…"), QKeySequence::SaveAs,
                &ExperimentPage::chooseFileToSave);
  toggleDrawer_ = new QAction(lineIcon(QStringLiteral("document")), tr("Show the JSON"), this);
  toggleDrawer_->setObjectName(QStringLiteral("experiment.json"));
  toggleDrawer_->setIconText(tr("JSON"));
  toggleDrawer_->setCheckable(true);
  toggleDrawer_->setShortcut(QKeySequence(Qt::Key_F4));
  // The focus may be in the bar of pages; a page that is not shown does not answer.
  toggleDrawer_->setShortcutContext(Qt::WindowShortcut);
  toggleDrawer_->setToolTip(tr("Shows the document of the experiment beside the step (F4)"));
  addAction(toggleDrawer_);
  actions_ << toggleDrawer_;
}

QAction* ExperimentPage::addPageAction(const QString& text, const QString& shortText,
                                       const QKeySequence& keys, void (ExperimentPage::*run)()) {
  auto* action = new QAction(text, this);
  action->setIconText(shortText);
  action->setToolTip(tr("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, run);
  addAction(action);
  actions_ << action;
  return action;
}

void ExperimentPage::followFindings() {
  const bool draft = bench_.editor.draftError().has_value();
  // Step and text would speak of different documents.
  stack_->setEnabled(!draft);
  if (draft) toggleDrawer_->setChecked(true);
  std::vector<experiment::Findings> found(hosted_.size());
  const auto sort = [this, &found](const std::vector<experiment::Problem>& all, auto list) {
    for (const experiment::Problem& problem : all)
      if (const int step = stepOf(QString::fromStdString(problem.pointer)); step >= 0)
        (found[static_cast<std::size_t>(step)].*list).push_back(problem);
  };
  sort(bench_.editor.findings().problems, &experiment::Findings::problems);
  sort(bench_.editor.findings().warnings, &experiment::Findings::warnings);
  for (std::size_t step = 0; step < found.size(); ++step)
    bar_->setFindings(static_cast<int>(step), found[step]);
}

void ExperimentPage::showStep(int index) {
  const StepPage* step = hosted_[static_cast<std::size_t>(index)].page;
  stack_->setCurrentIndex(index);
  if (drawer_->isVisible()) drawer_->followStep(step->prefixes());
}

void ExperimentPage::followExperiment() {
  const QString id = bench_.editor.experimentId();
  if (id.isEmpty() || id == shownId_ || hosted_.empty()) return;
  if (!shownId_.isEmpty()) lastSteps_[shownId_] = currentStep();
  shownId_ = id;
  showPart(lastSteps_.value(id, hosted_.front().name));
}

void ExperimentPage::showPart(const QString& name) {
  for (std::size_t index = 0; index < hosted_.size(); ++index)
    if (hosted_[index].name == name) bar_->setCurrentIndex(static_cast<int>(index));
}

StepPage* ExperimentPage::step(const QString& name) const {
  const auto found = std::ranges::find(hosted_, name, &Hosted::name);
  return found == hosted_.end() ? nullptr : found->page;
}

QString ExperimentPage::currentStep() const {
  return hosted_.empty() ? QString() : hosted_[static_cast<std::size_t>(bar_->currentIndex())].name;
}

int ExperimentPage::stepOf(const QString& pointer) const {
  int owner = -1;
  qsizetype longest = 0;
  for (std::size_t index = 0; index < hosted_.size(); ++index)
    for (const QString& prefix : hosted_[index].page->prefixes())
      if ((pointer == prefix || pointer.startsWith(prefix + '/')) && prefix.size() > longest) {
        owner = static_cast<int>(index);
        longest = prefix.size();
      }
  return owner;
}

void ExperimentPage::jumpTo(const QString& pointer) {
  const int index = stepOf(pointer);
  if (index >= 0) {
    StepPage* step = hosted_[static_cast<std::size_t>(index)].page;
    bar_->setCurrentIndex(index);
    const bool shown = step->reveal(pointer);
    if (!shown && step->prefixes().contains(pointer)) step->setFocus(Qt::OtherFocusReason);
    // A setting that no step edits is edited in the text.
    if (!shown && !step->prefixes().contains(pointer)) toggleDrawer_->setChecked(true);
    if (drawer_->isVisible()) json().showPointer(pointer);
    return;
  }
  if (QWidget* field = findChild<QWidget*>(pointer); field != nullptr && !pointer.isEmpty()) {
    field->setFocus(Qt::OtherFocusReason);
    return;
  }
  toggleDrawer_->setChecked(true);
  json().showPointer(pointer);
  json().setFocus(Qt::OtherFocusReason);
}

void ExperimentPage::rememberBase() {
  base_ = bench_.editor.experiment();
  // A recipe may have been loaded with a data folder; the terminal has to be told of that, too.
  if (const auto recipe = experiment::findRecipe(bench_.editor.origin().toStdString()))
    if (const auto document = experiment::parseJson(recipe->text))
      base_ = experiment::parse(*document).experiment;
  file_.clear();
}

void ExperimentPage::chooseFileToOpen() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open an experiment"), {},
                                                    tr("Experiments (*.json);;All files (*)"));
  if (!file.isEmpty()) openFile(file);
}

void ExperimentPage::openFile(const QString& file) {
  const Result<SourcedDocument> opened = documentOfFile(file);
  if (opened) {
    bench_.editor.load(opened->document, opened->origin);
  } else {
    emit complained(shownText(opened.error().text()));
  }
}

void ExperimentPage::chooseFileToSave() {
  const QString name = QString::fromStdString(bench_.editor.experiment().name);
  const QString file = QFileDialog::getSaveFileName(this, tr("Save the experiment as"),
                                                    QString(name).replace('/', '-') + ".json",
                                                    tr("Experiments (*.json)"));
  if (!file.isEmpty()) saveFile(file);
}

bool ExperimentPage::saveFile(const QString& file) {
  json().commit();
  QSaveFile out(file);
  const QByteArray text = bench_.editor.text().toUtf8() + '\n';
  if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit()) {
    emit complained(tr("%1 was not written: %2").arg(file, out.errorString()));
    return false;
  }
  bench_.editor.undoStack().setClean();
  base_ = bench_.editor.experiment();
  file_ = file;
  emit messageRequested(tr("Saved as %1").arg(file));
  return true;
}

QString ExperimentPage::terminalCommand() const {
  return hosted_.empty()
             ? documentCommandOf(QStringLiteral("train"))
             : hosted_[static_cast<std::size_t>(bar_->currentIndex())].page->terminalCommand();
}

QString ExperimentPage::documentCommandOf(const QString& verb) const {
  // Every edit is stored, so its name is all that the terminal needs.
  if (const QString name = bench_.editor.experimentName(); !name.isEmpty())
    return QStringLiteral("parapet-cli %1 %2").arg(verb, shellWord(name));
  const QString& origin = bench_.editor.origin();
  // The document of a run or of dropped data stands in no file; saving gives it one.
  const bool isDocument = origin.contains(QLatin1Char('/')) || origin.endsWith(".json") ||
                          experiment::findRecipe(origin.toStdString()).ok();
  const QString doc = !file_.isEmpty() ? file_ : isDocument ? origin : QString("experiment.json");
  return documentCommand(verb, doc, base_, bench_.editor.experiment());
}

QList<QAction*> ExperimentPage::pageActions() const {
  QList<QAction*> all = actions_;
  for (const Hosted& hosted : hosted_)
    for (QAction* action : hosted.page->pageActions()) {
      action->setProperty("paletteGroup", hosted.page->title());
      if (!all.contains(action)) all << action;
    }
  return all;
}

nlohmann::json ExperimentPage::saveState() const {
  nlohmann::json states = nlohmann::json::object();
  for (const Hosted& hosted : hosted_) states[hosted.name.toStdString()] = hosted.page->saveState();
  return {{"step", currentStep().toStdString()},
          {"steps", std::move(states)},
          {"json", toggleDrawer_->isChecked()},
          {"defaults", drawer_->showsDefaults().isChecked()},
          {"splitter", splitterState(*splitter_)}};
}

void ExperimentPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  const auto flag = [&state](const char* key) {
    const auto at = state.find(key);
    return at != state.end() && at->is_boolean() && at->get<bool>();
  };
  if (const auto states = state.find("steps"); states != state.end() && states->is_object())
    for (const Hosted& hosted : hosted_)
      if (const auto at = states->find(hosted.name.toStdString()); at != states->end())
        hosted.page->restoreState(*at);
  if (const auto at = state.find("step"); at != state.end() && at->is_string())
    showPart(QString::fromStdString(at->get<std::string>()));
  drawer_->showsDefaults().setChecked(flag("defaults"));
  toggleDrawer_->setChecked(flag("json"));
  restoreSplitter(*splitter_, state);
}

}  // namespace parapet::ui
