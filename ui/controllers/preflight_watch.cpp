// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/preflight_watch.h"

#include <algorithm>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/pause.h"

namespace parapet::ui {
namespace {

// One question for a burst of edits.
constexpr int kPreflightPauseMs = 150;

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

}  // namespace parapet::ui
