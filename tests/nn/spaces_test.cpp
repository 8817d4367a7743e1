// SPDX-License-Identifier: Apache-2.0
// A mesh whose devices share no memory trains the same model as one device: losses and tensors
// within rounding, whatever looks at the whole batch.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <functional>

#include "tests/base/counted_memory.h"
#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Experiment;
using experiment::LossKind;
using experiment::MemorySpaces;
using experiment::Placement;

namespace {

constexpr std::int64_t kExamples = 21, kSteps = 4, kGroup = 3;

struct Kind {
  const char* name;
  std::function<Experiment()> experiment;
  std::int64_t extra = 0;  ///< rows of extra negatives
  /// Whether another number of ranks is another model: compared with as many that share a memory.
  bool dependsOnRanks = false;
};

Experiment withLoss(experiment::Loss loss, experiment::Score score = experiment::Score::kDot) {
  Experiment experiment = sample::denseTowers(experiment::Activation::kTanh);
  experiment.loss = loss;
  experiment.model.score = score;
  return experiment;
}

Experiment ranking(LossKind loss) {
  Experiment experiment = sample::plainDot(6);
  experiment.model.kind = experiment::ModelKind::kRanking;
  experiment.model.layers = {{.units = 7, .activation = experiment::Activation::kTanh},
                             {.kind = experiment::LayerKind::kBatchNorm, .momentum = 0.75},
                             {.kind = experiment::LayerKind::kDropout, .rate = 0.25},
                             {.kind = experiment::LayerKind::kLayerNorm},
                             {.units = 1}};
  experiment.loss.kind = loss;
  return experiment;
}

const std::vector<Kind>& kinds() {
  using enum LossKind;
  using experiment::AccidentalHits;
  using experiment::LogQ;
  constexpr auto kDevice = experiment::NegativeScope::kDevice;
  static const std::vector<Kind> all{
      {"batch norm, dropout, layer norm", [] { return ranking(kMse); }},
      {"pairwise loss", [] { return ranking(kPairwiseLogistic); }},
      {"ListMLE", [] { return ranking(kListMle); }},
      {"in-batch softmax",
       [] {
         return withLoss({.kind = kInBatchSoftmax,
                          .logQ = LogQ::kOff,
                          .accidentalHits = AccidentalHits::kKeep});
       }},
      {"in-batch softmax, log-Q, masked hits, cosine, trained temperature",
       [] {
         return withLoss({.kind = kInBatchSoftmax, .temperature = {0.5, true}},
                         experiment::Score::kCosine);
       }},
      {"in-batch softmax, corrected log-Q, hard negatives",
       [] {
         return withLoss({.kind = kInBatchSoftmax, .logQ = LogQ::kCorrected, .hardNegatives = 5});
       }},
      {"in-batch softmax, extra negatives",
       [] { return withLoss({.kind = kInBatchSoftmax, .extraNegatives = {{.count = 4}}}); }, 4},
      {"sampled softmax",
       [] {
         return withLoss({.kind = kSampledSoftmax,
                          .temperature = {0.5, true},
                          .extraNegatives = {{.count = 4}}});
       },
       4},
      {"BPR", [] { return withLoss({.kind = kBpr}); }},
      {"in-batch softmax, negatives of the device",
       [] { return withLoss({.kind = kInBatchSoftmax, .negatives = kDevice}); }, 0, true},
      {"BPR, negatives of the device and extra ones",
       [] {
         return withLoss({.kind = kBpr, .negatives = kDevice, .extraNegatives = {{.count = 4}}});
       },
       4, true},
  };
  return all;
}

/// What steps and a forward pass came to.
struct Outcome {
  std::vector<double> losses;
  std::vector<std::int64_t> masked;
  std::vector<double> equalScores;
  std::vector<std::vector<float>> arrays;
};

struct Steps {
  std::vector<sample::Batch> batches;
  std::vector<std::int32_t> lists;

  Steps(const nn::Model& model, std::int64_t extra) {
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      // The last batch has fewer examples than some meshes have ranks.
      const std::int64_t examples = step == kSteps ? kGroup : kExamples;
      sample::Batch batch =
          sample::batchOf(model, examples + extra, static_cast<std::uint64_t>(step));
      for (std::int64_t row = 0; row < batch.rows; ++row)
        batch.weights.push_back(row < examples ? 0.5f + static_cast<float>(row % 4) / 4.0f : 0.0f);
      batch.examples = examples;
      batches.push_back(std::move(batch));
    }
    for (std::int32_t first = 0; first <= kExamples; first += kGroup) lists.push_back(first);
  }
  nn::StepInput input(std::size_t step) {
    nn::StepInput input = batches[step].input();
    input.seed = 7;
    input.lists =
        std::span(lists).first(static_cast<std::size_t>(batches[step].examples / kGroup) + 1);
    return input;
  }
};

sample::Trainer trainerOf(const Kind& kind, int ranks, MemorySpaces spaces, int threads,
                          Placement placement = Placement::kReplicated) {
  return {sample::build(kind.experiment()),
          ranks,
          threads,
          kExamples + kind.extra,
          {},
          placement,
          spaces};
}

Outcome trained(const Kind& kind, int ranks, MemorySpaces spaces, int threads,
                Placement placement = Placement::kReplicated) {
  sample::Trainer trainer = trainerOf(kind, ranks, spaces, threads, placement);
  Steps steps(trainer.model, kind.extra);
  Outcome out;
  const auto note = [&](const nn::LossSums& sums) {
    out.losses.push_back(sums.numerator / sums.denominator);
    out.masked.push_back(sums.negatives.masked);
    out.equalScores.push_back(sums.negatives.equalScores);
  };
  for (std::size_t step = 0; step < steps.batches.size(); ++step) {
    if (!trainer.plan.train(steps.input(step), static_cast<std::int64_t>(step) + 1).ok()) return {};
    note(trainer.loss());
  }
  const nn::Value prediction = trainer.model.heads[0].prediction;
  nn::StepPlan forward(trainer.model.graph, trainer.parameters, trainer.mesh, *trainer.communicator,
                       trainer.workers, {trainer.model.heads[0].lossValue, prediction},
                       kExamples + kind.extra, nn::PlanPurpose::kForward);
  if (!forward.forward(steps.input(0)).ok()) return {};
  note(forward.losses()[0]);
  const float* const predictions = forward.output(prediction);
  out.arrays.emplace_back(predictions, predictions + kExamples);
  for (const nn::Parameter& parameter : trainer.parameters) {
    out.arrays.emplace_back(static_cast<std::size_t>(parameter.size()));
    nn::gatherRows(parameter, -1, out.arrays.back());
  }
  return out;
}

/// Largest difference relative to the largest number of an array. A bias that losses of differences
/// do not see is nothing but rounding: it is held against a size that others have.
template <class Number>
double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  if (a.size() != b.size() || a.empty()) return HUGE_VAL;
  double largest = 1e-2, difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    difference =
        std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return difference / largest;
}

}  // namespace

class SpacesTest : public QObject {
  Q_OBJECT

  static void addKindsByRanks() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("ranks");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const int ranks : {1, 2, 3, 8})
        QTest::addRow("%s, %d spaces", kinds()[kind].name, ranks)
            << static_cast<int>(kind) << ranks;
  }

 private Q_SLOTS:
  void trainTheSameModel_data() { addKindsByRanks(); }
  void trainTheSameModel() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    const Outcome whole = trained(of, of.dependsOnRanks ? ranks : 1, MemorySpaces::kShared, 1);
    for (const Placement placement : {Placement::kReplicated, Placement::kRow}) {
      const Outcome separate = trained(of, ranks, MemorySpaces::kSeparate, 1, placement);
      QCOMPARE(separate.losses.size(), static_cast<std::size_t>(kSteps) + 1);
      const double loss = distance(separate.losses, whole.losses);
      QVERIFY2(loss <= 1e-5, fmt::format("losses: {}", loss).c_str());
      QCOMPARE(separate.masked, whole.masked);
      const bool isKnown = std::isfinite(whole.equalScores[0]);
      const double equal = isKnown ? distance(separate.equalScores, whole.equalScores) : 0.0;
      QVERIFY2(equal <= 1e-5, fmt::format("equal scores: {}", equal).c_str());
      QCOMPARE(separate.arrays.size(), whole.arrays.size());
      for (std::size_t i = 0; i < whole.arrays.size(); ++i) {
        const double apart = distance(separate.arrays[i], whole.arrays[i]);
        QVERIFY2(apart <= 1e-5, fmt::format("array {}: {}", i, apart).c_str());
      }
    }
  }

  void threadsChangeNoBit_data() { addKindsByRanks(); }
  void threadsChangeNoBit() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    const Outcome alone = trained(of, ranks, MemorySpaces::kSeparate, 1);
    const Outcome several = trained(of, ranks, MemorySpaces::kSeparate, 3);
    QCOMPARE(several.losses, alone.losses);
    QVERIFY(several.arrays == alone.arrays);
  }

  // Every space has the same bits of what it has a copy of.
  void copiesStayTheSame_data() { addKindsByRanks(); }
  void copiesStayTheSame() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    sample::Trainer trainer = trainerOf(of, ranks, MemorySpaces::kSeparate, 2);
    Steps steps(trainer.model, of.extra);
    for (std::size_t step = 0; step < steps.batches.size(); ++step)
      QVERIFY(trainer.plan.train(steps.input(step), static_cast<std::int64_t>(step) + 1).ok());
    for (const nn::Parameter& parameter : trainer.parameters) {
      QCOMPARE(parameter.copies(), ranks);
      for (int copy = 1; copy < ranks; ++copy)
        QVERIFY2(std::ranges::equal(parameter.whole(copy).weight.host(),
                                    parameter.whole().weight.host()),
                 parameter.spec.name.c_str());
    }
  }

  void aStepTakesNoMemory_data() { addKindsByRanks(); }
  void aStepTakesNoMemory() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    sample::Trainer trainer = trainerOf(of, ranks, MemorySpaces::kSeparate, 2);
    Steps steps(trainer.model, of.extra);
    bool ok = true;
    std::vector<nn::StepInput> inputs;
    for (std::size_t step = 0; step < steps.batches.size(); ++step)
      inputs.push_back(steps.input(step));
    const auto run = [&](std::int64_t step) {
      ok = ok &&
           trainer.plan.train(inputs[static_cast<std::size_t>(step) % inputs.size()], step).ok();
    };
    for (std::int64_t step = 1; step <= 8; ++step) run(step);
    const std::int64_t before = sample::allocations();
    for (std::int64_t step = 9; step <= 40; ++step) run(step);
    const std::int64_t taken = sample::allocations() - before;
    QVERIFY(ok);
    QCOMPARE(taken, std::int64_t{0});
  }

  // The comparison notices a slightly different learning rate, or it would prove nothing.
  void comparisonNoticesAChange() {
    Kind kind = kinds()[3];
    const Outcome before = trained(kind, 3, MemorySpaces::kSeparate, 1);
    kind.experiment = [] {
      Experiment changed = kinds()[3].experiment();
      changed.optimizer.learningRate *= 1.001;
      return changed;
    };
    const Outcome after = trained(kind, 3, MemorySpaces::kSeparate, 1);
    QVERIFY(distance(before.arrays[1], after.arrays[1]) > 1e-5);
  }
};

QTEST_GUILESS_MAIN(SpacesTest)
#include "spaces_test.moc"
