// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/workspace/workspace.h"

namespace parapet::testing {

/// Recipe `sample`, small: 60 users, 40 items, 600 events, batches of 50, two epochs.
inline experiment::Experiment smallSample() {
  const auto recipe = experiment::findRecipe("sample").value();
  experiment::Experiment experiment =
      experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
  experiment.dataset.generator =
      experiment::Generator{.users = 60, .items = 40, .events = 600, .seed = 7};
  experiment.dataset.batch.size = 50;
  experiment.training.epochs = 2;
  return experiment;
}

/// A workspace in a temporary folder, with the warnings it gave.
struct TemporaryWorkspace {
  QTemporaryDir folder;
  std::vector<std::string> warnings;
  std::unique_ptr<workspace::Workspace> workspace = open();

  std::unique_ptr<workspace::Workspace> open() {
    auto opened = workspace::Workspace::open(
        folder.path().toStdString(), [this](const std::string& text) { warnings.push_back(text); });
    return opened ? std::move(opened).value() : nullptr;
  }
  workspace::Workspace* operator->() { return workspace.get(); }

  /// Trains to the end; the outcome of a start that was refused has state Failed and its error.
  workspace::RunOutcome train(const experiment::Experiment& experiment, int threads = 1) {
    auto run = workspace->start(experiment, {.recipe = "sample", .threads = threads});
    if (run) return (*run)->wait();
    workspace::RunOutcome refused;
    refused.state = experiment::RunState::kFailed;
    refused.error = run.error();
    return refused;
  }
};

/// Collects what a run tells.
class RecordingSink final : public experiment::RunSink {
 public:
  void onEvent(const std::string&, const experiment::RunEvent& event) override {
    {
      std::lock_guard lock(mutex_);
      events_.push_back(event);
    }
    if (hook) hook(event);
  }
  void onStep(const std::string&, const experiment::StepPoint& point) override {
    std::lock_guard lock(mutex_);
    steps_.push_back(point);
  }
  std::vector<experiment::StepPoint> steps() {
    std::lock_guard lock(mutex_);
    return steps_;
  }
  template <class Event>
  std::vector<Event> all() {
    std::lock_guard lock(mutex_);
    std::vector<Event> out;
    for (const auto& event : events_)
      if (const auto* one = std::get_if<Event>(&event)) out.push_back(*one);
    return out;
  }
  std::function<void(const experiment::RunEvent&)> hook;  ///< set before the run starts

 private:
  std::mutex mutex_;
  std::vector<experiment::RunEvent> events_;
  std::vector<experiment::StepPoint> steps_;
};

}  // namespace parapet::testing
