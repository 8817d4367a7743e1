// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/model_page.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/forms/card.h"
#include "ui/models/layers_model.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Widths of the editors and of the graph where the graph has room for its tabs and tools beside
// them; it has the rest.
constexpr int kEditorsWidth = 480, kGraphWidth = 432;
// The share of the editors where there is no room for both.
constexpr double kEditorsShare = 0.4;

}  // namespace

ModelPage::ModelPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
                     QWidget* parent)
    : StepPage(parent),
      bench_(bench),
      preflight_(preflight),
      command_(std::move(command)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      layers_(new LayersPanel(bench.editor, this)),
      graph_(new GraphPanel(this)),
      totals_(new QuietLabel({}, this)) {
  setObjectName(QStringLiteral("modelPage"));
  splitter_->addWidget(makeEditors());
  splitter_->addWidget(makeGraph());
  splitter_->setChildrenCollapsible(false);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
  auto* layout = verticalBox(this, 0);
  layout->addWidget(splitter_, 1);
  makeActions();
  callAfterPause(pause_, 0, this, &ModelPage::follow);
  connect(graph_, &GraphPanel::chosen, this, &ModelPage::open);
  connect(graph_, &GraphPanel::failed, this, &Page::complained);
  connect(&preflight_, &PreflightWatch::changed, &pause_, qOverload<>(&QTimer::start));
  connect(&bench.editor, &ExperimentEditor::findingsChanged, &pause_, qOverload<>(&QTimer::start));
  connect(&bench.editor, &ExperimentEditor::documentChanged, &pause_, qOverload<>(&QTimer::start));
  follow();
}

QScrollArea* ModelPage::scrollingTab(QWidget* inside, const QString& name) {
  inside->layout()->setContentsMargins(0, 12, 8, 8);
  QScrollArea* area = scrolling(inside, name);
  keepWhole(*area, *this, kGraphWidth);
  return area;
}

/// Until somebody moves the border between editors and graph.
void ModelPage::resizeEvent(QResizeEvent* event) {
  StepPage::resizeEvent(event);
  if (moved_) return;
  const int room = width() - splitter_->handleWidth();
  const int least = static_cast<int>(kEditorsShare * room);
  const int editors = std::min(std::max(room - kGraphWidth, least), kEditorsWidth);
  splitter_->setSizes({editors, room - editors});
}

QWidget* ModelPage::makeEditors() {
  auto* side = new QWidget(this);
  auto* layout = verticalBox(side, 0, {16, 8, 8, 8});
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("Settings of the model"));
  const auto add = [this](const QString& title, QWidget* widget) {
    tabs_->addTab(title);
    stack_->addWidget(widget);
  };
  add(tr("Layers"), scrollingTab(layers_, tr("Layers")));
  add(tr("Heads"), makeHeads());
  add(tr("Loss"), makeLoss());
  add(tr("Optimizer"), makeOptimizer());
  layout->addWidget(tabs_);
  layout->addWidget(stack_, 1);
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  return side;
}

QWidget* ModelPage::makeHeads() {
  heads_ = new DocumentTable(new HeadsModel(bench_.editor), tr("Heads"),
                             tr("No head: the score with its loss is the only output. Add one to "
                                "predict something else from the same vectors."));
  heads_->fillRoom();
  heads_->setHelp(QStringLiteral("glossary/head"));
  headSettings_ = new RowSettings(tr(
      "Select a head to see its settings. Its layers stand under Layers, in a tab of their own."));
  headSettings_->setTable(heads_);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(heads_);
  splitter->addWidget(headSettings_);
  splitter->setChildrenCollapsible(false);
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  layout->setContentsMargins(0, 12, 0, 0);
  layout->addWidget(splitter);
  return inside;
}

QWidget* ModelPage::makeLoss() {
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  forms_.push_back(new SettingsForm(bench_.editor, QStringLiteral("/loss")));
  layout->addWidget(forms_.back());
  layout->addStretch(1);
  return scrollingTab(inside, tr("Loss"));
}

QWidget* ModelPage::makeOptimizer() {
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  layout->setSpacing(12);
  rates_ = new RatePanel(bench_.editor);
  layout->addWidget(rates_);
  optimizers_ = new OptimizerPanel(bench_.editor);
  layout->addWidget(optimizers_);
  layout->addWidget(
      titleWithSign(headingLabel(tr("Schedule")), QStringLiteral("glossary/schedule")));
  forms_.push_back(new SettingsForm(bench_.editor, QStringLiteral("/schedule")));
  layout->addWidget(forms_.back());
  layout->addStretch(1);
  return scrollingTab(inside, tr("Optimizer"));
}

QWidget* ModelPage::makeGraph() {
  auto* side = new QWidget(this);
  auto* layout = verticalBox(side, 8, {8, 8, 16, 8});
  layout->addWidget(graph_, 1);
  totals_->setAccessibleName(tr("Size of the model"));
  totals_->setWordWrap(true);
  layout->addWidget(totals_);
  return side;
}

void ModelPage::makeActions() {
  offer(tr("Add a layer…"), {}, [this] {
    tabs_->setCurrentIndex(kLayers);
    layers_->table()->addButton().click();
  });
  offer(tr("Add a head"), {}, [this] {
    tabs_->setCurrentIndex(kHeads);
    heads_->addButton().click();
  });
  offer(tr("Show the whole graph"), {}, [this] { graph_->view().fit(); });
  offer(tr("Copy the picture of the model"), {}, [this] { graph_->copyPicture(); });
}

void ModelPage::follow() {
  // Text that is no JSON waits beside; an edit here would take it away.
  splitter_->setEnabled(!bench_.editor.draftError());
  ModelGraph graph = modelGraph(bench_.editor, preflight_.latest().tables);
  const auto counted = [](std::int64_t count) {
    return QString::fromStdString(formatCount(count));
  };
  std::int64_t embeddings = 0;
  bool known = !preflight_.latest().tables.empty();
  for (const workspace::TableEstimate& table : preflight_.latest().tables) {
    embeddings += table.rows < 0 ? 0 : table.rows * table.dim;
    known = known && table.rows >= 0;
  }
  QString text = tr("Layers have %1 parameters").arg(counted(graph.layerParameters));
  text += known ? tr(", embedding tables %1.").arg(counted(embeddings))
                : tr("; how many the tables have is known after the import.");
  totals_->setText(text);
  graph_->setGraph(std::move(graph));
  const experiment::Findings heads = bench_.editor.findingsAt("/model/heads");
  tabs_->setTabIcon(kHeads, severityIcon(palette(), severityOf(heads)));
  tabs_->setTabIcon(kLayers,
                    severityIcon(palette(), severityOf(bench_.editor.findingsAt("/model"))));
  tabs_->setTabIcon(kLoss, severityIcon(palette(), severityOf(bench_.editor.findingsAt("/loss"))));
  experiment::Findings rates = bench_.editor.findingsAt("/optimizer");
  rates.append(bench_.editor.findingsAt("/schedule"));
  tabs_->setTabIcon(kOptimizer, severityIcon(palette(), severityOf(rates)));
}

void ModelPage::open(const QString& pointer) {
  if (!reveal(pointer)) emit pointerChosen(pointer);
}

QStringList ModelPage::prefixes() const {
  return {QStringLiteral("/model"), QStringLiteral("/loss"), QStringLiteral("/optimizer"),
          QStringLiteral("/schedule")};
}

bool ModelPage::reveal(const QString& pointer) {
  if (layers_->reveal(pointer)) {
    tabs_->setCurrentIndex(kLayers);
  } else if (pointer.startsWith(QStringLiteral("/model/heads"))) {
    tabs_->setCurrentIndex(kHeads);
    if (heads_->reveal(pointer)) headSettings_->reveal(pointer);
  } else if (pointer.startsWith(QStringLiteral("/model"))) {
    tabs_->setCurrentIndex(kLayers);
    layers_->kind().setFocus(Qt::OtherFocusReason);
  } else if (pointer.startsWith(QStringLiteral("/loss"))) {
    tabs_->setCurrentIndex(kLoss);
    forms_[0]->reveal(pointer);
  } else if (pointer.startsWith(QStringLiteral("/schedule")) ||
             pointer.startsWith(QStringLiteral("/optimizer"))) {
    tabs_->setCurrentIndex(kOptimizer);
    for (SettingsForm* form : forms_) form->reveal(pointer);
    optimizers_->reveal(pointer);
  } else {
    return false;
  }
  graph_->view().select(pointer);
  return true;
}

QString ModelPage::terminalCommand() const {
  return command_(QStringLiteral("validate"));
}

nlohmann::json ModelPage::saveState() const {
  nlohmann::json state{{"tab", tabs_->currentIndex()}};
  if (moved_) state["splitter"] = splitterState(*splitter_);
  return state;
}

void ModelPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  if (const auto tab = state.find("tab"); tab != state.end() && tab->is_number_integer())
    tabs_->setCurrentIndex(tab->get<int>());
  moved_ = state.contains("splitter");
  restoreSplitter(*splitter_, state);
}

}  // namespace parapet::ui
