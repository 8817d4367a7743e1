// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/continue_card.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/forms/info_sign.h"
#include "ui/pages/home/latest_run_card.h"
#include "ui/style/box_layout.h"
#include "ui/style/tall_rows.h"

namespace parapet::ui {
namespace {

constexpr int kMinRows = 2, kMaxRows = 6;

}  // namespace

ContinueCard::ContinueCard(Workbench& bench, WorkspaceExperiments& experiments, QWidget* parent)
    : Card(parent),
      experiments_(experiments),
      model_(experiments, ExperimentsModel::Content::kExperiments),
      list_(new QTreeView),
      empty_(new QuietLabel(tr("No experiments yet. Drop data, or take a recipe."))) {
  setObjectName(QStringLiteral("continueCard"));
  auto* latest = new LatestRunCard(bench);
  list_->setModel(&model_);
  list_->setObjectName(QStringLiteral("editedLast"));
  list_->setAccessibleName(tr("Experiments edited last; Return or a click opens one"));
  list_->setToolTip(tr("Return or a click opens the experiment; F2 renames it"));
  showAsList(*list_);
  list_->viewport()->setAutoFillBackground(false);
  list_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(ExperimentsModel::kName, QHeaderView::Stretch);
  list_->header()->setMinimumSectionSize(60);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(
      titleWithSign(headingLabel(tr("Continue"), 1.2), QStringLiteral("docs/window.md")));
  layout->addWidget(latest);
  layout->addWidget(titleWithSign(headingLabel(tr("Edited last"), 1.0),
                                  QStringLiteral("docs/window.md#experiments")));
  layout->addWidget(list_);
  layout->addWidget(empty_);
  layout->addStretch();
  connect(latest, &LatestRunCard::curvesWanted, this, &ContinueCard::curvesWanted);
  connect(latest, &LatestRunCard::listsWanted, this, &ContinueCard::listsWanted);
  // What the list says of runs is no older than the run above it.
  connect(latest, &LatestRunCard::newestChanged, &experiments_, &WorkspaceExperiments::poll);
  connect(latest, &LatestRunCard::watchWanted, this, &ContinueCard::watchWanted);
  connect(list_, &QTreeView::activated, this, [this](const QModelIndex& at) {
    const QString id = at.data(ExperimentsModel::kIdRole).toString();
    if (id != experiments_.currentId()) experiments_.open(id);
    emit opened();
  });
  connect(list_, &QTreeView::clicked, list_, &QTreeView::activated);
  connect(&experiments_, &WorkspaceExperiments::listChanged, this, &ContinueCard::follow);
  follow();
}

void ContinueCard::follow() {
  const int rows = model_.rowCount();
  list_->setVisible(rows > 0);
  empty_->setVisible(rows == 0);
  const int shown = std::clamp(rows, kMinRows, kMaxRows);
  list_->setFixedHeight(shown * (fontMetrics().height() + TallRows::kRoom + 2));
}

}  // namespace parapet::ui
