// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "engine/experiment/experiment.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// The recipe `sample` with a number of epochs.
inline nlohmann::json sampleDocument(int epochs) {
  nlohmann::json document =
      experiment::parseJson(experiment::findRecipe("sample").value().text).value();
  document["training"]["epochs"] = epochs;
  return document;
}
inline experiment::Experiment sampleExperiment(int epochs) {
  return experiment::parse(sampleDocument(epochs)).experiment;
}

/// A workspace in a folder of its own with all that pages work on.
struct TestBench {
  TestBench()
      : workspace(workspace::Workspace::open((folder.path() + "/workspace").toStdString()).value()),
        runs(*workspace, bridge),
        bench{*workspace, bridge, runs, editor} {}

  /// Trains to the end in this window; the id of the run.
  QString train(int epochs) {
    runs.start(sampleExperiment(epochs), QStringLiteral("sample"));
    const bool ended = QTest::qWaitFor([this] { return !runs.active(); }, 60'000);
    return ended ? runs.runId() : QString();
  }

  QTemporaryDir folder;
  std::unique_ptr<workspace::Workspace> workspace;
  RunBridge bridge;
  RunController runs;
  ExperimentEditor editor;
  Workbench bench;
};

}  // namespace parapet::ui
