// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/split_panel.h"

#include <numeric>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kBins = 160, kSplitPauseMs = 200;

std::vector<ReportTableModel::Row> rowsOf(const workspace::SplitTimeline& timeline) {
  const auto all = static_cast<double>(
      std::accumulate(timeline.totals.begin(), timeline.totals.end(), std::int64_t{0}));
  std::vector<ReportTableModel::Row> rows;
  for (std::size_t part = 0; part < workspace::SplitTimeline::kParts; ++part) {
    const std::int64_t count = timeline.totals[part];
    if (count == 0) continue;
    const workspace::SplitTimeline::Span& span = timeline.spans[part];
    rows.push_back({SplitTimelineView::partName(part), countText(count),
                    QString::number(100.0 * static_cast<double>(count) / all, 'f', 1),
                    timeline.hasTimes ? SplitTimelineView::dateOf(span.first) : QString(),
                    timeline.hasTimes ? SplitTimelineView::dateOf(span.last) : QString()});
  }
  return rows;
}

}  // namespace

struct SplitPanel::Picture {
  workspace::SplitTimeline timeline;
  std::vector<workspace::LeakFinding> leaks;
};

SplitPanel::SplitPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      hint_(new QuietLabel),
      findings_(new FindingsLabel(this)),
      view_(new SplitTimelineView),
      parts_(new ReportTableModel(
          {tr("Part"), tr("Rows"), tr("Share [%]"), tr("First row"), tr("Last row")}, {1, 2},
          this)) {
  hint_->setWordWrap(true);
  partView_ = makeReportView(*parts_, tr("Parts of the split"), this);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(findings_);
  layout->addWidget(view_);
  layout->addWidget(partView_);
  layout->addWidget(hint_);
  callAfterPause(pause_, kSplitPauseMs, this, &SplitPanel::draw);
  connect(&editor, &ExperimentEditor::documentChanged, this, &SplitPanel::follow);
  setDataset(nullptr);
}

void SplitPanel::setDataset(std::shared_ptr<const workspace::Dataset> dataset) {
  dataset_ = std::move(dataset);
  drawn_.clear();
  follow();
}

void SplitPanel::follow() {
  std::string now;
  for (const char* setting : {"/dataset/split", "/dataset/batch", "/training/seed"})
    now += editor_.value(setting).dump();
  if (dataset_ && now == drawn_) return;
  drawn_ = now;
  background_.cancel();
  view_->setVisible(false);
  findings_->setFindings({});
  parts_->setRows({});
  fitRows(*partView_, 0);
  hint_->setVisible(true);
  hint_->setText(dataset_ ? tr("Splitting…")
                          : tr("The parts are shown on a timeline after the import (7)."));
  if (dataset_) pause_.start();
}

void SplitPanel::draw() {
  if (!dataset_) return;
  background_.start(
      [dataset = dataset_,
       now = editor_.experiment()](const WorkContext& context) -> Result<Picture> {
        PARAPET_ASSIGN(const workspace::Split split, workspace::splitFor(now, *dataset));
        if (context.cancelled()) return Error{ErrorCode::kCancelled, "stopped"};
        const workspace::EventColumns events(*dataset);
        return Picture{workspace::splitTimeline(*dataset, split, kBins),
                       workspace::findLeakage(events, split).findings()};
      },
      [this](const Result<Picture>& picture) { show(picture); });
}

void SplitPanel::show(const Result<Picture>& picture) {
  hint_->setVisible(false);
  experiment::Findings findings;
  if (!picture) {
    findings.problems.push_back({picture.error().pointer, picture.error().text(), {}});
    findings_->setFindings(findings);
    return;
  }
  showLeaks(picture->leaks);
  view_->setTimeline(picture->timeline);
  view_->setVisible(true);
  parts_->setRows(rowsOf(picture->timeline));
  fitRows(*partView_, static_cast<int>(workspace::SplitTimeline::kParts));
  partView_->resizeColumnsToContents();
}

void SplitPanel::showLeaks(const std::vector<workspace::LeakFinding>& leaks) {
  experiment::Findings findings;
  QStringList notes;
  for (const workspace::LeakFinding& leak : leaks)
    if (leak.severity == workspace::LeakSeverity::kWarning) {
      findings.warnings.push_back({"/dataset/split", leak.message, {}});
    } else {
      notes << shownText(leak.message);
    }
  findings_->setFindings(findings);
  hint_->setText(notes.join('\n'));
  hint_->setVisible(!notes.isEmpty());
}

}  // namespace parapet::ui
