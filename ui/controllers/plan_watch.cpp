// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/plan_watch.h"

#include "ui/bridge/pause.h"

namespace parapet::ui {
namespace {

// A word that is being typed is not planned letter by letter.
constexpr int kPlanPauseMs = 250;

}  // namespace

PlanWatch::PlanWatch(workspace::Workspace& workspace, ExperimentEditor& editor, QObject* parent)
    : QObject(parent), workspace_(workspace), editor_(editor) {
  callAfterPause(pause_, kPlanPauseMs, this, &PlanWatch::start);
  connect(&background_, &Background::runningChanged, this, &PlanWatch::runningChanged);
  connect(&background_, &Background::progressed, this, &PlanWatch::progressed);
  connect(&editor, &ExperimentEditor::documentChanged, this, &PlanWatch::follow);
  connect(&editor, &ExperimentEditor::loaded, this, &PlanWatch::forget);
  follow();
}

const mesh::ShardingPlan* PlanWatch::plan() const {
  return report_ && !report_->plan.devices.empty() ? &report_->plan : nullptr;
}

bool PlanWatch::isCurrent() const {
  return report_ && !editor_.draftError() && plannedDocument_ == editor_.document();
}

void PlanWatch::follow() {
  plannable_ = !editor_.draftError() &&
               experiment::parse(nlohmann::json(editor_.document())).findings.problems.empty();
  // Once nobody looks, the last plan stands until somebody does.
  if (wanted_ && active_ && plannable_ && !isCurrent() && !importing_) pause_.start();
  emit changed();
}

void PlanWatch::setActive(bool active) {
  active_ = active;
  if (!active) return;
  wanted_ = true;
  follow();
  // The data may have been imported since.
  if (plannable_ && report_ && !report_->idsMeasured) pause_.start();
}

void PlanWatch::forget() {
  pause_.stop();
  background_.cancel();
  importing_ = false;
  wanted_ = active_;
  report_.reset();
  follow();
}

void PlanWatch::cancel() {
  pause_.stop();
  background_.cancel();
  importing_ = false;
  // Otherwise the next change would begin what was just cancelled.
  wanted_ = false;
  emit changed();
}

void PlanWatch::start() {
  launch(workspace::PlanOptions::Data::kAsImported);
}

void PlanWatch::importAndPlan() {
  launch(workspace::PlanOptions::Data::kImport);
}

void PlanWatch::launch(workspace::PlanOptions::Data data) {
  if (!plannable_) return;
  wanted_ = true;
  importing_ = data == workspace::PlanOptions::Data::kImport;
  pause_.stop();
  const experiment::Experiment asked = editor_.experiment();
  background_.start(
      [&workspace = workspace_, asked,
       data](const WorkContext& context) -> Result<workspace::PlanReport> {
        return workspace.plan(asked, {.data = data}, context);
      },
      [this, asked, data,
       document = editor_.document()](const Result<workspace::PlanReport>& answer) {
        if (answer) {
          report_ = *answer;
        } else {
          report_.emplace();
          report_->findings.problems.push_back(
              {answer.error().pointer, answer.error().message, {}});
        }
        planned_ = asked;
        plannedDocument_ = document;
        importing_ = false;
        follow();
        if (answer && data == workspace::PlanOptions::Data::kImport) emit imported();
      });
}

}  // namespace parapet::ui
