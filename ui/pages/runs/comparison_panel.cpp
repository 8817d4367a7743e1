// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/comparison_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/table_text.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// Values that do not rank the runs stand back.
class MetricDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->state & QStyle::State_Selected) return;
    if (!index.data(ComparisonModel::kNotComparableRole).toString().isEmpty())
      option->palette.setColor(QPalette::Text, quietColor(option->palette));
  }
};

}  // namespace

ComparisonPanel::ComparisonPanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      state_(new QLabel(this)),
      settingsTitle_(new QLabel(tr("Settings that differ"), this)),
      copy_(new QPushButton(tr("Copy as CSV"), this)) {
  state_->setObjectName(QStringLiteral("comparisonState"));
  state_->setWordWrap(true);
  state_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  state_->setAccessibleName(tr("What the lists have in common"));
  copy_->setAccessibleName(tr("Copy the comparison"));
  copy_->setToolTip(tr("Copy settings, metrics and paired differences with exact values, as CSV"));
  connect(copy_, &QPushButton::clicked, this, &ComparisonPanel::copy);
  split_ = choice(tr("Split"), {tr("validation"), tr("test")},
                  tr("Held-out rows that the runs are compared on"));
  checkpoint_ =
      choice(tr("Checkpoint"), {tr("last"), tr("best")},
             tr("Weights that are compared: of the last checkpoint of each run, or of its best"));
  settingsView_ = table(&settings_, tr("Settings that differ"));
  metricsView_ = table(&metrics_, tr("Metrics of the runs"));
  metricsView_->setItemDelegate(new MetricDelegate(metricsView_));
  metricsTitle_ = new QLabel(this);
  metricsTitle_->setObjectName(QStringLiteral("metricsTitle"));
  pairedView_ = table(&paired_, tr("Paired differences of the first two runs"));
  pairedTitle_ = new QLabel(this);
  pairedTitle_->setObjectName(QStringLiteral("pairedTitle"));
  settingsTitle_->setObjectName(QStringLiteral("settingsTitle"));
  settingsHead_ = headOf(settingsTitle_, tr("Settings that differ"));
  metricsHead_ = headOf(metricsTitle_, tr("Metrics of the runs"));
  pairedHead_ = headOf(pairedTitle_, tr("Paired differences"));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 8, 0, 0);
  grid->setSpacing(8);
  grid->addWidget(state_, 0, 0);
  auto* choices = new QHBoxLayout;
  choices->addStretch(1);
  for (QComboBox* box : {split_, checkpoint_}) {
    choices->addWidget(new QLabel(box->accessibleName(), this));
    choices->addWidget(box);
  }
  choices->addWidget(copy_);
  grid->addLayout(choices, 0, 1);
  grid->addWidget(settingsHead_, 1, 0);
  grid->addWidget(metricsHead_, 1, 1);
  grid->addWidget(settingsView_, 2, 0);
  grid->addWidget(metricsView_, 2, 1, 3, 1);
  grid->addWidget(pairedHead_, 3, 0);
  grid->addWidget(pairedView_, 4, 0);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  showTables(false);
  state_->setText(tr("Choose two runs or more in the table to compare them."));
}

QWidget* ComparisonPanel::headOf(QLabel* title, const QString& name) {
  title->setWordWrap(true);
  auto* head = new QWidget(this);
  auto* line = horizontalBox(head, 4);
  line->addWidget(title, 1);
  line->addWidget(infoSign(QStringLiteral("docs/window.md#runs"), name, head), 0, Qt::AlignTop);
  return head;
}

QComboBox* ComparisonPanel::choice(const QString& name, const QStringList& entries,
                                   const QString& tip) {
  auto* box = new QComboBox(this);
  box->addItems(entries);
  box->setObjectName(QStringLiteral("comparison") + name);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  connect(box, &QComboBox::currentIndexChanged, this, &ComparisonPanel::start);
  return box;
}

void ComparisonPanel::showTables(bool shown) {
  for (QWidget* part : std::initializer_list<QWidget*>{settingsHead_, metricsHead_, settingsView_,
                                                       metricsView_, copy_})
    part->setVisible(shown);
  const bool paired = shown && paired_.rowCount() > 0;
  pairedHead_->setVisible(paired);
  pairedView_->setVisible(paired);
  auto* grid = static_cast<QGridLayout*>(layout());
  // Without tables the rest of the space belongs below the sentence.
  grid->setRowStretch(2, shown ? 1 : 0);
  grid->setRowStretch(4, paired ? 1 : 0);
  grid->setRowStretch(5, shown ? 0 : 1);
}

QTableView* ComparisonPanel::table(QAbstractItemModel* model, const QString& name) {
  auto* view = new QTableView(this);
  view->setModel(model);
  setTableLook(*view, name);
  view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view->horizontalHeader()->setStretchLastSection(true);
  view->verticalHeader()->setDefaultSectionSize(24);
  return view;
}

QString ComparisonPanel::terminalOptions() const {
  QString options;
  if (split_->currentIndex() == 1) options += QStringLiteral(" --split test");
  if (checkpoint_->currentIndex() == 1) options += QStringLiteral(" --checkpoint best");
  return options;
}

void ComparisonPanel::setRuns(const QStringList& runIds) {
  if (runIds == runIds_) return;
  runIds_ = runIds;
  start();
}

void ComparisonPanel::start() {
  for (QComboBox* box : {split_, checkpoint_}) box->setEnabled(runIds_.size() >= 2);
  if (runIds_.size() < 2) {
    comparing_.cancel();
    showTables(false);
    settings_.setComparison({});
    metrics_.setComparison({});
    paired_.setComparison({});
    state_->setText(tr("Choose two runs or more in the table to compare them."));
    return;
  }
  std::vector<std::string> ids;
  for (const QString& id : runIds_) ids.push_back(id.toStdString());
  workspace::CompareOptions options;
  if (split_->currentIndex() == 1) options.part = experiment::SplitPart::kTest;
  if (checkpoint_->currentIndex() == 1) options.checkpoint = workspace::WhichCheckpoint::kBest;
  state_->setText(tr("Comparing %n runs…", nullptr, static_cast<int>(runIds_.size())));
  comparing_.start(
      [&workspace = workspace_, ids, options](const WorkContext& context) {
        return workspace.compare(ids, options, context);
      },
      [this](Result<workspace::Comparison> comparison) { show(std::move(comparison)); });
}

void ComparisonPanel::show(Result<workspace::Comparison> comparison) {
  if (!comparison) {
    state_->setText(shownText(comparison.error().text()));
    showTables(false);
    emit failed(state_->text());
    return;
  }
  QStringList sentences{overlapSentence(*comparison)};
  for (const std::string& warning : comparison->warnings) sentences << shownText(warning);
  state_->setText(sentences.join(QLatin1Char('\n')));
  settingsTitle_->setText(comparison->settings.empty() ? tr("The settings are the same")
                                                       : tr("Settings that differ"));
  metricsTitle_->setText(rankingSentence(*comparison));
  pairedTitle_->setText(pairedSentence(*comparison));
  paired_.setComparison(*comparison);
  settings_.setComparison(*comparison);
  metrics_.setComparison(std::move(*comparison));
  for (QTableView* view : {settingsView_, metricsView_, pairedView_}) {
    view->resizeColumnsToContents();
    // Room to breathe; names of settings may be long, values of metrics stay in line. The last
    // column has the rest.
    for (int column = 0; column + 1 < view->model()->columnCount(); ++column)
      view->setColumnWidth(column, std::min(320, view->columnWidth(column) + 24));
  }
  showTables(true);
}

void ComparisonPanel::copy() {
  copyCsv(this, tableAsCsv(settings_) + "\n" + tableAsCsv(metrics_) +
                    (paired_.rowCount() > 0 ? "\n" + tableAsCsv(paired_) : ""));
}

}  // namespace parapet::ui
