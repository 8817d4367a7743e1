// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/experiment/experiment.h"
#include "engine/train/trainer.h"
#include "tests/experiment/sample_document.h"
#include "tests/train/make_session.h"

/// A small data set in a temporary folder, experiments over it and what it takes to train them.
namespace parapet::testing {

/// 30 users rate 40 items 700 times; a retrieval model over two tables of width 4.
inline experiment::Experiment ratingsDocument() {
  constexpr const char* kDocument = R"({"parapet": 1, "name": "ratings",
    "dataset": {"source": "generated",
      "generator": {"kind": "movies", "users": 30, "items": 40, "events": 700, "seed": 7},
      "label": {"column": "rating", "scale": [1, 5]},
      "vocabularies": [{"name": "user", "kind": "direct", "size": "max+1"},
                       {"name": "item", "kind": "direct", "size": "max+1"}],
      "split": {"kind": "random", "train": 0.7, "validation": 0.3, "test": 0},
      "batch": {"size": 64}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
               {"name": "item", "vocabulary": "item", "embedding_dim": 4}],
    "features": [{"name": "user", "column": "user", "table": "user"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
    "model": {"kind": "retrieval"},
    "optimizer": {"kind": "adagrad", "learning_rate": 0.2},
    "training": {"epochs": 2, "validate_every": 1, "seed": 5,
                 "checkpoints": {"every": null, "keep": 3, "best": null}},
    "evaluation": {"k": [3, 5]}})";
  return experiment::test::parsedDocument(experiment::parseJson(kDocument).value());
}

/// The weights of a session, by parameter.
inline std::vector<std::vector<float>> weightsOf(train::Session& session) {
  std::vector<std::vector<float>> all;
  for (const nn::Parameter& parameter : session.parameters()) {
    all.emplace_back(static_cast<std::size_t>(parameter.size()));
    nn::gatherRows(parameter, -1, all.back());
  }
  return all;
}

/// Rows for tests that train on several devices, with shared memory and with memories of their own.
inline void addDeviceRows() {
  QTest::addColumn<QString>("devices");
  QTest::addColumn<bool>("separate");
  for (const char* devices : {"cpu*2", "cpu*3", "cpu*8"})
    for (const bool separate : {false, true})
      QTest::addRow("%s%s", devices, separate ? ", separate" : "") << devices << separate;
}

/// Collects what a run tells.
class EventList final : public experiment::RunSink {
 public:
  void onEvent(const std::string&, const experiment::RunEvent& event) override {
    events.push_back(event);
  }
  void onStep(const std::string&, const experiment::StepPoint& point) override {
    steps.push_back(point);
    if (afterStep) afterStep(point.step);
    if (disturb) disturb(point.step);
  }
  template <class Event>
  std::vector<Event> all() const {
    std::vector<Event> out;
    for (const auto& event : events)
      if (const auto* one = std::get_if<Event>(&event)) out.push_back(*one);
    return out;
  }
  std::vector<experiment::RunEvent> events;
  std::vector<experiment::StepPoint> steps;
  std::function<void(std::int64_t step)> afterStep{};
  std::function<void(std::int64_t step)> disturb{};  ///< the same, of the test alone
};

/// Imports data sets into one temporary folder and trains on them.
class SmallTraining {
 public:
  std::shared_ptr<const data::Dataset> dataset(const experiment::Experiment& document) const {
    auto report = data::importDataset(document.dataset, folder_.path().toStdString(), {},
                                      data::makeGenerator);
    if (!report) throw InternalError(report.error().text());
    return report->dataset;
  }
  SessionOptions options{};  ///< of every session
  std::function<void(train::Session&)> whenMade{};
  /// Lists of the catalogue that take so many products are measured later.
  std::int64_t minLaterProducts = train::kMinLaterProducts;

  std::unique_ptr<train::Session> session(const experiment::Experiment& document) const {
    auto made = makeSession(document, dataset(document), options);
    if (!made) throw InternalError(made.error().text());
    if (whenMade) whenMade(**made);
    return std::move(made).value();
  }
  static data::Split split(const experiment::Experiment& document, const train::Session& session) {
    return data::makeSplit(session.dataset(), document, session.batchRows()).value();
  }
  /// The checkpoints of this trainer's runs, a folder for each name.
  [[nodiscard]] std::filesystem::path checkpoints(const std::string& run) const {
    return std::filesystem::path(folder_.path().toStdString()) / "checkpoints" / run;
  }

  struct Outcome {
    train::TrainerResult result;
    std::unique_ptr<train::Session> session;
  };
  /// Trains from the beginning, or from a checkpoint. `stopAfter` steps of the whole run; 0: never.
  Outcome train(const experiment::Experiment& document, const std::string& run, EventList& events,
                std::int64_t stopAfter = 0,
                std::optional<checkpoint::Checkpoint> from = std::nullopt) const {
    Outcome outcome{{}, session(document)};
    if (from)
      if (const Status loaded = outcome.session->load(*from); !loaded)
        throw InternalError(loaded.error().text());
    const data::Split parts = split(document, *outcome.session);
    train::RunControl control;
    events.afterStep = [&](std::int64_t step) {
      if (step == stopAfter) control.stop();
    };
    const train::TrainerOptions ofRun{.runId = run,
                                      .fingerprint = "f",
                                      .checkpointFolder = checkpoints(run),
                                      .resumeFrom = std::move(from),
                                      .flush = [] {},
                                      .minLaterProducts = minLaterProducts};
    outcome.result = train::train(*outcome.session, document, parts, ofRun, control, events);
    events.afterStep = {};
    return outcome;
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace parapet::testing
