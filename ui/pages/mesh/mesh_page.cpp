// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/mesh_page.h"

#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/forms/card.h"
#include "ui/forms/field.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Names of rows and both numbers of the estimate stand beside each other.
constexpr int kMinSide = 392;

}  // namespace

MeshPage::MeshPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
                   QWidget* parent)
    : StepPage(parent),
      bench_(bench),
      command_(std::move(command)),
      preflight_(preflight),
      watch_(bench.workspace, bench.editor),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      devices_(new DevicePanel(bench.editor)),
      form_(new Form(bench.editor)),
      placement_(new PlacementPanel(watch_, bench.editor)),
      estimate_(new EstimatePanel(bench.workspace, watch_, bench.runs, bench.editor)),
      plan_(new PlanPanel(watch_, bench.editor)),
      memory_(new MemoryPanel(preflight)),
      verify_(new VerifyPanel(bench.workspace, bench.editor)) {
  setObjectName(QStringLiteral("meshPage"));
  verify_->setDocumentCommand(command_);
  plan_->addTab(tr("Memory"), tr("Ranks, their share of a batch, and what each memory holds"),
                memory_);
  auto* check = new QWidget;
  auto* checkLayout = new QVBoxLayout(check);
  checkLayout->setContentsMargins(0, 8, 0, 0);
  checkLayout->addWidget(verify_);
  checkLayout->addStretch(1);
  plan_->addTab(tr("Check"),
                tr("Trains a few steps here and on one device, and compares the results"), check);
  auto* main = new QWidget;
  auto* mainLayout = verticalBox(main, 12, {8, 12, 16, 8});
  mainLayout->addWidget(plan_, 1);
  mainLayout->addWidget(placement_);
  splitter_->addWidget(makeSide());
  // On a low screen it scrolls, and what the plan says keeps its lines.
  QScrollArea* scroll = scrolling(main, tr("Plan and placement of a table"));
  splitter_->addWidget(scroll);
  splitter_->setChildrenCollapsible(false);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setSizes({424, 760});
  auto* layout = verticalBox(this, 0);
  layout->addWidget(splitter_, 1);
  makeActions();
  connectParts();
}

QWidget* MeshPage::makeSide() {
  makeForm();
  auto* inside = new QWidget;
  auto* layout = verticalBox(inside, 16, {16, 12, 8, 8});
  for (QWidget* part : std::initializer_list<QWidget*>{devices_, estimate_, form_})
    layout->addWidget(part);
  layout->addStretch(1);
  QScrollArea* scroll = scrolling(inside, tr("Mesh and placements"));
  scroll->setMinimumWidth(kMinSide);
  return scroll;
}

void MeshPage::makeForm() {
  form_->addHeading(tr("Memory and exchange"), QStringLiteral("glossary/mesh"));
  form_->addFolded("/mesh/axes", tr("Axes"));
  form_->addField("/mesh/capacity_bytes", tr("Capacity"), bytesField(tr("memory of the devices")));
  form_->addFolded("/mesh/threads", tr("Threads"));
  form_->addFolded("/mesh/stack_tables", tr("Stack tables"));
  form_->addFolded("/mesh/overlap", tr("Overlap"));
  form_->addFolded("/mesh/spaces", tr("Memory spaces"));
  form_->addFindings("/mesh");
}

void MeshPage::makeActions() {
  offer(tr("Plan the placement of tables"), QKeySequence(Qt::CTRL | Qt::Key_P),
        [this] { watch_.start(); });
  verifyAction_ =
      new QAction(tr("Verify the experiment: train a few steps twice and compare"), this);
  verifyAction_->setIconText(tr("Verify"));
  verifyAction_->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+V")));
  verifyAction_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  verifyAction_->setToolTip(tr("Trains a few steps twice and compares the results (Ctrl+Shift+V)"));
  connect(verifyAction_, &QAction::triggered, this, &MeshPage::startVerify);
  offer(tr("Apply the plan to the document"), {}, [this] { plan_->applyButton().click(); });
}

void MeshPage::startVerify() {
  emit pageRequested(QStringLiteral("experiment/mesh"));
  plan_->showTab(verify_->parentWidget());
  verify_->start();
}

void MeshPage::connectParts() {
  connect(plan_, &PlanPanel::tableChosen, placement_, &PlacementPanel::showTable);
  connect(placement_, &PlacementPanel::tableChosen, plan_, &PlanPanel::selectTable);
  connect(plan_, &PlanPanel::failed, this, &Page::complained);
  connect(&watch_, &PlanWatch::imported, &preflight_, &PreflightWatch::refresh);
  connect(&plan_->view(), &PlanView::moved, this, &MeshPage::moveTable);
  connect(&plan_->view(), &PlanView::menuRequested, this, &MeshPage::openMenu);
  const auto follow = [this] {
    // Text that is no JSON waits beside; an edit here would take it away.
    form_->setEnabled(!bench_.editor.draftError());
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, follow);
  connect(&bench_.editor, &ExperimentEditor::findingsChanged, this, follow);
  follow();
}

void MeshPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  watch_.setActive(true);
}

void MeshPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  watch_.setActive(false);
}

void MeshPage::moveTable(int table, int device) {
  if (!watch_.isCurrent() || watch_.plan() == nullptr) {
    emit messageRequested(
        tr("The experiment has changed; the tables can be moved once it is planned."));
    return;
  }
  const auto& devices = watch_.plan()->devices;
  placeTable(bench_.editor, table,
             {experiment::Placement::kTable, {}, devices[static_cast<std::size_t>(device)].name});
}

void MeshPage::openMenu(int table, const QPoint& at) {
  if (!watch_.isCurrent()) return;
  QMenu menu(this);
  menu.setAccessibleName(tr("Placement of the table"));
  placement_->fillMenu(menu, table);
  menu.exec(at);
}

QStringList MeshPage::prefixes() const {
  return {QStringLiteral("/mesh"), QStringLiteral("/layout")};
}

bool MeshPage::reveal(const QString& pointer) {
  return devices_->reveal(pointer) || form_->reveal(pointer);
}

QString MeshPage::terminalCommand() const {
  return command_(QStringLiteral("plan"));
}

nlohmann::json MeshPage::saveState() const {
  return {{"splitter", splitterState(*splitter_)}};
}

void MeshPage::restoreState(const nlohmann::json& state) {
  if (state.is_object()) restoreSplitter(*splitter_, state);
}

}  // namespace parapet::ui
