// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/plan_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/mesh_report.h"
#include "ui/models/runs_format.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kEmptyMargin = 12;

/// A button with its name and what it does.
QPushButton* makeButton(const QString& text, const QString& toolTip, QWidget* parent) {
  auto* button = new QPushButton(text, parent);
  button->setAccessibleName(toolTip);
  button->setToolTip(toolTip);
  return button;
}

}  // namespace

PlanPanel::PlanPanel(PlanWatch& watch, ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      watch_(watch),
      editor_(editor),
      plan_(makeButton(tr("Plan again"),
                       tr("Computes the placement of every table and the step time"), this)),
      cancel_(makeButton(tr("Cancel"),
                         tr("Stops planning and keeps what is shown, until it is planned again"),
                         this)),
      apply_(makeButton(tr("Apply plan"),
                        tr("Writes the placements of the plan into the tables of the document"),
                        this)),
      import_(makeButton(tr("Import and plan"),
                         tr("Imports the data, which a run then need not do, and plans with the "
                            "sizes of their vocabularies"),
                         this)),
      progress_(new ThinProgressBar(this)),
      headline_(new QLabel(this)),
      empty_(new QuietLabel({}, this)),
      findings_(new FindingsLabel(this)),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      colorBy_(new QComboBox(this)),
      scroll_(new QScrollArea(this)),
      view_(new PlanView),
      tables_(new ReportTableModel(planTableTitles(), planTableNumbers(), this)),
      devices_(new ReportTableModel(planDeviceTitles(), planDeviceNumbers(), this)),
      tablesView_(makeReportView(*tables_, tr("Placement of each table"), this)),
      devicesView_(makeReportView(*devices_, tr("Memory and time of each device"), this)) {
  headline_->setAccessibleName(tr("Summary of the plan"));
  headline_->setWordWrap(true);
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  makeViews();
  auto* layout = verticalBox(this, 8);
  layout->addLayout(makeButtons());
  layout->addWidget(progress_);
  layout->addWidget(findings_);
  layout->addLayout(makeTools());
  // A view that is not shown asks for no width.
  stack_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
  layout->addWidget(stack_, 1);
  connectParts();
  follow();
  followRunning();
}

QLayout* PlanPanel::makeButtons() {
  plan_->setObjectName(QStringLiteral("planStart"));
  apply_->setObjectName(QStringLiteral("planApply"));
  import_->setObjectName(QStringLiteral("planImport"));
  progress_->setAccessibleName(tr("Progress of the plan"));
  auto* line = horizontalBox(nullptr, 8);
  line->addWidget(headline_, 1);
  for (QWidget* button : {plan_, cancel_, apply_}) line->addWidget(button, 0, Qt::AlignTop);
  return line;
}

QLayout* PlanPanel::makeTools() {
  colorBy_->addItem(tr("Bytes sent per step"));
  colorBy_->addItem(tr("Rows read per step"));
  colorBy_->addItem(tr("Bytes on a device"));
  colorBy_->setAccessibleName(tr("Colour of the tables"));
  colorBy_->setToolTip(
      tr("Colours a table by the bytes that all devices send for it per step, by the rows that a "
         "step reads from its shard on a device, or by the bytes of that shard"));
  auto* copy = new QAction(tr("Copy the picture"), this);
  connect(copy, &QAction::triggered, this,
          [this] { QApplication::clipboard()->setPixmap(view_->grab()); });
  auto* save = new QAction(tr("Picture as PNG…"), this);
  connect(save, &QAction::triggered, this, &PlanPanel::chooseExport);
  export_ = exportButton(tr("Export the picture of the plan"),
                         tr("Copy or save the picture of the plan"), {copy, save}, this);
  // In a narrow window the tools stand below the tabs.
  auto* line = new FlowLayout(nullptr, 8, 4);
  line->fillLines();
  tabs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  line->addWidget(tabs_);
  for (QWidget* tool : std::initializer_list<QWidget*>{colorBy_, export_}) line->addWidget(tool);
  return line;
}

void PlanPanel::makeViews() {
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("View of the plan"));
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setMargin(kEmptyMargin);
  empty_->setMinimumHeight(3 * empty_->fontMetrics().lineSpacing() + 2 * kEmptyMargin);
  auto* picture = new QWidget;
  auto* layers = verticalBox(picture);
  layers->addWidget(empty_, 1);
  layers->addWidget(import_, 0, Qt::AlignHCenter | Qt::AlignTop);
  layers->addWidget(scroll_, 1);
  scroll_->setWidget(view_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  // The view is as high as the picture: the page scrolls down, one bar for all.
  scroll_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setAccessibleName(tr("Picture of the plan"));
  addTab(tr("Picture"), tr("Devices as columns, tables as blocks"), picture);
  addTab(tr("Tables"), tr("The same as a table; Ctrl+C copies it"), tablesView_);
  addTab(tr("Devices"), tr("Memory and time of each device; Ctrl+C copies it"), devicesView_);
  tablesView_->horizontalHeader()->setStretchLastSection(true);
}

void PlanPanel::addTab(const QString& title, const QString& toolTip, QWidget* widget) {
  const int tab = tabs_->addTab(title);
  tabs_->setTabToolTip(tab, toolTip);
  stack_->addWidget(widget);
}

void PlanPanel::showTab(QWidget* widget) {
  tabs_->setCurrentIndex(std::max(stack_->indexOf(widget), 0));
}

void PlanPanel::connectParts() {
  connect(plan_, &QPushButton::clicked, &watch_, &PlanWatch::start);
  connect(cancel_, &QPushButton::clicked, &watch_, &PlanWatch::cancel);
  connect(apply_, &QPushButton::clicked, this, [this] {
    if (const auto* plan = watch_.plan()) placeAsPlanned(editor_, *plan);
  });
  connect(import_, &QPushButton::clicked, &watch_, &PlanWatch::importAndPlan);
  connect(&watch_, &PlanWatch::progressed, this, &PlanPanel::showProgress);
  connect(&watch_, &PlanWatch::changed, this, &PlanPanel::follow);
  connect(&watch_, &PlanWatch::runningChanged, this, &PlanPanel::followRunning);
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  connect(tabs_, &QTabBar::currentChanged, this, &PlanPanel::follow);
  connect(colorBy_, &QComboBox::currentIndexChanged, view_,
          [this](int index) { view_->setColorBy(static_cast<PlanView::ColorBy>(index)); });
  connect(colorBy_, &QComboBox::activated, this, [this] { colorChosen_ = true; });
  connect(view_, &PlanView::tableChosen, this, &PlanPanel::tableChosen);
  connect(tablesView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) {
            if (now.isValid()) emit tableChosen(now.row());
          });
}

void PlanPanel::followRunning() {
  const bool running = watch_.running();
  cancel_->setVisible(running);
  progress_->setVisible(running);
  progress_->showShare(0, 0);
  stage_.clear();
  follow();
}

void PlanPanel::showProgress(const QString& stage, qint64 done, qint64 total) {
  progress_->showShare(done, total);
  stage_ = progressText(stage, done, total);
  headline_->setText(headlineText());
}

void PlanPanel::follow() {
  // The page plans by itself, unless that was cancelled.
  plan_->setVisible(!watch_.running() && !watch_.isCurrent() && !watch_.followsDocument());
  setUsable(*plan_, watch_.canStart() && !watch_.running(),
            watch_.running() ? tr("A plan is being made")
                             : tr("Fix the problems of the experiment first"));
  const auto& tables = editor_.experiment().tables;
  const bool open = std::ranges::any_of(
      tables, [](const auto& table) { return table.placement == experiment::Placement::kAuto; });
  setUsable(*apply_, watch_.plan() != nullptr && watch_.isCurrent() && open,
            !open ? tr("No table leaves its placement to the planner")
                  : tr("There is no plan of the present experiment"));
  headline_->setText(headlineText());
  empty_->setText(emptyText());
  // Before the import a problem for each table would say what one sentence says below.
  findings_->setFindings(watch_.report() && !lacksRows() ? watch_.report()->findings
                                                         : experiment::Findings{});
  showPlan();
}

void PlanPanel::showPlan() {
  const mesh::ShardingPlan* plan = watch_.plan();
  scroll_->setVisible(plan != nullptr);
  empty_->setVisible(plan == nullptr);
  import_->setVisible(lacksRows() && editor_.experiment().dataset.namesData() && !watch_.running());
  const bool picture = plan != nullptr && tabs_->currentIndex() == 0;
  for (QWidget* tool : std::initializer_list<QWidget*>{colorBy_, export_})
    tool->setVisible(picture);
  const experiment::Mesh& mesh = watch_.planned().mesh;
  PlanPicture next = plan != nullptr ? pictureOf(*plan, mesh) : PlanPicture{};
  // On one memory nothing is sent, and every block would have the same colour.
  if (!colorChosen_ && plan != nullptr)
    colorBy_->setCurrentIndex(static_cast<int>(next.maxTraffic > 0 ? PlanView::ColorBy::kTraffic
                                                                   : PlanView::ColorBy::kBytes));
  view_->setPicture(std::move(next));
  scroll_->setMinimumHeight(view_->minimumHeight() +
                            scroll_->horizontalScrollBar()->sizeHint().height());
  const int table = std::max(0, view_->selectedTable());
  tables_->setRows(plan != nullptr ? planTableRows(*plan, mesh)
                                   : std::vector<ReportTableModel::Row>{});
  devices_->setRows(plan != nullptr ? planDeviceRows(*plan) : std::vector<ReportTableModel::Row>{});
  for (QTableView* view : {tablesView_, devicesView_}) view->resizeColumnsToContents();
  if (table < tables_->rowCount()) selectTable(table);
}

void PlanPanel::selectTable(int table) {
  view_->selectTable(table);
  tablesView_->setCurrentIndex(tables_->index(table, 0));
}

QString PlanPanel::headlineText() const {
  if (watch_.running() && !stage_.isEmpty()) return stage_;
  if (watch_.running()) return tr("Planning: measuring this machine, then comparing placements.");
  const mesh::ShardingPlan* plan = watch_.plan();
  if (plan == nullptr)
    return watch_.report() && !lacksRows() ? tr("No plan: see below.") : tr("Not planned yet.");
  const auto devices = static_cast<int>(plan->devices.size());
  QString text = tr("A step of %1 rows takes about %2 on %3.")
                     .arg(countText(watch_.report()->batchRows), stepTimeText(plan->stepSeconds),
                          devices == 1 ? tr("1 device") : tr("%n devices", nullptr, devices));
  if (!watch_.isCurrent())
    text += QLatin1Char(' ') + tr("The experiment has changed since this plan was made.");
  else if (!watch_.report()->idsMeasured)
    text += QLatin1Char(' ') + tr("Uniform access is assumed: the data are not imported.");
  return text;
}

bool PlanPanel::lacksRows() const {
  if (!watch_.report() || watch_.plan() != nullptr) return false;
  return std::ranges::any_of(watch_.report()->findings.problems, [](const auto& problem) {
    return problem.pointer.starts_with("/dataset/vocabularies");
  });
}

QString PlanPanel::emptyText() const {
  if (lacksRows())
    return editor_.experiment().dataset.namesData()
               ? tr("The rows of the tables are known after the import.")
               : tr("There are no data yet. Choose them in the step Data; then the tables are "
                    "planned.");
  if (watch_.report()) return tr("Fix the problems above.");
  if (!watch_.canStart())
    return tr("The experiment has problems. Fix them to see the placement of each table.");
  return tr(
      "Here are shown the placement of each table, its bytes per device, the bytes sent per step "
      "and the step time. Nothing is trained.");
}

Status PlanPanel::exportPicture(const QString& path) {
  if (view_->grab().save(path)) return {};
  return Error{ErrorCode::kIo, "[mesh.plan] cannot write the picture", {}, path.toStdString()};
}

void PlanPanel::chooseExport() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save the picture"), QStringLiteral("plan.png"), tr("Pictures (*.png)"));
  if (path.isEmpty()) return;
  if (const Status written = exportPicture(path); !written)
    emit failed(shownText(written.error().text()));
}

}  // namespace parapet::ui
