// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/tables/tables_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>

#include "ui/forms/card.h"
#include "ui/forms/cell_delegates.h"
#include "ui/models/mesh_report.h"
#include "ui/pages/tables/warm_start_form.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// Header, three rows and the bar that scrolls sideways; below it the page scrolls.
constexpr int kMinTable = 140;

}  // namespace

TablesPage::TablesPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
                       QWidget* parent)
    : StepPage(parent),
      bench_(bench),
      preflight_(preflight),
      command_(std::move(command)),
      tableModel_(new TablesModel(bench.editor, this)),
      featureModel_(new FeaturesModel(bench.editor, this)),
      splitter_(new LowWidget<QSplitter>(Qt::Vertical, this)),
      tableView_(
          new DocumentTable(tableModel_, tr("Embedding tables"),
                            tr("No table yet. Each maps the ids of a vocabulary to vectors: add "
                               "one, or let the features of your columns bring theirs."))),
      featureView_(new DocumentTable(featureModel_, tr("Features"),
                                     tr("No feature yet. Each reads a column of the data: add one "
                                        "for every column that the model should know."))),
      totals_(new QLabel(this)),
      memory_(new QuietLabel({}, this)),
      import_(new QPushButton(tr("Import the data…"), this)),
      share_(new QMenu(tr("Look up the table"), this)) {
  setObjectName(QStringLiteral("tablesPage"));
  auto* content = new QWidget;
  auto* inside = verticalBox(content, 12, {16, 12, 16, 8});
  for (DocumentTable* table : {tableView_, featureView_}) {
    table->fillRoom();
    table->view().setMinimumHeight(kMinTable);
    table->view().setItemDelegateForColumn(0, new PathDelegate(&table->view()));
    splitter_->addWidget(table);
  }
  QTableView& tables = tableView_->view();
  tables.setItemDelegateForColumn(TablesModel::kWarmStart,
                                  new WarmStartDelegate(bench_.workspace, &tables));
  tableView_->setHelp(QStringLiteral("glossary/embedding table"));
  featureView_->setHelp(QStringLiteral("docs/experiment.md#tables-and-features"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setStretchFactor(0, 2);
  splitter_->setStretchFactor(1, 3);
  totals_->setAccessibleName(tr("Totals of the tables"));
  totals_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  memory_->setAccessibleName(tr("Memory of the run"));
  memory_->setWordWrap(true);
  inside->addWidget(makeFree());
  inside->addWidget(splitter_, 1);
  inside->addLayout(makeTotals());
  auto* layout = verticalBox(this, 0);
  QScrollArea* scroll = scrolling(content, tr("Tables and features"));
  layout->addWidget(scroll, 1);
  makeSharing();
  makeActions();
  connectParts();
  follow();
}

QLayout* TablesPage::makeTotals() {
  auto* texts = verticalBox(nullptr, 4);
  texts->addWidget(totals_);
  texts->addWidget(memory_);
  auto* line = new QHBoxLayout;
  line->addLayout(texts, 1);
  line->addWidget(import_, 0, Qt::AlignTop);
  import_->setAccessibleName(import_->text());
  import_->setToolTip(tr("Opens the step Data, which imports; then rows and bytes are known"));
  connect(import_, &QPushButton::clicked, this,
          [this] { emit pageRequested(QStringLiteral("experiment/data")); });
  return line;
}

QWidget* TablesPage::makeFree() {
  free_ = new QWidget(this);
  auto* line = horizontalBox(free_);
  freeText_ = new QLabel(free_);
  freeText_->setWordWrap(true);
  auto* add = new QPushButton(tr("Add a feature for each"), free_);
  add->setAccessibleName(add->text());
  add->setObjectName(QStringLiteral("addFreeColumns"));
  add->setToolTip(
      tr("Adds the features, the tables of vocabularies that have none yet, and what keeps the "
         "towers as wide as each other"));
  connect(add, &QPushButton::clicked, this, &TablesPage::addFreeColumns);
  line->addWidget(freeText_, 1);
  line->addWidget(add);
  return free_;
}

void TablesPage::makeSharing() {
  QTableView& features = featureView_->view();
  features.setDragDropMode(QAbstractItemView::DragOnly);
  features.setDefaultDropAction(Qt::LinkAction);
  QTableView& tables = tableView_->view();
  tables.setDragDropMode(QAbstractItemView::DropOnly);
  tables.setDragDropOverwriteMode(true);
  share_->setToolTip(tr("The selected feature shares the vectors of a table (Ctrl+T)"));
  connect(share_, &QMenu::aboutToShow, this, &TablesPage::fillShareMenu);
  features.addAction(share_->menuAction());
}

void TablesPage::fillShareMenu() {
  share_->clear();
  const int row = featureView_->view().currentIndex().row();
  for (const experiment::Table& table : bench_.editor.experiment().tables) {
    const QString name = QString::fromStdString(table.name);
    QAction* action = share_->addAction(name, this, [this, row, name] {
      if (row >= 0) shareTable(bench_.editor, row, name);
    });
    action->setEnabled(row >= 0);
  }
}

void TablesPage::makeActions() {
  offer(tr("Share a table with the selected feature…"), QKeySequence(Qt::CTRL | Qt::Key_T), [this] {
    QTableView& view = featureView_->view();
    const QRect cell = view.visualRect(view.currentIndex());
    share_->popup(view.viewport()->mapToGlobal(cell.bottomLeft()));
  });
  offer(tr("Add a feature for every column that none reads"), {}, [this] { addFreeColumns(); });
  offer(tr("Add an embedding table"), {}, [this] { tableView_->addButton().click(); });
}

void TablesPage::connectParts() {
  connect(&preflight_, &PreflightWatch::changed, this, &TablesPage::follow);
  connect(&bench_.bridge, &RunBridge::runStarted, this, [this] {
    counted_ = {};
    countedFor_ = bench_.editor.experimentId();
    showCounts();
  });
  connect(&bench_.bridge, &RunBridge::timeSpent, this,
          [this](const QString&, const experiment::TimeSpent& event) { countIds(event.use); });
  connect(&bench_.editor, &ExperimentEditor::experimentChanged, this, &TablesPage::showCounts);
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &TablesPage::follow);
  connect(&bench_.editor, &ExperimentEditor::findingsChanged, this, &TablesPage::follow);
}

void TablesPage::countIds(const experiment::TimeUse& use) {
  counted_.add(use);
  showCounts();
}

/// Counts of a run of another experiment say nothing of the features of this one.
void TablesPage::showCounts() {
  const bool isOwn = bench_.editor.experimentId() == countedFor_;
  featureModel_->setCounts(isOwn ? counted_.features : decltype(counted_.features)());
  tableModel_->setCaches(isOwn ? counted_.caches : decltype(counted_.caches)());
}

void TablesPage::follow() {
  // Text that is no JSON waits beside; an edit here would take it away.
  splitter_->setEnabled(!bench_.editor.draftError());
  tableModel_->setEstimates(preflight_.latest().tables);
  totals_->setText(tableModel_->totals());
  memory_->setText(memoryText(preflight_.latest()));
  import_->setVisible(tableModel_->unknownTables() > 0);
  const QStringList columns = featureModel_->freeColumns();
  free_->setVisible(!columns.isEmpty());
  freeText_->setText(tr("No feature reads: %1").arg(columns.join(", ")));
}

void TablesPage::addFreeColumns() {
  bench_.editor.undoStack().beginMacro(tr("Add features"));
  for (auto left = featureModel_->freeColumns().size(); left > 0; --left) featureModel_->addRow(0);
  bench_.editor.undoStack().endMacro();
}

QStringList TablesPage::prefixes() const {
  return {QStringLiteral("/tables"), QStringLiteral("/features")};
}

bool TablesPage::reveal(const QString& pointer) {
  return tableView_->reveal(pointer) || featureView_->reveal(pointer);
}

QString TablesPage::terminalCommand() const {
  return command_(QStringLiteral("plan"));
}

nlohmann::json TablesPage::saveState() const {
  return {{"splitter", splitterState(*splitter_)}};
}

void TablesPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  restoreSplitter(*splitter_, state);
}

}  // namespace parapet::ui
