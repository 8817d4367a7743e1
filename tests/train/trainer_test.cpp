// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/base/file_error.h"
#include "engine/train/training_progress.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::Placement;
using experiment::RunState;
using testing::EventList;

class TrainerTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  /// Every named tensor of a session has the bytes of the checkpoint.
  static void compareWeights(train::Session& session, const checkpoint::Checkpoint& checkpoint) {
    const auto tensors = session.tensors();
    QVERIFY(tensors.size() >= checkpoint.tensors().size());
    for (const checkpoint::TensorView& tensor : tensors) {
      const checkpoint::TensorView* from = checkpoint.find(tensor.name);
      QVERIFY2(from && std::ranges::equal(tensor.bytes, from->bytes), tensor.name.c_str());
    }
  }
  static std::vector<double> lossesOf(const EventList& events) {
    std::vector<double> losses;
    for (const experiment::StepPoint& point : events.steps) losses.push_back(point.loss);
    return losses;
  }
  /// An experiment of three epochs, each of which is validated and has a checkpoint.
  static Experiment threeEpochs() {
    Experiment document = testing::ratingsDocument();
    document.training.epochs = 3;
    document.training.checkpoints.every = 1;
    return document;
  }
  /// Lists are measured beside training, however small they are.
  static testing::SmallTraining& later() {
    static testing::SmallTraining training;
    training.options.threads = 3;
    training.minLaterProducts = 1;
    return training;
  }
  /// Without the baselines that are fitted beside training, which come at any time.
  static nlohmann::ordered_json verdictsOf(const experiment::EpochSummary& epoch) {
    auto verdicts = epoch.verdicts;
    std::erase_if(verdicts, [](const experiment::BaselineVerdict& of) {
      constexpr std::array kFitted{"own_items", "markov", "item_knn", "ease"};
      return std::ranges::count(kFitted, of.baseline) > 0;
    });
    return experiment::toJson(verdicts);
  }
  static void compareEpochs(const std::vector<experiment::EpochSummary>& found,
                            const std::vector<experiment::EpochSummary>& expected) {
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(found[i].epoch, expected[i].epoch);
      QCOMPARE(found[i].step, expected[i].step);
      QCOMPARE(found[i].loss, expected[i].loss);
      QCOMPARE(found[i].metrics, expected[i].metrics);
      QCOMPARE(verdictsOf(found[i]), verdictsOf(expected[i]));
      QCOMPARE(found[i].segments, expected[i].segments);
    }
  }
  static Experiment on(const char* devices, Placement placement) {
    Experiment document = testing::ratingsDocument();
    document.mesh.devices = {devices};
    if (placement != Placement::kReplicated)
      document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    for (experiment::Table& table : document.tables) table.placement = placement;
    return document;
  }

 private Q_SLOTS:
  // Neither figures nor a checkpoint are made of what is lost.
  void aColumnThatIsCutOffEndsTheRunByName_data() {
    QTest::addColumn<bool>("cached");
    QTest::addColumn<qint64>("left");
    QTest::newRow("cached") << true << qint64{0};
    QTest::newRow("gathered") << false << qint64{0};
    QTest::newRow("by a byte") << false << qint64{-1};
  }
  void aColumnThatIsCutOffEndsTheRunByName() {
    QFETCH(bool, cached);
    QFETCH(qint64, left);
    const testing::SmallTraining training;
    Experiment document = threeEpochs();
    document.dataset.batch.cache = cached;
    const auto path = training.dataset(document)->folder() / "label.f32";
    EventList events;
    events.disturb = [&](std::int64_t step) {
      if (step == 2)
        std::filesystem::resize_file(
            path, left < 0 ? std::filesystem::file_size(path) - 1 : std::uintmax_t{0});
    };
    std::string lost;
    try {
      (void)training.train(document, "lost", events);
    } catch (const FileError& error) {
      lost = error.error().path;
    }
    QCOMPARE(lost, path.string());
    QVERIFY(events.all<experiment::EpochEnded>().empty());
    QVERIFY(events.all<experiment::CheckpointWritten>().empty());
  }

  void tellsARunFromItsFirstEventToItsLast() {
    EventList events;
    Experiment document = testing::ratingsDocument();
    document.training.checkpoints.every = 1;
    const auto [result, session] = training_.train(document, "whole", events);
    QCOMPARE(result.state, RunState::kFinished);
    QCOMPARE(result.steps, 16);  // 490 rows in batches of 64, twice
    QCOMPARE(events.steps.size(), std::size_t{16});
    QVERIFY(std::holds_alternative<experiment::RunStarted>(events.events.front()));
    QVERIFY(std::holds_alternative<experiment::RunEnded>(events.events.back()));
    QCOMPARE(events.all<experiment::RunStarted>().front().stepsPerEpoch, 8);
    QCOMPARE(events.all<experiment::EpochEnded>().size(), std::size_t{2});
    const auto written = events.all<experiment::CheckpointWritten>();
    QCOMPARE(written.size(), std::size_t{2});
    QCOMPARE(written.back().step, 16);
    QCOMPARE(result.checkpoint, written.back().path);
    QVERIFY(!result.epochs.back().verdicts.empty());
  }

  /// Beside the loss, whatever its reduction: the root of the mean squared error.
  void anEpochHasTheRootOfItsSquaredError() {
    EventList events;
    const auto metricsOf = [&](const Experiment& document, const std::string& run) {
      const auto epochs = training_.train(document, run, events).result.epochs;
      std::map<std::string, double> metrics(epochs[0].metrics.begin(), epochs[0].metrics.end());
      metrics["loss"] = epochs[0].loss;
      return metrics;
    };
    const auto metrics = metricsOf(testing::ratingsDocument(), "root");
    QCOMPARE(metrics.at("rmse"), std::sqrt(metrics.at("loss")));
    QVERIFY(metrics.at("rmse_as_displayed") > 0.0);
    QVERIFY(metrics.at("rmse_as_displayed") != metrics.at("rmse"));
    Experiment summed = testing::ratingsDocument();
    summed.loss.reduction = experiment::Reduction::kSum;
    const auto sums = metricsOf(summed, "sum-root");  // the loss is the mean of 8 batches' sums
    QVERIFY(std::abs(sums.at("rmse") - std::sqrt(8.0 * sums.at("loss") / 490.0)) < 1e-12);
  }

  /// Devices without a memory in common bring their predictions together for it.
  void anEpochUnderBceHasTheAccuracyOfItsPredictions() {
    EventList events;
    Experiment document = testing::ratingsDocument();
    document.loss.kind = experiment::LossKind::kBce;
    document.training.epochs = 1;
    const auto accuracyOf = [&](const Experiment& of, const std::string& run) {
      const auto epochs = training_.train(of, run, events).result.epochs;
      const auto value = train::metricOf(epochs.at(0).metrics, "accuracy");
      return value ? *value : -1.0;
    };
    const double alone = accuracyOf(document, "accuracy");
    QVERIFY(alone > 0.0 && alone < 1.0);
    // The share is one of 490 examples.
    QVERIFY(std::abs(alone * 490.0 - std::round(alone * 490.0)) < 1e-9);
    document.mesh.devices = {"cpu*3"};
    document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    QCOMPARE(accuracyOf(document, "accuracy-of-spaces"), alone);
  }

  /// Stopped within an epoch and resumed, it has the metrics of the whole epoch.
  void metricsOfAnEpochSurviveAStop() {
    EventList events;
    const Experiment document = testing::ratingsDocument();
    const auto straight = training_.train(document, "straight", events).result.epochs;
    const auto stopped = training_.train(document, "halves", events, 3);
    QCOMPARE(stopped.result.steps, 3);
    auto from = checkpoint::open(stopped.result.checkpoint);
    QVERIFY(from.ok());
    const auto resumed =
        training_.train(document, "halves", events, 0, std::move(from).value()).result.epochs;
    QCOMPARE(resumed.at(0).metrics, straight.at(0).metrics);
  }

  void aStoppedRunKeepsACheckpointAndAnAbortedOneDoesNot() {
    EventList events;
    const auto stopped = training_.train(testing::ratingsDocument(), "stopped", events, 5);
    QCOMPARE(stopped.result.state, RunState::kStopped);
    QCOMPARE(stopped.result.steps, 5);
    QCOMPARE(checkpoint::list(training_.checkpoints("stopped")).back().step, 5);

    const Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    train::RunControl control;
    EventList aborted;
    aborted.afterStep = [&](std::int64_t) { control.abort(); };
    const train::TrainerOptions options{.runId = "aborted",
                                        .checkpointFolder = training_.checkpoints("aborted")};
    const auto result = train::train(*session, document, split, options, control, aborted);
    QCOMPARE(result.state, RunState::kStopped);
    QVERIFY(checkpoint::list(training_.checkpoints("aborted")).empty());
  }

  void aStopBeforeTheFirstStepKeepsWhatThereWas() {
    const Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    EventList events;
    const auto stopped = [&](const std::string& run, std::optional<checkpoint::Checkpoint> from) {
      train::RunControl control;
      control.stop();
      const train::TrainerOptions options{.runId = run,
                                          .checkpointFolder = training_.checkpoints(run),
                                          .resumeFrom = std::move(from)};
      return train::train(*session, document, split, options, control, events);
    };
    const auto fresh = stopped("never begun", std::nullopt);
    QCOMPARE(fresh.state, RunState::kStopped);
    QCOMPARE(fresh.steps, 0);
    QVERIFY(fresh.checkpoint.empty() && fresh.baselines.empty());
    QVERIFY(checkpoint::list(training_.checkpoints("never begun")).empty());
    QVERIFY(events.all<experiment::RunStarted>().empty());
    QCOMPARE(events.all<experiment::RunEnded>().size(), std::size_t{1});

    EventList before;
    const auto five = training_.train(document, "gone on", before, 5).result;
    auto from = checkpoint::open(five.checkpoint);
    QVERIFY(from.ok());
    const double seconds = from->manifest().trainerState.at("seconds");
    const auto again = stopped("gone on", std::move(from).value());
    QCOMPARE(again.state, RunState::kStopped);
    QCOMPARE(again.steps, 5);
    QCOMPARE(again.checkpoint, five.checkpoint);
    QVERIFY(again.seconds >= seconds);
  }

  /// A stop at any look of a validation: the resumed run ends the epoch as if nothing had happened.
  void aRunStoppedInAValidationRepeatsIt_data() {
    QTest::addColumn<QString>("stage");
    QTest::addColumn<int>("unit");
    QTest::addColumn<QString>("best");
    const int users = static_cast<int>(experiment::EvaluationUnit::kUser),
              rows = static_cast<int>(experiment::EvaluationUnit::kExample);
    QTest::newRow("losses") << "measuring losses" << users << "val_loss";
    QTest::newRow("lists of users") << "measuring lists" << users << "val_ndcg@5";
    QTest::newRow("lists of rows") << "measuring lists" << rows << "val_loss";
  }
  void aRunStoppedInAValidationRepeatsIt() {
    QFETCH(QString, stage);
    QFETCH(int, unit);
    QFETCH(QString, best);
    Experiment document = threeEpochs();
    document.evaluation.unit = static_cast<experiment::EvaluationUnit>(unit);
    document.training.checkpoints.best = best.toStdString();
    document.training.earlyStopping = experiment::EarlyStopping{best.toStdString(), 2, 0.0};
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const std::string run = std::string("validated-") + QTest::currentDataTag();
    const auto trainUntil = [&](train::Session& of, const std::string& name, EventList& events,
                                std::int64_t look, std::int64_t& looks) {
      train::RunControl control;
      const train::TrainerOptions options{
          .runId = name,
          .checkpointFolder = training_.checkpoints(name),
          .progress = [&](std::string_view at, std::int64_t, std::int64_t) {
            if (at == stage.toStdString() && ++looks == look) control.stop();
          }};
      return train::train(of, document, split, options, control, events);
    };
    EventList straight;
    std::int64_t looks = 0;
    const auto whole = trainUntil(*session, run, straight, 0, looks);
    QCOMPARE(whole.state, RunState::kFinished);
    QCOMPARE(whole.epochs.size(), std::size_t{3});
    QVERIFY(looks >= 3);
    const checkpoint::Manifest last = checkpoint::open(whole.checkpoint).value().manifest();
    const auto bestOf = [](const EventList& events) {
      std::vector<std::int64_t> steps;
      for (const auto& written : events.all<experiment::CheckpointWritten>())
        if (written.best) steps.push_back(written.step);
      return steps;
    };
    for (std::int64_t look = 1; look <= looks; ++look) {
      const std::string name = run + std::to_string(look);
      EventList first, second;
      std::int64_t counted = 0;
      const auto fresh = training_.session(document);
      const auto stopped = trainUntil(*fresh, name, first, look, counted);
      QCOMPARE(counted, look);
      QCOMPARE(stopped.state, RunState::kStopped);
      const auto told = stopped.epochs.size();
      QVERIFY(told < whole.epochs.size());
      const auto saved = checkpoint::open(stopped.checkpoint).value();
      QCOMPARE(saved.manifest().step, whole.epochs[told].step);
      QCOMPARE(saved.manifest().epoch, static_cast<std::int64_t>(told));
      QVERIFY(!saved.manifest().trainerState.contains("unmeasured"));
      const auto rest = training_.train(document, name, second, 0, saved);
      QCOMPARE(rest.result.state, RunState::kFinished);
      std::vector<experiment::EpochSummary> all = stopped.epochs;
      all.insert(all.end(), rest.result.epochs.begin(), rest.result.epochs.end());
      compareEpochs(all, whole.epochs);
      std::vector<std::int64_t> bestSteps = bestOf(first);
      for (const std::int64_t step : bestOf(second)) bestSteps.push_back(step);
      QCOMPARE(bestSteps, bestOf(straight));
      compareWeights(*rest.session, checkpoint::open(whole.checkpoint).value());
      const checkpoint::Manifest end = checkpoint::open(rest.result.checkpoint).value().manifest();
      QCOMPARE(end.step, last.step);
      QCOMPARE(end.epoch, last.epoch);
      QCOMPARE(end.batch, last.batch);
      QCOMPARE(end.metrics, last.metrics);
      for (const char* key : {"best", "best_step", "stopping_best", "stopping_since", "tracker"})
        QCOMPARE(end.trainerState.at(key), last.trainerState.at(key));
    }
  }

  void earlyStoppingEndsARunThatImprovesNoMore() {
    Experiment document = testing::ratingsDocument();
    document.training.epochs = 50;
    document.optimizer.learningRate = 1e-7;
    document.training.earlyStopping = experiment::EarlyStopping{"val_loss", 3, 0.01};
    EventList events;
    QCOMPARE(training_.train(document, "early", events).result.epochs.size(), std::size_t{4});
  }

  void aDecayOverTheRunEndsWithItsLastStep() {
    Experiment document = testing::ratingsDocument();
    document.training.epochs = 4;
    document.schedule = {.kind = experiment::ScheduleKind::kPolynomial,
                         .decaySteps = experiment::kStepsOfRun,
                         .end = 0.0};
    EventList events;
    const auto epochs = training_.train(document, "decay", events).result.epochs;
    QCOMPARE(epochs.size(), std::size_t{4});
    for (const experiment::EpochSummary& epoch : epochs)
      QVERIFY(std::abs(epoch.learningRate -
                       0.2 * (1.0 - (static_cast<double>(epoch.step) - 1.0) / 32.0)) < 1e-12);
  }

  void aRateScaledWithTheDevicesIsTheirMultiple() {
    EventList events;
    Experiment document = testing::ratingsDocument();
    document.mesh.devices = {"cpu*2"};
    const auto plain = training_.train(document, "plain-rate", events).result.epochs;
    document.optimizer.learningRate /= 2.0;
    document.optimizer.scaleWithDevices = true;
    const auto scaled = training_.train(document, "scaled-rate", events).result.epochs;
    QCOMPARE(scaled.back().loss, plain.back().loss);
    QCOMPARE(scaled.back().learningRate, 0.2);
  }

  void whatIsExcludedDoesNotDecay() {
    EventList events;
    Experiment document = testing::ratingsDocument();
    const auto lossWith = [&](double decay, std::vector<std::string> excluded,
                              const std::string& run) {
      document.optimizer.weightDecay = decay;
      document.optimizer.decayExclude = std::move(excluded);
      return training_.train(document, run, events).result.epochs.back().loss;
    };
    const double plain = lossWith(0.0, {}, "no-decay");
    QVERIFY(lossWith(0.1, {}, "decay-of-all") != plain);
    QVERIFY(lossWith(0.1, {"tables/user"}, "decay-of-items") != plain);
    QCOMPARE(lossWith(0.1, {"tables/*"}, "decay-of-none"), plain);
  }

  /// nan_loss: the last good checkpoint stays.
  void aLossThatIsNotFiniteEndsTheRunWithinTheStep() {
    Experiment document = testing::ratingsDocument();
    for (experiment::Table& table : document.tables)
      table.initializer = {.kind = experiment::InitializerKind::kConstant, .value = 1e30};
    EventList events;
    const auto [result, session] = training_.train(document, "nan", events);
    QCOMPARE(result.state, RunState::kDiverged);
    QCOMPARE(result.steps, 1);
    QVERIFY(!std::isfinite(events.steps.back().loss));
    QVERIFY(checkpoint::list(training_.checkpoints("nan")).empty());
  }

  /// inf_gradient: with u = 1e-3 and v = 1e21 a score is 4e18, its square finite, and the gradient
  /// of u, 2·4e18·1e21/64, is not. Nothing of the loss shows it.
  void anInfiniteGradientWithAFiniteLossEndsTheRunWithinTheStep_data() {
    QTest::addColumn<int>("optimizer");
    using enum experiment::OptimizerKind;
    QTest::newRow("sgd") << static_cast<int>(kSgd);
    QTest::newRow("adagrad") << static_cast<int>(kAdagrad);
    QTest::newRow("adam") << static_cast<int>(kAdam);
  }
  void anInfiniteGradientWithAFiniteLossEndsTheRunWithinTheStep() {
    QFETCH(int, optimizer);
    for (const char* devices : {"cpu*1", "cpu*3"}) {
      Experiment document = on(devices, Placement::kRow);
      document.optimizer.kind = static_cast<experiment::OptimizerKind>(optimizer);
      document.tables[0].initializer = {.kind = experiment::InitializerKind::kConstant,
                                        .value = 1e-3};
      document.tables[1].initializer = {.kind = experiment::InitializerKind::kConstant,
                                        .value = 1e21};
      EventList events;
      const auto [result, session] = training_.train(document, "inf", events);
      QCOMPARE(result.state, RunState::kDiverged);
      QCOMPARE(result.steps, 1);
      QVERIFY(std::isfinite(events.steps.back().loss));
      QVERIFY2(result.error && result.error->message.find("gradient") != std::string::npos,
               result.error ? result.error->message.c_str() : "");
      QVERIFY(checkpoint::list(training_.checkpoints("inf")).empty());
    }
  }

  /// With u = 1e-3 and v = 1e13 the gradient of u is about 1e22. Its square is infinite, and so is what
  /// an optimizer divides by: no loss and no weight is, and the row is trained no more.
  void aSquareThatOverflowsEndsTheRunAndNamesTheSlot_data() {
    QTest::addColumn<int>("optimizer");
    QTest::addColumn<QString>("tensor");
    using enum experiment::OptimizerKind;
    QTest::newRow("adagrad") << static_cast<int>(kAdagrad) << "tables/user/accumulator";
    QTest::newRow("rowwise") << static_cast<int>(kRowwiseAdagrad) << "tables/user/accumulator";
    QTest::newRow("adam") << static_cast<int>(kAdam) << "tables/user/variance";
  }
  void aSquareThatOverflowsEndsTheRunAndNamesTheSlot() {
    QFETCH(int, optimizer);
    QFETCH(QString, tensor);
    for (const char* devices : {"cpu*1", "cpu*3"})
      for (const std::int64_t validateEvery : {1, 0}) {
        Experiment document = on(devices, Placement::kRow);
        document.optimizer.kind = static_cast<experiment::OptimizerKind>(optimizer);
        document.training.validateEvery = validateEvery;
        document.training.earlyStopping.reset();
        document.tables[0].initializer = {.kind = experiment::InitializerKind::kConstant,
                                          .value = 1e-3};
        document.tables[1].initializer = {.kind = experiment::InitializerKind::kConstant,
                                          .value = 1e13};
        EventList events;
        const auto [result, session] = training_.train(document, "square", events);
        QCOMPARE(result.state, RunState::kDiverged);
        QCOMPARE(result.epochs.size(), validateEvery == 1 ? 1U : 2U);
        for (const experiment::StepPoint& step : events.steps) QVERIFY(std::isfinite(step.loss));
        QVERIFY2(result.error && result.error->message.starts_with(tensor.toStdString() + " is "),
                 result.error ? result.error->message.c_str() : "");
        QVERIFY(result.error->message.find("(epoch " + std::to_string(result.epochs.size()) +
                                           ")") != std::string::npos);
        QVERIFY(checkpoint::list(training_.checkpoints("square")).empty());
      }
  }

  /// A version that did not look at slots has written the checkpoint.
  void aCheckpointWithAnInfiniteSlotIsNotTrainedFurther() {
    EventList events;
    const auto half = training_.train(testing::ratingsDocument(), "infinite", events, 5);
    half.session->parameters()[1].whole().slots[0].values.host()[0] = INFINITY;
    const auto written = checkpoint::write(
        training_.checkpoints("infinite"),
        checkpoint::open(half.result.checkpoint).value().manifest(), half.session->tensors());
    QVERIFY(written.ok());
    const auto rest = training_.train(testing::ratingsDocument(), "infinite", events, 0,
                                      checkpoint::open(*written).value());
    QCOMPARE(rest.result.state, RunState::kDiverged);
    QCOMPARE(rest.result.steps, 5);
    QVERIFY(rest.result.error->message.starts_with("tables/item/accumulator is "));
  }

  void resumesInTheMiddleOfAnEpochWithTheSameBits() {
    EventList straight, first, second;
    const auto whole = training_.train(testing::ratingsDocument(), "straight", straight);
    const auto half = training_.train(testing::ratingsDocument(), "halves", first, 5);
    const auto rest = training_.train(testing::ratingsDocument(), "halves", second, 0,
                                      checkpoint::open(half.result.checkpoint).value());
    std::vector<double> losses = lossesOf(first);
    const std::vector<double> after = lossesOf(second);
    losses.insert(losses.end(), after.begin(), after.end());
    QCOMPARE(losses, lossesOf(straight));
    compareWeights(*rest.session, checkpoint::open(whole.result.checkpoint).value());
    for (std::size_t epoch = 0; epoch < 2; ++epoch)
      QCOMPARE(rest.result.epochs[rest.result.epochs.size() - 2 + epoch].metrics,
               whole.result.epochs[epoch].metrics);
  }

  void listsMeasuredBesideTrainingAreTheSame_data() {
    QTest::addColumn<int>("unit");
    QTest::newRow("users") << static_cast<int>(experiment::EvaluationUnit::kUser);
    QTest::newRow("rows") << static_cast<int>(experiment::EvaluationUnit::kExample);
  }
  void listsMeasuredBesideTrainingAreTheSame() {
    QFETCH(int, unit);
    Experiment document = threeEpochs();
    document.evaluation.unit = static_cast<experiment::EvaluationUnit>(unit);
    document.evaluation.segments = {"activity"};
    const std::string run = std::string("beside-") + QTest::currentDataTag();
    EventList at, beside;
    const auto waited = training_.train(document, run, at);
    const auto went = later().train(document, run, beside);
    QCOMPARE(went.result.state, RunState::kFinished);
    compareEpochs(went.result.epochs, waited.result.epochs);
    QVERIFY(!went.result.epochs.front().segments.empty());
    QCOMPARE(lossesOf(beside), lossesOf(at));
    compareWeights(*went.session, checkpoint::open(waited.result.checkpoint).value());
    QCOMPARE(went.session->workers().count(), 3);
    // An epoch ends with its lists, after the checkpoint that did not wait for them; the last waits.
    std::vector<std::string> order;
    for (const auto& event : beside.events)
      if (const auto* ended = std::get_if<experiment::EpochEnded>(&event))
        order.push_back("epoch " + std::to_string(ended->summary.epoch));
      else if (const auto* written = std::get_if<experiment::CheckpointWritten>(&event))
        order.push_back("checkpoint " + std::to_string(written->epoch));
    QCOMPARE(order, (std::vector<std::string>{"checkpoint 1", "epoch 1", "checkpoint 2", "epoch 2",
                                              "epoch 3", "checkpoint 3"}));
  }

  /// A best checkpoint is of the weights at the end of its epoch, an early stop at once.
  void whatDependsOnListsWaitsForThem_data() {
    QTest::addColumn<bool>("best");
    QTest::newRow("best checkpoint") << true;
    QTest::newRow("early stopping") << false;
  }
  void whatDependsOnListsWaitsForThem() {
    QFETCH(bool, best);
    Experiment document = threeEpochs();
    if (best)
      document.training.checkpoints.best = "val_ndcg@5";
    else
      document.training.earlyStopping = experiment::EarlyStopping{"val_recall@3", 1, 1.0};
    const std::string run = std::string("depends-") + QTest::currentDataTag();
    EventList at, beside;
    const auto waited = training_.train(document, run, at);
    const auto went = later().train(document, run, beside);
    compareEpochs(went.result.epochs, waited.result.epochs);
    QCOMPARE(went.result.epochs.size(), best ? std::size_t{3} : std::size_t{2});
    const auto bestOf = [](const EventList& events) {
      std::vector<std::int64_t> steps;
      for (const auto& written : events.all<experiment::CheckpointWritten>())
        if (written.best) steps.push_back(written.step);
      return steps;
    };
    QCOMPARE(bestOf(beside), bestOf(at));
    QCOMPARE(bestOf(beside).empty(), !best);
    for (const auto& listed : checkpoint::list(later().checkpoints(run)))
      QVERIFY(
          !checkpoint::open(listed.folder).value().manifest().trainerState.contains("unmeasured"));
  }

  /// A run that was killed after a checkpoint, before its lists were there.
  void aCheckpointWithoutItsListsMeasuresThemAgain() {
    EventList straight, resumed;
    const auto whole = later().train(threeEpochs(), "killed", straight);
    const auto listed = checkpoint::list(later().checkpoints("killed"));
    QCOMPARE(listed.size(), std::size_t{3});
    auto first = checkpoint::open(listed[0].folder).value();
    QVERIFY(first.manifest().trainerState.contains("unmeasured"));
    const auto rest = later().train(threeEpochs(), "resumed", resumed, 0, std::move(first));
    compareEpochs(rest.result.epochs, whole.result.epochs);
    compareWeights(*rest.session, checkpoint::open(whole.result.checkpoint).value());
    QVERIFY(!checkpoint::open(whole.result.checkpoint)
                 .value()
                 .manifest()
                 .trainerState.contains("unmeasured"));
  }

  void aStoppedRunTellsTheEpochThatIsMeasured() {
    EventList straight, events;
    const auto whole = later().train(threeEpochs(), "not-stopped", straight);
    // In the second epoch.
    const auto stopped = later().train(threeEpochs(), "stopped-beside", events, 10);
    QCOMPARE(stopped.result.state, RunState::kStopped);
    compareEpochs(stopped.result.epochs, {whole.result.epochs[0]});
    const auto saved = checkpoint::open(stopped.result.checkpoint).value();
    QCOMPARE(saved.manifest().step, 10);
    QVERIFY(!saved.manifest().trainerState.contains("unmeasured"));
    QVERIFY(saved.manifest().metrics.contains("val_recall@5"));
    EventList rest;
    const auto gone = later().train(threeEpochs(), "stopped-beside", rest, 0, saved);
    compareEpochs(gone.result.epochs, {whole.result.epochs[1], whole.result.epochs[2]});
  }

  void anAbortedRunEndsWithoutItsLists() {
    const Experiment document = threeEpochs();
    const auto session = later().session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    train::RunControl control;
    EventList events;
    events.afterStep = [&](std::int64_t step) {
      if (step == 9) control.abort();
    };
    const train::TrainerOptions options{.runId = "aborted-beside",
                                        .checkpointFolder = later().checkpoints("aborted-beside"),
                                        .minLaterProducts = 1};
    const auto result = train::train(*session, document, split, options, control, events);
    QCOMPARE(result.state, RunState::kStopped);
    QCOMPARE(events.all<experiment::RunEnded>().size(), std::size_t{1});
  }

  /// Baselines that take long come when they are there, and before the end.
  void baselinesAreFittedBesideTraining() {
    EventList events;
    const auto [result, session] = training_.train(threeEpochs(), "baselines", events);
    const auto named = [](const experiment::Baselines& baselines, std::string_view name) {
      return std::ranges::any_of(baselines, [&](const auto& each) { return each.first == name; });
    };
    const auto started = events.all<experiment::RunStarted>().front();
    QVERIFY(named(started.baselines, "most_popular") && !named(started.baselines, "ease"));
    const auto measured = events.all<experiment::BaselinesMeasured>();
    QCOMPARE(measured.size(), std::size_t{1});
    for (const char* name : {"constant", "most_popular", "random", "markov", "item_knn", "ease"})
      QVERIFY2(named(measured.front().baselines, name), name);
    QVERIFY(measured.front().baselines == result.baselines);
    // The last epoch is judged against all of them in one order, whenever they came.
    QStringList judged;
    for (const auto& verdict : result.epochs.back().verdicts)
      judged.append(QString::fromStdString(verdict.baseline));
    QCOMPARE(judged,
             QStringList({"constant", "random", "most_popular", "ease", "item_knn", "markov"}));
    // The choice is told.
    const auto notes = events.all<experiment::RunNote>();
    QCOMPARE(notes.size(), std::size_t{2});
    QVERIFY2(notes.back().message.starts_with("ease has λ "), notes.back().message.c_str());
    // The epoch that had ended before is judged again, against all baselines.
    for (const experiment::EpochSummary& epoch : result.epochs)
      if (epoch.epoch == measured.front().epoch)
        QCOMPARE(experiment::toJson(measured.front().verdicts), experiment::toJson(epoch.verdicts));
    // Not of a model without lists.
    Experiment ranking = testing::ratingsDocument();
    ranking.model.kind = experiment::ModelKind::kRanking;
    ranking.model.layers = {{.kind = experiment::LayerKind::kDense, .units = 1}};
    EventList other;
    (void)training_.train(ranking, "no-lists", other);
    QVERIFY(other.all<experiment::BaselinesMeasured>().empty());
  }

  /// resume_other_mesh: trains on one device, goes on on two, then on four.
  void resumesOnOtherMeshes_data() {
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("then");
    using enum Placement;
    const auto row = [](const char* name, Placement first, Placement then) {
      QTest::newRow(name) << static_cast<int>(first) << static_cast<int>(then);
    };
    row("replicated", kReplicated, kReplicated);
    row("replicated to row", kReplicated, kRow);
    row("row to column", kRow, kColumn);
    row("column to table", kColumn, kTable);
  }
  void resumesOnOtherMeshes() {
    QFETCH(int, first);
    QFETCH(int, then);
    const std::string run = std::string("meshes-") + QTest::currentDataTag();
    const auto placedFirst = static_cast<Placement>(first), placed = static_cast<Placement>(then);
    EventList straight, events;
    const auto whole =
        training_.train(on("cpu*1", Placement::kReplicated), run + "-straight", straight);
    const auto one = training_.train(on("cpu*1", placedFirst), run, events, 3);

    // Loaded on another mesh, the weights are those of the checkpoint to the bit.
    const auto saved = checkpoint::open(one.result.checkpoint).value();
    const auto loaded = training_.session(on("cpu*2", placed));
    QVERIFY(loaded->load(saved).ok());
    QVERIFY(loaded->mesh().ranks() == 2);
    compareWeights(*loaded, saved);

    const auto two = training_.train(on("cpu*2", placed), run, events, 11, saved);
    QCOMPARE(two.result.state, RunState::kStopped);
    const auto four = training_.train(on("cpu*4", placed), run, events, 0,
                                      checkpoint::open(two.result.checkpoint).value());
    QCOMPARE(four.result.state, RunState::kFinished);
    const std::vector<double> expected = lossesOf(straight), found = lossesOf(events);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t step = 0; step < found.size(); ++step)
      QVERIFY2(std::abs(found[step] - expected[step]) <= 1e-5 * std::abs(expected[step]),
               qPrintable(
                   QString("step %1: %2, %3").arg(step + 1).arg(found[step]).arg(expected[step])));
    const auto half = found.begin() + std::ssize(found) / 2;
    QVERIFY(std::accumulate(half, found.end(), 0.0) < std::accumulate(found.begin(), half, 0.0));
  }
};

QTEST_GUILESS_MAIN(TrainerTest)
#include "trainer_test.moc"
