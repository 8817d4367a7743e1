// SPDX-License-Identifier: Apache-2.0
#include "engine/train/kept_checkpoints.h"

#include <QtTest>
#include <algorithm>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::EpochMeasuredAgain;
using experiment::Experiment;
using testing::EventList;

/// A run that older rules measured, and that is resumed.
class KeptCheckpointsTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  /// Every epoch is validated, and all checkpoints are kept.
  static Experiment fourEpochs() {
    Experiment document = testing::ratingsDocument();
    document.training.epochs = 4;
    document.training.checkpoints = {.every = 1, .keep = 9, .best = "val_recall@5"};
    document.training.earlyStopping = experiment::EarlyStopping{"val_loss", 9, 0.0};
    return document;
  }
  /// The checkpoint of a run that was stopped within its third epoch.
  checkpoint::Checkpoint stopped(const std::string& run) const {
    EventList events;
    const auto outcome = training_.train(fourEpochs(), run, events, 19);
    return checkpoint::open(outcome.result.checkpoint).value();
  }
  /// As older rules left it, with best values that no metric reaches.
  checkpoint::Checkpoint stoppedUnderOldRules(const std::string& run) const {
    const checkpoint::Checkpoint last = stopped(run);
    checkpoint::Manifest manifest = last.manifest();
    manifest.trainerState.erase("metric_rules");
    manifest.trainerState["best"] = 2.0;
    manifest.trainerState["best_step"] = -1;
    manifest.trainerState["stopping_best"] = -1.0;
    manifest.trainerState["stopping_since"] = 2;
    const auto written = checkpoint::write(training_.checkpoints(run), manifest, last.tensors());
    return checkpoint::open(written.value()).value();
  }
  static std::vector<experiment::Metric> validationOf(const experiment::EpochSummary& epoch) {
    std::vector<experiment::Metric> metrics = epoch.metrics;
    std::erase_if(metrics, [](const auto& metric) { return !metric.first.starts_with("val_"); });
    return metrics;
  }

 private Q_SLOTS:
  void theirEpochsAreMeasuredAgain() {
    EventList before, events;
    const auto whole = training_.train(fourEpochs(), "whole", before);
    const auto rest = training_.train(fourEpochs(), "old", events, 0, stoppedUnderOldRules("old"));
    const auto again = events.all<EpochMeasuredAgain>();
    QCOMPARE(again.size(), std::size_t{2});
    for (std::size_t i = 0; i < again.size(); ++i) {
      const experiment::EpochSummary& epoch = whole.result.epochs.at(i);
      QCOMPARE(again[i].epoch, epoch.epoch);
      QCOMPARE(again[i].step, epoch.step);
      QCOMPARE(again[i].metrics, validationOf(epoch));
    }
    const auto notes = events.all<experiment::RunNote>();
    QCOMPARE(std::ranges::count_if(notes,
                                   [](const experiment::RunNote& note) {
                                     return note.message.find("measured again by rules") !=
                                                std::string::npos &&
                                            note.message.ends_with("what they were");
                                   }),
             2);
    // All checkpoints were kept, so it ends as a run that always had these rules.
    const auto last = checkpoint::open(rest.result.checkpoint).value();
    const auto expected = checkpoint::open(whole.result.checkpoint).value();
    for (const char* key : {"best", "best_step", "stopping_best", "stopping_since"})
      QVERIFY2(last.manifest().trainerState.at(key) == expected.manifest().trainerState.at(key),
               key);
    for (const checkpoint::TensorView& tensor : expected.tensors()) {
      const checkpoint::TensorView* found = last.find(tensor.name);
      QVERIFY2(found && std::ranges::equal(found->bytes, tensor.bytes), tensor.name.c_str());
    }
  }

  void theFirstIsTheBestUntilAnotherIsBetter() {
    EventList events;
    (void)training_.train(fourEpochs(), "best", events, 0, stoppedUnderOldRules("best"));
    const auto again = events.all<EpochMeasuredAgain>();
    QCOMPARE(again.size(), std::size_t{2});
    const auto recallOf = [](const EpochMeasuredAgain& epoch) {
      return train::metricOf(epoch.metrics, "val_recall@5").value();
    };
    QVERIFY(again[0].best);
    QCOMPARE(again[1].best, recallOf(again[1]) > recallOf(again[0]));
  }

  void aDamagedOneIsPassedOver() {
    const checkpoint::Checkpoint last = stoppedUnderOldRules("damaged");
    std::filesystem::resize_file(
        training_.checkpoints("damaged") / "ckpt-8" / "tensors.safetensors", 16);
    EventList events;
    const auto rest = training_.train(fourEpochs(), "damaged", events, 0, last);
    QCOMPARE(rest.result.state, experiment::RunState::kFinished);
    const auto again = events.all<EpochMeasuredAgain>();
    QCOMPARE(again.size(), std::size_t{1});
    QCOMPARE(again[0].epoch, std::int64_t{2});
    QVERIFY(again[0].best);
  }

  void ofTheRulesOfThisProgramNoneIsMeasured() {
    EventList events;
    (void)training_.train(fourEpochs(), "same", events, 0, stopped("same"));
    QVERIFY(events.all<EpochMeasuredAgain>().empty());
  }
};

QTEST_GUILESS_MAIN(KeptCheckpointsTest)
#include "kept_checkpoints_test.moc"
