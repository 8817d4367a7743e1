// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_page.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QString>
#include <QVBoxLayout>
#include <QWidget>

#include "engine/workspace/downloads.h"
#include "ui/forms/card.h"
#include "ui/forms/document_table.h"
#include "ui/forms/drop_area.h"
#include "ui/forms/field.h"
#include "ui/models/data_models.h"
#include "ui/models/document_text.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/data/data_forms.h"
#include "ui/pages/data/download_dialog.h"
#include "ui/pages/home/recipe_tile.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// Puts the focus where a pointer is edited below `root`: a cell of a DocumentTable, else the Field
/// of the pointer or of the nearest value around it. Stacks and scroll areas on the way show it.
/// False if there is neither.
bool revealPointer(QWidget& root, const QString& pointer);

void showWithin(QWidget& root, QWidget* target) {
  QWidget* inner = target;
  for (QWidget* outer = target->parentWidget(); outer != nullptr && inner != &root;
       inner = outer, outer = outer->parentWidget()) {
    if (auto* stack = qobject_cast<QStackedWidget*>(outer)) stack->setCurrentWidget(inner);
    if (auto* scroll = qobject_cast<QScrollArea*>(outer))
      scroll->ensureWidgetVisible(target, 16, 64);
  }
}

bool revealPointer(QWidget& root, const QString& pointer) {
  for (DocumentTable* table : root.findChildren<DocumentTable*>())
    if (table->reveal(pointer)) {
      showWithin(root, table);
      return true;
    }
  Field* nearest = nullptr;
  for (Field* field : root.findChildren<Field*>()) {
    const QString& at = field->pointer();
    if (!field->isInDocument() || (pointer != at && !pointer.startsWith(at + '/'))) continue;
    if (nearest == nullptr || nearest->pointer().size() < at.size()) nearest = field;
  }
  if (nearest == nullptr) return false;
  showWithin(root, nearest);
  nearest->editWidget()->setFocus(Qt::OtherFocusReason);
  return true;
}

/// A line of text is read up to here; two columns stand side by side in it.
constexpr int kMaxWidth = 1400, kBetweenParts = 12;
constexpr int kPreviewStep = 1;
constexpr int kStepsMargin = 24;

}  // namespace

DataPage::DataPage(Workbench& bench, QWidget* parent)
    : StepPage(parent),
      bench_(bench),
      watch_(bench.editor),
      sideFiles_(bench.editor, watch_),
      vocabulary_(bench.editor),
      steps_(new QListWidget(this)),
      stack_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("dataPage"));
  setAcceptDrops(true);
  watch_.setTakenNames([&store = bench.workspace.store()](const std::string& name) {
    return store.experiments().find(name).ok();
  });
  steps_->setObjectName(QStringLiteral("dataSteps"));
  steps_->setAccessibleName(tr("Steps from a file to imported data"));
  steps_->setToolTip(tr("Shows a step; ↑ and ↓ lead through them"));
  steps_->setFrameShape(QFrame::NoFrame);
  steps_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // On the ground of the page: it is a part of the window, no list of data.
  steps_->setBackgroundRole(QPalette::Window);
  steps_->viewport()->setAutoFillBackground(false);
  steps_->setItemDelegate(new TallRows(steps_));
  import_ = new ImportPanel(bench.workspace, bench.editor, this);
  addSource();
  addPreview();
  addSideFiles();
  addColumns();
  addFilter();
  addVocabularies();
  addSplit();
  addRejectedLines();
  addMasks();
  auto* layout = verticalBox(this, 0);
  auto* across = horizontalBox(nullptr, 0, {8, 8, 0, 0});
  steps_->setFixedWidth(steps_->sizeHintForColumn(0) + kStepsMargin);
  across->addWidget(steps_);
  across->addWidget(stack_, 1);
  layout->addLayout(across, 1);
  auto* result = new QVBoxLayout;
  result->setContentsMargins(24, 8, 24, 8);
  result->addWidget(import_);
  layout->addLayout(result);
  makeActions();
  connect(steps_, &QListWidget::currentRowChanged, stack_, &QStackedWidget::setCurrentIndex);
  // A field that is asked for by name brings its step along.
  connect(stack_, &QStackedWidget::currentChanged, steps_,
          [this](int step) { steps_->setCurrentRow(step); });
  connect(&watch_, &SourceWatch::opened, this, [this](const QStringList& changes) {
    openedPath_ = shownValue(bench_.editor.value("/dataset/path"));
    showChanges(changes);
  });
  connect(&watch_, &SourceWatch::raceChanged, this,
          [this] { emit workChanged(watch_.raceText()); });
  connect(&watch_, &SourceWatch::raceEnded, this, &Page::messageRequested);
  // Both would take twice as long, and its outcome would be another experiment's.
  connect(&bench.runs, &RunController::started, &watch_,
          [this] { watch_.endRace(tr("a run was started")); });
  connect(&watch_, &SourceWatch::openingDropped, this, [this](const QString& path) {
    emit messageRequested(
        tr("%1 was not opened: another experiment was").arg(shownText(QFileInfo(path).fileName())));
  });
  connect(&watch_, &SourceWatch::previewChanged, this, &DataPage::showRecipes);
  connect(&bench.editor, &ExperimentEditor::loaded, this, &DataPage::followLoaded);
  connect(&vocabulary_, &VocabularyTraining::failed, this, &Page::complained);
  connect(&vocabulary_, &VocabularyTraining::trained, this, [this](const QString& sentence) {
    emit messageRequested(sentence);
    emit sideFilesChanged();
    watch_.refresh();
  });
  connect(import_, &ImportPanel::datasetChanged, this, [this] {
    coverage_->setDataset(import_->dataset());
    split_->setDataset(import_->dataset());
  });
  steps_->setCurrentRow(0);
  showRecipes();
}

QVBoxLayout* DataPage::addStep(const QString& title, const QString& sentence, const QString& help,
                               StepHeight height) {
  auto* inside = new QWidget;
  inside->setMaximumWidth(kMaxWidth);
  auto* column = new QVBoxLayout(inside);
  column->setContentsMargins(16, 8, 24, 24);
  auto* layout = verticalBox(nullptr, 12);
  const int number = stack_->count() + 1;
  layout->addWidget(titleWithSign(headingLabel(title, TextSize::kHeading), help));
  auto* quiet = new QuietLabel(sentence);
  quiet->setWordWrap(true);
  layout->addWidget(quiet);
  column->addLayout(layout, height == StepHeight::kOfPage ? 1 : 0);
  if (height == StepHeight::kOfContent) column->addStretch(1);
  stack_->addWidget(scrolling(inside, title));
  steps_->addItem(tr("%1 %2").arg(number).arg(title));
  return layout;
}

void DataPage::addSource() {
  QVBoxLayout* step = addStep(tr("Source"),
                              tr("Interactions (a text file, Parquet, MovieLens, or generated "
                                 "data), or a corpus of texts."),
                              QStringLiteral("docs/data.md#downloading-data"));
  drop_ = new DropArea(
      {.sentence = tr(
           "Drop a file (.csv, .tsv, .jsonl, .gz, .zst, .zip, .parquet) or a folder on this page"),
       .file = tr("Choose a data file"),
       .fileTip = tr("Opens a text file, compressed or not, or a Parquet file"),
       .fileFilter = tr("Data (*.csv *.tsv *.txt *.dat *.data *.jsonl *.ndjson *.json *.gz *.zst "
                        "*.zip *.parquet);;All files (*)"),
       .folder = tr("Choose a data folder"),
       .folderTip = tr("Opens a MovieLens folder or a folder of Parquet files")});
  connect(drop_, &DropArea::chosen, this, [this](const QString& path) { openData(path); });
  auto* fetch = roomyButton(tr("Download…"));
  fetch->setAccessibleName(tr("Download a data set"));
  fetch->setToolTip(tr("Downloads MovieLens, Yambda, or any file on the web"));
  connect(fetch, &QPushButton::clicked, this, &DataPage::askForDownload);
  drop_->addButton(fetch);
  auto* left = new QWidget;
  auto* choices = verticalBox(left, kBetweenParts);
  choices->addWidget(drop_);
  recipes_ = new RecipeTiles;
  connect(recipes_, &RecipeTiles::chosen, this, &DataPage::recipeRequested);
  connect(recipes_, &RecipeTiles::downloadWanted, this, &DataPage::downloadRequested);
  choices->addWidget(recipes_);
  auto* form = new Form(bench_.editor);
  auto* path = addSourceFields(*form)->findChild<QLineEdit*>();
  connect(path, &QLineEdit::editingFinished, this, [this, path] { openTyped(path->text()); });
  auto* byHand = new QCheckBox(tr("Set the text format"), form);
  byHand->setToolTip(tr("Sets delimiter, quote, header and names; they are detected otherwise"));
  // Without its label no gap stays where there is no text.
  QLabel* beside = form->addRow({}, byHand);
  addSourceSettings(*form);
  form->addFindings("/dataset");
  step->addWidget(new SideBySide(left, form, kBetweenParts));
  connect(byHand, &QCheckBox::clicked, this, [this](bool on) {
    bench_.editor.setValue("/dataset/format", on ? nlohmann::json::object() : nlohmann::json(),
                           tr("Change the text format"));
  });
  const auto follow = [this, byHand, beside] {
    for (QWidget* part : std::initializer_list<QWidget*>{byHand, beside})
      part->setVisible(bench_.editor.value("/dataset/source") == "csv");
    byHand->setChecked(!bench_.editor.value("/dataset/format").is_null());
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, byHand, follow);
  follow();
}

void DataPage::addPreview() {
  QVBoxLayout* step = addStep(tr("Preview"), tr("The first rows as the source has them."),
                              QStringLiteral("docs/data.md#your-own-data"), StepHeight::kOfPage);
  proposal_ = new ProposalPanel(bench_.editor, watch_);
  preview_ = new PreviewPanel(bench_.editor, watch_, sideFiles_);
  changes_ = new QuietLabel(QString());
  changes_->setWordWrap(true);
  changes_->hide();
  step->addWidget(proposal_);
  step->addWidget(changes_);
  step->addWidget(preview_, 1);
  step->addWidget(&proposal_->reasonView());
  // While there is no preview the rest stays on top.
  step->addStretch(0);
  // The rows are not those of the data that are being opened.
  connect(&watch_, &SourceWatch::openingChanged, preview_, [this] {
    const bool opens = !watch_.opening().isEmpty();
    preview_->setVisible(!opens);
    proposal_->reasonView().setVisible(!opens && proposal_->reasons().rowCount() > 0);
    if (opens) showChanges({});
  });
  // While there is no preview the rest stays on top.
  step->addStretch(0);
  // The rows are not those of the data that are being opened.
  connect(&watch_, &SourceWatch::openingChanged, preview_,
          [this] { preview_->setVisible(watch_.opening().isEmpty()); });
}

void DataPage::addSideFiles() {
  side_ = new SideFilesPanel(bench_.editor, sideFiles_);
  addStep(tr("Titles and vectors"),
          tr("Files beside the data that tell of their users and items, joined by the raw id."),
          QStringLiteral("docs/data.md#titles-attributes-and-cold-items"))
      ->addWidget(side_);
}

void DataPage::addColumns() {
  QVBoxLayout* step =
      addStep(tr("Columns and label"),
              tr("Columns that the data set keeps. Roles can be chosen above the preview as well."),
              QStringLiteral("docs/data.md#your-own-data"));
  auto* columns = new DocumentTable(new ColumnsModel(bench_.editor), tr("Columns"),
                                    tr("The columns user, item and time of the source. Choose "
                                       "roles above the preview, or add columns here."));
  columns->setHelp(QStringLiteral("docs/data.md#your-own-data"));
  step->addWidget(columns);
  auto* form = new Form(bench_.editor);
  addLabelFields(*form);
  step->addWidget(form);
}

void DataPage::addFilter() {
  QVBoxLayout* step = addStep(tr("Filter"), tr("Rows to keep, and columns derived from others."),
                              QStringLiteral("docs/data.md#your-own-data"));
  auto* derived =
      new DocumentTable(new DerivedModel(bench_.editor), tr("Derived columns"),
                        tr("None. Add one for the hour, the weekday or buckets of a number."));
  derived->setHelp(QStringLiteral("docs/data.md#your-own-data"));
  step->addWidget(derived);
  filter_ = new FilterPanel(bench_.editor, watch_);
  step->addWidget(filter_);
}

void DataPage::addVocabularies() {
  QVBoxLayout* step =
      addStep(tr("Vocabularies"), tr("How raw ids map to rows of embedding tables; row 0 is OOV."),
              QStringLiteral("glossary/vocabulary"));
  auto* vocabularies = new DocumentTable(
      new VocabulariesModel(bench_.editor), tr("Vocabularies"),
      tr("No vocabulary: raw ids have no rows. Add one for the columns user and item."));
  vocabularies->setHelp(QStringLiteral("glossary/vocabulary"));
  step->addWidget(vocabularies);
  step->addWidget(&import_->vocabularyView());
  coverage_ = new CoveragePanel;
  step->addWidget(coverage_);
}

void DataPage::addSplit() {
  QVBoxLayout* step = addStep(tr("Split"), tr("Rows for training, validation and test."),
                              QStringLiteral("glossary/split"));
  auto* form = new Form(bench_.editor);
  addSplitFields(*form, bench_.editor, watch_);
  form->addFindings("/dataset/split");
  split_ = new SplitPanel(bench_.editor);
  step->addWidget(new SideBySide(form, split_, kBetweenParts));
}

void DataPage::addRejectedLines() {
  QVBoxLayout* step = addStep(tr("Rejected lines"),
                              tr("Lines that the last import could not read, with the reason. More "
                                 "of them than the accepted share end the import."),
                              QStringLiteral("docs/data.md#your-own-data"));
  auto* none = new QuietLabel(tr("None is known. An import checks every line."));
  step->addWidget(none);
  step->addWidget(&import_->rejectedLineView());
  const auto follow = [this, none] {
    none->setText(import_->dataset() != nullptr
                      ? tr("No line was rejected.")
                      : tr("None is known. An import checks every line."));
    none->setVisible(import_->rejectedLines().rowCount() == 0);
  };
  connect(&import_->rejectedLines(), &QAbstractItemModel::modelReset, none, follow);
  connect(import_, &ImportPanel::datasetChanged, none, follow);
}

void DataPage::addMasks() {
  masking_ = new MaskingPanel(bench_.editor);
  addStep(tr("Tokens and masks"),
          tr("The first training lines as the model reads them, with what it is to predict."),
          QStringLiteral("docs/data.md#texts"), StepHeight::kOfPage)
      ->addWidget(masking_, 1);
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &DataPage::followKind);
  followKind();
}

void DataPage::followKind() {
  const int step = stack_->count() - 1;
  const bool reads = bench_.editor.experiment().dataset.isText();
  steps_->item(step)->setHidden(!reads);
  if (!reads && currentStep() == step) showStep(0);
}

void DataPage::makeActions() {
  offer(tr("Choose a data file…"), {}, [this] { drop_->askForFile(); });
  offer(tr("Choose a data folder…"), {}, [this] { drop_->askForFolder(); });
  offer(tr("Download a data set…"), {}, [this] { askForDownload(); });
  offer(tr("Read the source again"), {}, [this] { watch_.refresh(); });
  offer(tr("Propose an experiment for the data"), {}, [this] {
    if (proposal_->button().isHidden()) return;
    showStep(kPreviewStep);
    watch_.propose();
  });
  offer(tr("Import the data"), {}, [this] {
    if (!import_->running()) import_->start();
  });
}

void DataPage::askForData() {
  if (bench_.editor.experiment().dataset.source == experiment::SourceKind::kMovielens)
    drop_->askForFolder();
  else
    drop_->askForFile();
}

void DataPage::askForDownload() {
  const auto folder = workspace::downloadsFolder(bench_.workspace.folder());
  auto* dialog = new DownloadDialog(QString::fromStdString(folder.string()), window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &DownloadDialog::downloaded, this,
          [this](const QString& path) { openData(path); });
  dialog->open();
}

void DataPage::trainVocabulary() {
  emit messageRequested(tr("Training a vocabulary on the texts …"));
  vocabulary_.start();
}

void DataPage::openData(const QString& path, SourceWatch::Into into) {
  openedPath_ = path;
  // Where the proposal stands, and can be corrected.
  showStep(kPreviewStep);
  watch_.open(path, into);
}

void DataPage::followLoaded() {
  openedPath_ = shownValue(bench_.editor.value("/dataset/path"));
  showChanges({});
  // The source while there is none to preview.
  showStep(openedPath_.isEmpty() ? 0 : kPreviewStep);
}

void DataPage::openTyped(const QString& path) {
  if (path.isEmpty() || path == openedPath_ || !QFileInfo::exists(path)) return;
  openData(path);
}

void DataPage::showRecipes() {
  recipes_->setVisible(watch_.state() == SourceWatch::State::kNothing);
}

void DataPage::showChanges(const QStringList& changes) {
  changes_->setText(tr("Changed for these data: %1.").arg(changes.join(QStringLiteral("; "))));
  changes_->setVisible(!changes.isEmpty());
}

void DataPage::showStep(int step) {
  if (step >= 0 && step < stack_->count() && !steps_->item(step)->isHidden())
    steps_->setCurrentRow(step);
}

bool DataPage::reveal(const QString& pointer) {
  return revealPointer(*this, pointer);
}

QString DataPage::terminalCommand() const {
  const experiment::Dataset& dataset = bench_.editor.experiment().dataset;
  const QString origin = bench_.editor.origin();
  if (currentStep() == stack_->count() - 1 && dataset.isText())
    if (const QString name = bench_.editor.experimentName(); !name.isEmpty())
      return QStringLiteral("parapet-cli preview %1 ").arg(shellWord(name)) +
             masking_->terminalOptions();
  QString command = QStringLiteral("parapet-cli preview ");
  if (dataset.path && !dataset.path->empty()) {
    command += shellWord(QString::fromStdString(*dataset.path));
  } else if (const QString name = bench_.editor.experimentName(); !name.isEmpty()) {
    command += shellWord(name);
  } else if (dataset.source == experiment::SourceKind::kGenerated && !origin.isEmpty() &&
             !origin.startsWith("run ")) {
    command += shellWord(origin);
  } else {
    return QStringLiteral("parapet-cli recipes");
  }
  if (dataset.filter)
    command += QStringLiteral(" --filter ") + shellWord(QString::fromStdString(*dataset.filter));
  return command;
}

nlohmann::json DataPage::saveState() const {
  return {{"step", currentStep()}};
}

void DataPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  const auto step = state.find("step");
  if (step != state.end() && step->is_number_integer()) showStep(step->get<int>());
}

void DataPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  watch_.setActive(true);
}

void DataPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  watch_.setActive(false);
}

void DataPage::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void DataPage::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return;
  const QString path = urls.front().toLocalFile();
  // An experiment is opened by the window.
  if (path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive) &&
      !workspace::detectSource(path.toStdString()))
    return event->ignore();
  event->acceptProposedAction();
  openData(path);
}

}  // namespace parapet::ui
