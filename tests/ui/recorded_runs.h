// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "ui/pages/page.h"

namespace parapet::ui {

/// The sample recipe with few epochs, small enough to train in a test.
inline experiment::Experiment recordedExperiment(std::int64_t epochs) {
  auto document = experiment::parseJson(experiment::findRecipe("sample")->text);
  experiment::Experiment experiment = experiment::parse(*document).experiment;
  experiment.training.epochs = epochs;
  experiment.dataset.generator =
      experiment::Generator{.users = 60, .items = 80, .events = 3000, .seed = 7};
  return experiment;
}

/// A workspace of its own and what pages work on.
class RecordedBench {
 public:
  RecordedBench() {
    auto opened = workspace::Workspace::open(folder_.path().toStdString());
    if (!opened) return;
    workspace_ = std::move(*opened);
    runs_ = std::make_unique<RunController>(*workspace_, bridge_);
  }
  [[nodiscard]] bool good() const { return runs_ != nullptr; }
  [[nodiscard]] workspace::Workspace& workspace() { return *workspace_; }
  [[nodiscard]] RunController& runs() { return *runs_; }
  [[nodiscard]] ExperimentEditor& editor() { return editor_; }
  [[nodiscard]] Workbench bench() { return {*workspace_, bridge_, *runs_, editor_}; }

  /// Trains to the end in the calling thread; the id of the run, "" if it failed.
  QString record(const experiment::Experiment& experiment) {
    auto handle = workspace_->start(experiment, {.recipe = "sample", .threads = 1});
    if (!handle) {
      qWarning("%s", handle.error().text().c_str());
      return {};
    }
    const workspace::RunOutcome outcome = (*handle)->wait();
    if (outcome.state == experiment::RunState::kFinished)
      return QString::fromStdString(outcome.runId);
    if (outcome.error) qWarning("%s", outcome.error->text().c_str());
    return {};
  }

 private:
  QTemporaryDir folder_;
  RunBridge bridge_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<RunController> runs_;
  ExperimentEditor editor_;
};

}  // namespace parapet::ui
