// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/optimizer_panel.h"

#include <QApplication>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QString>
#include <QStringList>
#include <QTableView>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/document_edits.h"
#include "ui/models/rate_curves.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kPoints = 400, kMinHeight = 220, kPauseMs = 100;

/// An explanation of an optimizer with its settings, in the user's words.
QString optimizerExplanation(const nlohmann::ordered_json& optimizer);

QString optimizerExplanation(const nlohmann::ordered_json& optimizer) {
  if (!optimizer.is_object()) return {};
  const auto is = [&optimizer](const char* key, const nlohmann::ordered_json& value) {
    return optimizer.contains(key) && optimizer[key] == value;
  };
  QStringList sentences;
  if (is("kind", "adagrad") || is("kind", "rowwise_adagrad"))
    sentences << (is("epsilon_inside_root", true)
                      ? QObject::tr("Step = rate · gradient / √(accumulator + ε), as Keras.")
                      : QObject::tr("Step = rate · gradient / (√accumulator + ε), as PyTorch."));
  if (is("kind", "rowwise_adagrad"))
    sentences << QObject::tr("One accumulator a row: the mean of its squared gradients.");
  if (is("kind", "adam") || is("kind", "adamw"))
    sentences << (is("epsilon_mode", "corrected")
                      ? QObject::tr("ε is added to the root of the corrected second moment, as "
                                    "the paper and PyTorch do.")
                      : QObject::tr("ε is added to the root of the uncorrected second moment, "
                                    "as Keras does."));
  if (is("kind", "sgd"))
    sentences << (is("momentum", 0) ? QObject::tr("Step = rate · gradient.")
                                    : QObject::tr("Step = rate · gradient + momentum."));
  if (is("kind", "ftrl")) sentences << QObject::tr("Rows without a gradient stay where they are.");
  const bool moves = is("kind", "adam") || is("kind", "adamw") ||
                     (is("kind", "sgd") && !is("momentum", 0)) ||
                     (optimizer.contains("weight_decay") && !is("weight_decay", 0));
  if (moves && !is("kind", "ftrl"))
    sentences << (is("sparse_update", "lazy")
                      ? QObject::tr("Lazy: only the rows of the batch move.")
                      : QObject::tr("Dense: rows that a batch did not touch move, too."));
  return sentences.join(' ');
}

QString optimizerPointerOf(int table) {
  return elementPointer(QStringLiteral("/tables"), table) + QStringLiteral("/optimizer");
}

}  // namespace

RatePanel::RatePanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      plot_(new CurvePlot(tr("learning rate"), {}, this)),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      span_(new QuietLabel({}, this)) {
  plot_->setTable(&table_);
  plot_->setLive(false);
  QTableView* view = makeReportView(table_, tr("Learning rates as a table"), this);
  for (int column = 0; column < CurveTableModel::kColumnCount; ++column)
    view->setColumnHidden(column, column != CurveTableModel::kSeries &&
                                      column != CurveTableModel::kLastStep &&
                                      column != CurveTableModel::kLast);
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  view->show();
  stack_->addWidget(plot_);
  stack_->addWidget(view);
  stack_->setMinimumHeight(kMinHeight);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("View of the learning rate"));
  tabs_->addTab(tr("Curve"));
  tabs_->addTab(tr("Table"));
  span_->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->addWidget(tabs_);
  line->addStretch(1);
  auto* layout = verticalBox(this, 8);
  layout->addLayout(line);
  layout->addWidget(stack_, 1);
  layout->addWidget(span_);
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  connect(&editor, &ExperimentEditor::documentChanged, &pause_, qOverload<>(&QTimer::start));
  callAfterPause(pause_, kPauseMs, this, &RatePanel::follow);
  follow();
}

void RatePanel::follow() {
  const experiment::Experiment& experiment = editor_.experiment();
  // A schedule with a problem has no rate to draw; what was drawn stays until it is fixed.
  for (const char* pointer : {"/optimizer", "/schedule", "/tables"})
    if (!editor_.findingsAt(pointer).problems.empty()) return;
  const RateSpan span = rateSpan(experiment, trainRowsOf(experiment));
  const QString steps = QString::fromStdString(formatCount(span.steps));
  QStringList sentences{
      span.wholeRun
          ? tr("Over the %1 steps of the run.", nullptr, static_cast<int>(span.steps)).arg(steps)
          : tr("Over %1 steps; the length of the run is known after the import.", nullptr,
               static_cast<int>(span.steps))
                .arg(steps),
      scaledRateText(experiment)};
  sentences.removeAll(QString());
  span_->setText(sentences.join(QLatin1Char(' ')));
  plot_->clear();
  for (const RateCurve& curve : rateCurves(experiment, span.steps, kPoints)) {
    const CurvePlot::SeriesId id = plot_->addPoints(curve.name, SeriesRole::kTraining);
    std::vector<CurvePoint> points;
    for (const auto& [step, rate] : curve.points)
      points.push_back({.step = static_cast<double>(step), .value = rate});
    plot_->setPoints(id, std::move(points));
  }
}

OptimizerPanel::OptimizerPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      column_(new QVBoxLayout),
      add_(new QPushButton(tr("Own optimizer for a table…"), this)),
      tables_(new QMenu(this)) {
  column_->setSpacing(16);
  auto* layout = verticalBox(this, 16);
  layout->addLayout(column_);
  layout->addWidget(add_, 0, Qt::AlignLeft);
  add_->setAccessibleName(add_->text());
  add_->setToolTip(
      tr("Gives a table an optimizer of its own, which starts as that of the experiment"));
  connect(add_, &QPushButton::clicked, this, &OptimizerPanel::offerTables);
  connect(&editor, &ExperimentEditor::documentChanged, this, &OptimizerPanel::follow);
  connect(qApp, &QApplication::focusChanged, this, &OptimizerPanel::follow);
  addBlock(QStringLiteral("/optimizer"));
  follow();
}

void OptimizerPanel::addBlock(const QString& pointer) {
  auto* widget = new QWidget(this);
  auto* layout = verticalBox(widget, 8);
  Block block{pointer, headingLabel({}), new QuietLabel,
              new SettingsForm(editor_, pointer, tr("experiment's")), widget};
  block.explanation->setWordWrap(true);
  layout->addWidget(titleWithSign(block.title, QStringLiteral("glossary/learning rate")));
  for (QWidget* part : std::initializer_list<QWidget*>{block.form, block.explanation})
    layout->addWidget(part);
  column_->addWidget(widget);
  blocks_.push_back(block);
}

std::vector<OptimizerPanel::Group> OptimizerPanel::groups() const {
  std::vector<Group> groups;
  const auto& tables = editor_.experiment().tables;
  const auto inUse = std::ranges::find_if(blocks_, [](const Block& block) {
    return block.widget->isAncestorOf(QApplication::focusWidget());
  });
  const Group kept = inUse == blocks_.end() ? Group() : inUse->tables;
  const auto isKept = [&kept](int table) { return std::ranges::count(kept, table) > 0; };
  for (int table = 0; table < static_cast<int>(tables.size()); ++table) {
    if (!tables[static_cast<std::size_t>(table)].optimizer) continue;
    const auto own = editor_.value(optimizerPointerOf(table));
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return isKept(group.front()) == isKept(table) &&
             editor_.value(optimizerPointerOf(group.front())) == own;
    });
    if (same == groups.end())
      groups.push_back({table});
    else
      same->push_back(table);
  }
  return groups;
}

void OptimizerPanel::nameGroup(Block& block) const {
  QStringList names;
  for (const int table : block.tables)
    names << shownText(editor_.experiment().tables[static_cast<std::size_t>(table)].name);
  block.title->setText(names.size() == 1
                           ? tr("Optimizer of the table %1").arg(names.front())
                           : tr("Optimizer of %n tables", nullptr, static_cast<int>(names.size())));
  block.title->setToolTip(names.join(QLatin1Char('\n')));
}

void OptimizerPanel::nameRest(Block& block) const {
  QStringList others;
  for (const experiment::Table& table : editor_.experiment().tables)
    if (!table.optimizer) others << shownText(table.name);
  block.title->setText(others.isEmpty() ? tr("Optimizer of the layers") : tr("Optimizer"));
  block.title->setToolTip(
      others.isEmpty()
          ? QString()
          : tr("Of the layers and of the tables:\n%1").arg(others.join(QLatin1Char('\n'))));
}

void OptimizerPanel::follow() {
  const std::vector<Group> all = groups();
  QStringList wanted{QStringLiteral("/optimizer")};
  for (const Group& group : all) wanted << optimizerPointerOf(group.front());
  // A form stays while its optimizer does, for somebody may be typing there.
  std::erase_if(blocks_, [&](const Block& block) {
    const bool gone = !wanted.contains(block.pointer);
    if (gone) {
      block.widget->hide();
      block.widget->deleteLater();
    }
    return gone;
  });
  for (const QString& pointer : wanted)
    if (std::ranges::find(blocks_, pointer, &Block::pointer) == blocks_.end()) addBlock(pointer);
  for (Block& block : blocks_) {
    const auto group = std::ranges::find_if(
        all, [&](const Group& of) { return optimizerPointerOf(of.front()) == block.pointer; });
    QStringList alongside;
    if (group != all.end())
      for (const int table : *group)
        if (table != group->front()) alongside << optimizerPointerOf(table);
    block.form->setAlongside(alongside);
    block.tables = group == all.end() ? Group() : *group;
    block.tables.empty() ? nameRest(block) : nameGroup(block);
    block.explanation->setText(optimizerExplanation(editor_.value(block.pointer)));
  }
  const auto& tables = editor_.experiment().tables;
  setUsable(
      *add_, std::ranges::any_of(tables, [](const auto& table) { return !table.optimizer; }),
      tables.empty() ? tr("There is no table") : tr("Every table has an optimizer of its own"));
}

void OptimizerPanel::offerTables() {
  tables_->clear();
  const auto& tables = editor_.experiment().tables;
  for (int table = 0; table < static_cast<int>(tables.size()); ++table)
    if (!tables[static_cast<std::size_t>(table)].optimizer)
      tables_->addAction(shownText(tables[static_cast<std::size_t>(table)].name), this,
                         [this, table] { addGroup(table); });
  tables_->popup(add_->mapToGlobal(add_->rect().bottomLeft()));
}

void OptimizerPanel::addGroup(int table) {
  editor_.setValue(optimizerPointerOf(table), nlohmann::json(editor_.value("/optimizer")),
                   tr("Give a table its own optimizer"));
}

bool OptimizerPanel::reveal(const QString& pointer) {
  QString shown = pointer;
  for (const Group& group : groups())
    for (const int table : group)
      if (const QString own = optimizerPointerOf(table);
          pointer == own || pointer.startsWith(own + '/'))
        shown = optimizerPointerOf(group.front()) + pointer.mid(own.size());
  return std::ranges::any_of(blocks_,
                             [&](const Block& block) { return block.form->reveal(shown); });
}

QStringList OptimizerPanel::titles() const {
  QStringList titles;
  for (const Block& block : blocks_) titles << block.title->text();
  return titles;
}

}  // namespace parapet::ui
