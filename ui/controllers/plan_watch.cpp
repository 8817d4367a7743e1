// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/plan_watch.h"

#include <algorithm>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/pause.h"

namespace parapet::ui {
namespace {

// One question for a burst of edits.
constexpr int kPreflightPauseMs = 150;

// A word that is being typed is not planned letter by letter.
constexpr int kPlanPauseMs = 250;

}  // namespace

PreflightWatch::PreflightWatch(workspace::Workspace& workspace, ExperimentEditor& editor,
                               QObject* parent)
    : QObject(parent), workspace_(workspace), editor_(editor) {
  callAfterPause(pause_, kPreflightPauseMs, this, &PreflightWatch::ask);
  connect(&editor, &ExperimentEditor::documentChanged, this, &PreflightWatch::refresh);
  refresh();
}

void PreflightWatch::refresh() {
  background_.cancel();
  pause_.start();
}

void PreflightWatch::ask() {
  // With problems in the document sizes mean nothing, and they stand where they are already.
  // The editor's findings may hold those of the last preflight, so the document alone is asked.
  const bool sound =
      !editor_.draftError() &&
      experiment::parse(nlohmann::json(editor_.document())).findings.problems.empty();
  if (!sound) {
    take({});
    return;
  }
  background_.start(
      [&workspace = workspace_,
       experiment = editor_.experiment()](const WorkContext&) -> Result<workspace::Preflight> {
        workspace::Preflight answer = workspace.preflight(experiment);
        answer.findings.append(workspace::checkSideFiles(experiment.dataset));
        return answer;
      },
      [this](Result<workspace::Preflight> answer) {
        if (answer) {
          take(std::move(answer).value());
        } else {
          experiment::Findings findings;
          findings.warnings.push_back({{}, answer.error().text(), {}});
          editor_.setPreflightFindings(findings);
        }
      });
}

void PreflightWatch::take(workspace::Preflight answer) {
  latest_ = std::move(answer);
  // The terminal may still be told where the data are; here the document alone says so.
  liftWarning("/dataset/path");
  editor_.setPreflightFindings(latest_.findings);
  emit changed();
}

void PreflightWatch::liftWarning(const std::string& pointer) {
  auto& [problems, warnings] = latest_.findings;
  const auto found = std::ranges::find(warnings, pointer, &experiment::Problem::pointer);
  if (found == warnings.end()) return;
  problems.push_back(std::move(*found));
  warnings.erase(found);
}

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
