// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/memory_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QHeaderView>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/info_sign.h"
#include "ui/forms/report_view.h"
#include "ui/forms/scrolling.h"
#include "ui/models/memory_text.h"
#include "ui/models/runs_format.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kMaxReportRows = 8;

}  // namespace

MemoryPanel::MemoryPanel(PreflightWatch& preflight, QWidget* parent)
    : QWidget(parent),
      preflight_(preflight),
      ranks_(new ReportTableModel({tr("Rank"), tr("Device"), tr("Memory"), tr("Coordinates"),
                                   tr("Examples of a batch"), tr("Step buffers")},
                                  {kRows, kBuffers}, this)),
      memory_(new ReportTableModel(
          {tr("Memory"), tr("Devices"), tr("Parameters"), tr("Optimizer state"), tr("Scratch"),
           tr("Step buffers"), tr("Total")},
          {1, 2, 3, 4, 5, 6}, this)),
      ranksTitle_(titleWithSign(headingLabel(tr("Ranks"), 1.0), QStringLiteral("glossary/rank"))),
      memoryTitle_(titleWithSign(headingLabel(tr("Memory spaces"), 1.0),
                                 QStringLiteral("docs/devices.md#memory-spaces"))),
      shares_(new QLabel),
      total_(new QLabel) {
  auto* inside = new QWidget;
  ranksView_ = makeReportView(*ranks_, tr("Ranks and their work"), inside);
  memoryView_ = makeReportView(*memory_, tr("Memory spaces and their contents"), inside);
  for (QTableView* view : {ranksView_, memoryView_})
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  shares_->setObjectName(QStringLiteral("dataParallel"));
  shares_->setWordWrap(true);
  shares_->setTextFormat(Qt::PlainText);
  shares_->setAccessibleName(tr("How devices share a batch"));
  total_->setWordWrap(true);
  total_->setAccessibleName(tr("Memory of the run"));
  auto* column = verticalBox(inside, 8, {0, 8, 0, 0});
  for (QWidget* part : std::initializer_list<QWidget*>{ranksTitle_, shares_, ranksView_,
                                                       memoryTitle_, memoryView_, total_})
    column->addWidget(part);
  column->addStretch(1);
  auto* layout = verticalBox(this);
  layout->addWidget(scrolling(inside, tr("Ranks and memory")));
  connect(&preflight_, &PreflightWatch::changed, this, &MemoryPanel::follow);
  follow();
}

void MemoryPanel::follow() {
  const workspace::Preflight& preflight = preflight_.latest();
  std::vector<ReportTableModel::Row> ranks, memory;
  for (const workspace::RankEstimate& rank : preflight.ranks)
    ranks.push_back({static_cast<qlonglong>(ranks.size()), QString::fromStdString(rank.device),
                     QString::fromStdString(rank.memory),
                     QString::fromStdString(fmt::format("{}", fmt::join(rank.coordinates, ", "))),
                     countText(rank.batchRows), bytesText(rank.activationBytes)});
  for (const workspace::MemoryEstimate& space : preflight.memory)
    memory.push_back({QString::fromStdString(space.name), countText(space.ranks),
                      bytesText(space.weightBytes), bytesText(space.slotBytes),
                      bytesText(space.scratchBytes), bytesText(space.activationBytes),
                      bytesText(space.total())});
  ranks_->setRows(std::move(ranks));
  memory_->setRows(std::move(memory));
  ranksTitle_->setVisible(ranks_->rowCount() > 0);
  memoryTitle_->setVisible(memory_->rowCount() > 0);
  fitRows(*ranksView_, kMaxReportRows);
  fitRows(*memoryView_, kMaxReportRows);
  shares_->setText(shownText(preflight.dataParallel));
  shares_->setVisible(!preflight.dataParallel.empty());
  total_->setText(memoryText(preflight));
}

}  // namespace parapet::ui
