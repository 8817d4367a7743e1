// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/estimate_panel.h"

#include <QHeaderView>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/info_sign.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kEstimatePauseMs = 250;
constexpr int kMaxEstimateRows = 12;

}  // namespace

EstimatePanel::EstimatePanel(workspace::Workspace& workspace, PlanWatch& watch, RunController& runs,
                             ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      watch_(watch),
      editor_(editor),
      rows_(new ReportTableModel(estimateTitles(), estimateNumbers(), this)),
      view_(makeReportView(*rows_, tr("A step, estimated and measured"), this)),
      source_(new QuietLabel({}, this)) {
  source_->setWordWrap(true);
  source_->setAccessibleName(tr("Source of the measurement"));
  view_->setToolTip(
      tr("Compute, exchange, update and waiting of the device where each is longest"));
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  // A name that does not fit goes on in a second line: two of them begin alike.
  view_->setWordWrap(true);
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  connect(view_->verticalHeader(), &QHeaderView::sectionResized, this,
          [this] { fitRows(*view_, kMaxEstimateRows); });
  auto* layout = verticalBox(this, 8);
  layout->addWidget(titleWithSign(headingLabel(tr("Before and after the run"), 1.0),
                                  QStringLiteral("docs/devices.md")));
  layout->addWidget(view_);
  layout->addWidget(source_);
  callAfterPause(pause_, kEstimatePauseMs, this, &EstimatePanel::ask);
  connect(&watch, &PlanWatch::changed, this, &EstimatePanel::follow);
  connect(&editor, &ExperimentEditor::documentChanged, this, [this] {
    measured_.reset();
    follow();
    pause_.start();
  });
  connect(&runs, &RunController::ended, &pause_, qOverload<>(&QTimer::start));
  follow();
  pause_.start();
}

void EstimatePanel::ask() {
  background_.start([&store = workspace_.store(), experiment = editor_.experiment()](
                        const WorkContext&) { return measuredStep(store, experiment); },
                    [this](const Result<std::optional<MeasuredStep>>& answer) {
                      measured_ = answer ? *answer : std::nullopt;
                      failure_ = answer ? QString() : shownText(answer.error().text());
                      follow();
                    });
}

void EstimatePanel::follow() {
  // A plan of another document says nothing of this one.
  rows_->setRows(estimateRows(watch_.isCurrent() && watch_.plan() ? &*watch_.report() : nullptr,
                              measured_ ? &*measured_ : nullptr));
  fitRows(*view_, kMaxEstimateRows);
  if (!failure_.isEmpty())
    source_->setText(failure_);
  else if (measured_)
    source_->setText(
        tr("Measured in epoch %1 of run %2.")
            .arg(countText(measured_->epoch.epoch), QString::fromStdString(measured_->runId)));
  else
    source_->setText(
        tr("No measurement: no run trained this experiment on this mesh with these placements."));
}

}  // namespace parapet::ui
