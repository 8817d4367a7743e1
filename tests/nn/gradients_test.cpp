// SPDX-License-Identifier: Apache-2.0
// Gradients of whole models against central differences in double precision. With plain SGD and
// learning rate 1 the gradient is what a step takes off the weights.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <functional>

#include "tests/nn/double_model.h"

using namespace parapet;
using experiment::Activation;
using experiment::Experiment;

namespace {

struct Model {
  const char* name;
  std::function<Experiment()> make;
};

/// Dense towers under a loss with negatives; 12 rows, of which the last 2 are extra ones if it has
/// any.
Experiment held(experiment::Loss loss, experiment::Score score = experiment::Score::kDot) {
  Experiment experiment = sample::denseTowers(Activation::kTanh);
  experiment.loss = loss;
  experiment.model.score = score;
  return experiment;
}

/// Users are no negatives of their own.
Experiment positions(experiment::Loss loss) {
  Experiment experiment = held(loss);
  experiment.training.objective = experiment::Objective::kAllPositions;
  return experiment;
}

const std::vector<Model>& models() {
  using enum experiment::LossKind;
  using experiment::AccidentalHits;
  using experiment::LogQ;
  constexpr auto kDevice = experiment::NegativeScope::kDevice;
  static const std::vector<Model> all{
      {"plain dot", [] { return sample::plainDot(); }},
      {"linear layers", [] { return sample::denseTowers(Activation::kLinear); }},
      {"relu layers", [] { return sample::denseTowers(Activation::kRelu); }},
      {"tanh layers", [] { return sample::denseTowers(Activation::kTanh); }},
      {"sigmoid layers", [] { return sample::denseTowers(Activation::kSigmoid); }},
      {"gelu layers", [] { return sample::denseTowers(Activation::kGelu); }},
      {"one table in three features", [] { return sample::sharedTable(); }},
      {"in-batch softmax, no log-Q, hits kept",
       [] {
         return held({.kind = kInBatchSoftmax,
                      .logQ = LogQ::kOff,
                      .accidentalHits = AccidentalHits::kKeep});
       }},
      {"in-batch softmax, cosine, trained temperature",
       [] {
         return held({.kind = kInBatchSoftmax, .temperature = {0.5, true}},
                     experiment::Score::kCosine);
       }},
      {"in-batch softmax, corrected log-Q",
       [] { return held({.kind = kInBatchSoftmax, .logQ = LogQ::kCorrected}); }},
      {"in-batch softmax, negatives of the device, three hard ones",
       [] { return held({.kind = kInBatchSoftmax, .negatives = kDevice, .hardNegatives = 3}); }},
      {"in-batch softmax, extra negatives",
       [] { return held({.kind = kInBatchSoftmax, .extraNegatives = {{.count = 2}}}); }},
      {"in-batch softmax of positions, corrected log-Q",
       [] { return positions({.kind = kInBatchSoftmax, .logQ = LogQ::kCorrected}); }},
      {"in-batch softmax of positions, extra negatives",
       [] { return positions({.kind = kInBatchSoftmax, .extraNegatives = {{.count = 2}}}); }},
      {"BPR of positions, negatives of the device, hits kept",
       [] {
         return positions({.kind = kBpr,
                           .negatives = kDevice,
                           .accidentalHits = AccidentalHits::kKeep,
                           .extraNegatives = {{.count = 2}}});
       }},
      {"BPR, extra negatives alone",
       [] {
         return held({.kind = kBpr,
                      .negatives = experiment::NegativeScope::kNone,
                      .extraNegatives = {{.count = 2}}});
       }},
      {"sampled softmax",
       [] { return held({.kind = kSampledSoftmax, .extraNegatives = {{.count = 2}}}); }},
      {"BPR, trained temperature, negatives of the device",
       [] {
         return held({.kind = kBpr,
                      .temperature = {2.0, true},
                      .negatives = kDevice,
                      .extraNegatives = {{.count = 2}}});
       }},
      {"sampled BCE, trained temperature",
       [] {
         return held(
             {.kind = kSampledBce, .temperature = {0.5, true}, .extraNegatives = {{.count = 2}}});
       }},
      {"sampled BCE, calibrated",
       [] {
         return held({.kind = kSampledBce, .extraNegatives = {{.count = 2}}, .calibration = 0.75});
       }},
      {"sampled BCE, the hardest negative, cosine",
       [] {
         return held({.kind = kSampledBce, .hardNegatives = 1, .extraNegatives = {{.count = 2}}},
                     experiment::Score::kCosine);
       }},
      {"CCL",
       [] {
         return held({.kind = kCcl, .margin = 0.1, .negativeWeight = 3.0},
                     experiment::Score::kCosine);
       }},
      {"CCL, negatives of the device and extra ones, three hard ones",
       [] {
         return held({.kind = kCcl,
                      .negatives = kDevice,
                      .hardNegatives = 3,
                      .extraNegatives = {{.count = 2}},
                      .margin = -0.2,
                      .negativeWeight = 0.5},
                     experiment::Score::kCosine);
       }},
  };
  return all;
}

}  // namespace

class GradientsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithCentralDifferences_data() {
    QTest::addColumn<int>("model");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<bool>("weighted");
    for (int model = 0; model < static_cast<int>(models().size()); ++model)
      for (const int ranks : {1, 3})
        for (const bool weighted : {false, true})
          QTest::addRow("%s, %d ranks%s", models()[static_cast<std::size_t>(model)].name, ranks,
                        weighted ? ", weighted" : "")
              << model << ranks << weighted;
  }
  void agreeWithCentralDifferences() {
    QFETCH(int, model);
    QFETCH(int, ranks);
    QFETCH(bool, weighted);
    Experiment experiment = models()[static_cast<std::size_t>(model)].make();
    experiment.optimizer = sample::sgd(1.0);
    sample::Trainer trainer(sample::build(experiment), ranks, 1, 16);
    const std::int64_t extra =
        experiment.loss.extraNegatives ? experiment.loss.extraNegatives->count : 0;
    sample::Batch batch = sample::batchOf(trainer.model, 10 + extra, 5);
    batch.examples = 10;
    // Calibration takes it that negatives are uniform.
    if (experiment.loss.calibration > 0.0) std::ranges::fill(batch.itemLogQ, -std::log(7.0f));
    if (weighted || extra > 0)
      for (std::int64_t row = 0; row < batch.rows; ++row)
        batch.weights.push_back(row >= 10  ? 0.0f
                                : weighted ? 0.25f * static_cast<float>(row % 4)
                                           : 1.0f);

    const auto before = trainer.weights();
    sample::DoubleWeights exact;
    for (const auto& weight : before) exact.emplace_back(weight.begin(), weight.end());
    QVERIFY(trainer.plan.train(batch.input(), 1).ok());
    const Experiment& document = experiment;
    const nn::Graph& graph = trainer.model.graph;
    const double loss = sample::doubleLoss(document, graph, exact, batch, ranks);
    QCOMPARE(trainer.loss().denominator, 10.0);
    QVERIFY(std::abs(trainer.loss().numerator / 10.0 - loss) <= 1e-6 * loss);

    const auto expected = sample::doubleGradient(document, graph, exact, batch, ranks);
    const auto after = trainer.weights();
    for (std::size_t p = 0; p < before.size(); ++p) {
      double largest = 0.0;
      for (const double gradient : expected[p]) largest = std::max(largest, std::abs(gradient));
      QVERIFY(largest > 1e-3);  // or the comparison would say nothing
      for (std::size_t i = 0; i < before[p].size(); ++i) {
        const double found = static_cast<double>(before[p][i]) - static_cast<double>(after[p][i]);
        // The step rounds the weight to 2⁻²⁴ of itself; the gradient is a few dozen roundings.
        const double bound = 4e-6 * largest + 0x1p-23;
        const std::string message =
            fmt::format("{}[{}]: {} where central differences say {}", graph.parameters()[p].name,
                        i, found, expected[p][i]);
        QVERIFY2(std::abs(found - expected[p][i]) <= bound, message.c_str());
      }
    }
  }
};

QTEST_GUILESS_MAIN(GradientsTest)
#include "gradients_test.moc"
