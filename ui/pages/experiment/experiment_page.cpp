// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/experiment_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSaveFile>
#include <QVBoxLayout>

#include "engine/base/files.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/splitter_state.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_source.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/experiment/data_section.h"
#include "ui/pages/experiment/mesh_section.h"
#include "ui/pages/experiment/model_section.h"
#include "ui/pages/experiment/tables_section.h"
#include "ui/pages/experiment/title_bar.h"
#include "ui/pages/experiment/training_section.h"

namespace parapet::ui {
namespace {

QLabel* makeHeading(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  return label;
}

}  // namespace

ExperimentPage::ExperimentPage(const Workbench& bench, QWidget* parent)
    : Page(parent),
      bench_(bench),
      preflight_(bench.workspace, bench.editor),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      json_(new JsonView(bench.editor, this)),
      draftBar_(new QWidget(this)),
      draftText_(new QLabel(this)),
      problems_(new ProblemsPanel(bench.editor, this)) {
  makeActions();
  makeSections();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(new TitleBar(bench.editor, actions_, this));
  splitter_->addWidget(makeFormSide());
  splitter_->addWidget(makeJsonSide());
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 2);
  splitter_->setChildrenCollapsible(false);
  splitter_->setSizes({760, 440});
  layout->addWidget(splitter_, 1);
  layout->addWidget(problems_);
  connect(problems_, &ProblemsPanel::jumpRequested, this, &ExperimentPage::jumpTo);
  connect(&bench.editor, &ExperimentEditor::findingsChanged, this, &ExperimentPage::followFindings);
  connect(&bench.editor, &ExperimentEditor::loaded, this, &ExperimentPage::rememberBase);
  connect(&preflight_, &PreflightWatch::changed, this, &ExperimentPage::followPreflight);
  connect(&data_->importPanel(), &ImportPanel::imported, &preflight_, &PreflightWatch::refresh);
  rememberBase();
  followFindings();
  followPreflight();
}

void ExperimentPage::makeActions() {
  addPageAction(tr("Open an experiment…"), tr("Open…"), QKeySequence::Open,
                &ExperimentPage::chooseFileToOpen);
  addPageAction(tr("Save the experiment as…"), tr("Save as…"), QKeySequence::SaveAs,
                &ExperimentPage::chooseFileToSave);
  addPageAction(tr("Verify the experiment: train a few steps twice and compare"), tr("Verify"),
                QKeySequence(QStringLiteral("Ctrl+Shift+V")), &ExperimentPage::verify);
  QUndoStack& steps = bench_.editor.undoStack();
  QAction* undo = steps.createUndoAction(this, tr("Undo"));
  QAction* redo = steps.createRedoAction(this, tr("Redo"));
  // Their keys are those of the window. The text names the step and is long: the buttons keep
  // their width.
  undo->setIconText(tr("Undo"));
  redo->setIconText(tr("Redo"));
  actions_ = QList<QAction*>{undo, redo} + actions_;
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

void ExperimentPage::makeSections() {
  ExperimentEditor& editor = bench_.editor;
  data_ = new DataSection(bench_.workspace, editor, stack_);
  tables_ = new TablesSection(editor, stack_);
  mesh_ = new MeshSection(bench_.workspace, editor, stack_);
  mesh_->verifyPanel().setDocumentCommand(
      [this](const QString& verb) { return documentCommandOf(verb); });
  sections_ = {data_, tables_, new ModelSection(editor, stack_), mesh_,
               new TrainingSection(editor, stack_)};
  for (Section* section : sections_) {
    stack_->addWidget(section);
    tabs_->addTab(section->title());
    connect(section, &Section::pageRequested, this, &Page::pageRequested);
  }
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("Sections of the experiment"));
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
}

QWidget* ExperimentPage::makeFormSide() {
  auto* side = new QWidget(splitter_);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* line = new QHBoxLayout();
  line->setContentsMargins(16, 0, 16, 0);
  line->addWidget(tabs_);
  line->addStretch(1);
  layout->addLayout(line);
  layout->addWidget(stack_, 1);
  return side;
}

QWidget* ExperimentPage::makeJsonSide() {
  auto* side = new QWidget(splitter_);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 4, 16, 0);
  layout->setSpacing(8);
  layout->addWidget(makeHeading(tr("Document"), side));
  auto* line = new QHBoxLayout(draftBar_);
  line->setContentsMargins(0, 0, 0, 0);
  draftText_->setWordWrap(true);
  line->addWidget(draftText_, 1);
  auto* discard = new QPushButton(tr("Discard"), draftBar_);
  discard->setToolTip(tr("Discards what was typed since the last valid JSON."));
  discard->setAccessibleName(tr("Discard the typed text"));
  connect(discard, &QPushButton::clicked, this, &ExperimentPage::discardDraft);
  line->addWidget(discard, 0, Qt::AlignTop);
  layout->addWidget(draftBar_);
  layout->addWidget(json_, 1);
  return side;
}

void ExperimentPage::followFindings() {
  const auto& draft = bench_.editor.draftError();
  draftBar_->setVisible(draft.has_value());
  if (draft)
    draftText_->setText(tr("The text is not valid JSON; the form shows the last valid one. %1")
                            .arg(shownText(draft->message)));
  // Form and text would speak of different documents.
  stack_->setEnabled(!draft);
  for (std::size_t index = 0; index < sections_.size(); ++index) {
    const experiment::Findings findings = sections_[index]->findings();
    const int tab = static_cast<int>(index);
    const Severity severity = severityOf(findings);
    const std::size_t count = findings.problems.size() + findings.warnings.size();
    tabs_->setTabText(tab, count == 0 ? sections_[index]->title()
                                      : tr("%1 (%2)").arg(sections_[index]->title()).arg(count));
    tabs_->setTabIcon(tab, severityIcon(palette(), severity));
    tabs_->setTabToolTip(tab, count == 0 ? QString() : findingsSummary(findings));
  }
}

void ExperimentPage::followPreflight() {
  tables_->setPreflight(preflight_.latest());
  mesh_->setPreflight(preflight_.latest());
}

void ExperimentPage::jumpTo(const QString& pointer) {
  json_->showPointer(pointer);
  for (std::size_t index = 0; index < sections_.size(); ++index)
    if (sections_[index]->owns(pointer)) {
      tabs_->setCurrentIndex(static_cast<int>(index));
      sections_[index]->reveal(pointer);
      return;
    }
  // Fields without a section are edited in the text, the name excepted.
  if (QWidget* field = findChild<QWidget*>(pointer); field != nullptr && !pointer.isEmpty()) {
    field->setFocus(Qt::OtherFocusReason);
  } else {
    json_->setFocus(Qt::OtherFocusReason);
  }
}

void ExperimentPage::rememberBase() {
  base_ = bench_.editor.experiment();
  // A recipe may have been loaded with a data folder; the terminal has to be told of that, too.
  if (const auto recipe = experiment::findRecipe(bench_.editor.origin().toStdString()))
    if (const auto document = experiment::parseJson(recipe->text))
      base_ = experiment::parse(*document).experiment;
  file_.clear();
}

void ExperimentPage::discardDraft() {
  bench_.editor.setText(textOf(bench_.editor.document()));
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
    emit messageRequested(shownText(opened.error().text()));
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
  json_->commit();
  QSaveFile out(file);
  const QByteArray text = bench_.editor.text().toUtf8() + '\n';
  if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit()) {
    emit messageRequested(tr("%1 was not written: %2").arg(file, out.errorString()));
    return false;
  }
  bench_.editor.undoStack().setClean();
  base_ = bench_.editor.experiment();
  file_ = file;
  emit messageRequested(tr("Saved as %1").arg(file));
  return true;
}

void ExperimentPage::verify() {
  jumpTo("/mesh");
  mesh_->verifyPanel().start();
}

QString ExperimentPage::terminalCommand() const {
  return documentCommandOf(QStringLiteral("train"));
}

QString ExperimentPage::documentCommandOf(const QString& verb) const {
  const QString& origin = bench_.editor.origin();
  const bool isRun = origin.startsWith("run ");
  // The document of a run stands in no file; saving gives it one.
  const QString doc = !file_.isEmpty()            ? file_
                      : origin.isEmpty() || isRun ? QString("experiment.json")
                                                  : origin;
  return documentCommand(verb, doc, base_, bench_.editor.experiment());
}

QList<QAction*> ExperimentPage::pageActions() const {
  return actions_;
}

nlohmann::json ExperimentPage::saveState() const {
  return {{"section", tabs_->currentIndex()}, {"splitter", splitterState(*splitter_)}};
}

void ExperimentPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  if (const auto section = state.find("section");
      section != state.end() && section->is_number_integer())
    tabs_->setCurrentIndex(section->get<int>());
  restoreSplitter(*splitter_, state);
}

}  // namespace parapet::ui
