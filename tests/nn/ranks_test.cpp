// SPDX-License-Identifier: Apache-2.0
// A mesh of N ranks trains the same model as one rank. Tables are merged over the whole batch in
// its order, so theirs are the same bits; gradients of dense layers are summed by rank, so those
// differ by rounding.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <cstring>

#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::AdamEpsilon;
using experiment::Experiment;
using experiment::MemorySpaces;
using experiment::Optimizer;
using experiment::OptimizerKind;
using experiment::SparseUpdate;

namespace {

using Weights = std::vector<std::vector<float>>;

struct NamedOptimizer {
  std::string name;
  Optimizer optimizer;
};

std::vector<NamedOptimizer> optimizers() {
  std::vector<NamedOptimizer> all{{"sgd", sample::sgd(0.1)}};
  for (const auto update : {SparseUpdate::kDense, SparseUpdate::kLazy}) {
    const char* const which = update == SparseUpdate::kDense ? "dense" : "lazy";
    Optimizer momentum = sample::sgd(0.1);
    momentum.momentum = 0.9;
    momentum.sparseUpdate = update;
    all.push_back({fmt::format("momentum {}", which), momentum});
    for (const auto epsilon : {AdamEpsilon::kUncorrected, AdamEpsilon::kCorrected}) {
      Optimizer adam;
      adam.kind = OptimizerKind::kAdam;
      adam.learningRate = 0.01;
      adam.epsilonMode = epsilon;
      adam.sparseUpdate = update;
      all.push_back({fmt::format("adam {} {}", which,
                                 epsilon == AdamEpsilon::kCorrected ? "corrected" : "uncorrected"),
                     adam});
    }
  }
  for (const bool inside : {true, false}) {
    Optimizer adagrad;
    adagrad.kind = OptimizerKind::kAdagrad;
    adagrad.learningRate = 0.1;
    adagrad.epsilonInsideRoot = inside;
    all.push_back({fmt::format("adagrad ε {} the root", inside ? "inside" : "outside"), adagrad});
  }
  return all;
}

/// Five steps of 13 rows, the last of them 5: fewer than eight ranks.
Weights trained(const Experiment& experiment, int ranks, int threads, std::int64_t rows = 13,
                std::int64_t vocabulary = sample::kUsers,
                MemorySpaces spaces = MemorySpaces::kShared) {
  sample::Trainer trainer(sample::build(experiment, vocabulary, vocabulary), ranks, threads, rows,
                          {}, experiment::Placement::kReplicated, spaces);
  for (std::int64_t step = 1; step <= 5; ++step) {
    sample::Batch batch =
        sample::batchOf(trainer.model, step == 5 ? 5 : rows, static_cast<std::uint64_t>(step));
    if (!trainer.plan.train(batch.input(), step).ok()) return {};
  }
  Weights all = trainer.weights();
  for (const nn::Parameter& parameter : trainer.parameters)
    for (const nn::Slot& slot : parameter.whole().slots)
      all.emplace_back(slot.values.host().begin(), slot.values.host().end());
  return all;
}

bool sameBits(const Weights& a, const Weights& b) {
  if (a.size() != b.size() || a.empty()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0)
      return false;
  return true;
}

/// Largest difference relative to the largest number of its array.
double distance(const Weights& a, const Weights& b) {
  double worst = a.size() == b.size() && !a.empty() ? 0.0 : 1.0;
  for (std::size_t i = 0; i < a.size() && worst < 1.0; ++i) {
    double largest = 1e-30, difference = 0.0;
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      largest = std::max(largest, std::abs(static_cast<double>(a[i][j])));
      const double apart = static_cast<double>(a[i][j]) - static_cast<double>(b[i][j]);
      difference = std::max(difference, std::abs(apart));
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

}  // namespace

class RanksTest : public QObject {
  Q_OBJECT

  const std::vector<NamedOptimizer> optimizers_ = optimizers();

  void addOptimizersByRanks() {
    QTest::addColumn<int>("optimizer");
    QTest::addColumn<int>("ranks");
    for (int index = 0; index < static_cast<int>(optimizers_.size()); ++index)
      for (const int ranks : {2, 3, 8})
        QTest::addRow("%s, %d ranks", optimizers_[static_cast<std::size_t>(index)].name.c_str(),
                      ranks)
            << index << ranks;
  }

 private Q_SLOTS:
  void plainDotIsTheSameBits_data() { addOptimizersByRanks(); }
  void plainDotIsTheSameBits() {
    QFETCH(int, optimizer);
    QFETCH(int, ranks);
    Experiment experiment = sample::plainDot();
    experiment.optimizer = optimizers_[static_cast<std::size_t>(optimizer)].optimizer;
    QVERIFY(sameBits(trained(experiment, ranks, 2), trained(experiment, 1, 1)));
  }

  void denseLayersDifferByRounding_data() { addOptimizersByRanks(); }
  void denseLayersDifferByRounding() {
    QFETCH(int, optimizer);
    QFETCH(int, ranks);
    Experiment experiment = sample::denseTowers(experiment::Activation::kTanh);
    experiment.optimizer = optimizers_[static_cast<std::size_t>(optimizer)].optimizer;
    const double apart = distance(trained(experiment, 1, 1), trained(experiment, ranks, 2));
    QVERIFY2(apart <= 1e-6, fmt::format("{}", apart).c_str());
  }

  // Where each rank has a memory of its own, tables too are merged by rank first.
  void separateSpacesDifferByRounding_data() { addOptimizersByRanks(); }
  void separateSpacesDifferByRounding() {
    QFETCH(int, optimizer);
    QFETCH(int, ranks);
    for (Experiment experiment :
         {sample::plainDot(), sample::denseTowers(experiment::Activation::kTanh),
          sample::sharedTable()}) {
      experiment.optimizer = optimizers_[static_cast<std::size_t>(optimizer)].optimizer;
      const auto separate = [&](int threads) {
        return trained(experiment, ranks, threads, 13, sample::kUsers, MemorySpaces::kSeparate);
      };
      const Weights alone = separate(1);
      const double apart = distance(trained(experiment, 1, 1), alone);
      QVERIFY2(apart <= 1e-5, fmt::format("{}", apart).c_str());
      QVERIFY(sameBits(alone, separate(3)));
    }
  }

  // The comparison notices a wrong learning rate, or it would prove nothing.
  void distanceNoticesAChange() {
    Experiment experiment = sample::denseTowers(experiment::Activation::kTanh);
    const Weights before = trained(experiment, 1, 1);
    experiment.optimizer.learningRate *= 1.001;
    QVERIFY(distance(before, trained(experiment, 1, 1)) > 1e-6);
    QVERIFY(!sameBits(before, trained(experiment, 1, 1)));
  }

  // 5000 rows of width 32 are several blocks of every op.
  void threadsChangeNoBit_data() {
    QTest::addColumn<bool>("dense");
    QTest::addColumn<int>("ranks");
    for (const bool dense : {false, true})
      for (const int ranks : {1, 3})
        QTest::addRow("%s, %d ranks", dense ? "dense layers" : "plain dot", ranks)
            << dense << ranks;
  }
  void threadsChangeNoBit() {
    QFETCH(bool, dense);
    QFETCH(int, ranks);
    const Experiment experiment =
        dense ? sample::denseTowers(experiment::Activation::kGelu, 32) : sample::plainDot(32);
    QVERIFY(sameBits(trained(experiment, ranks, 3, 5000, 4000),
                     trained(experiment, ranks, 1, 5000, 4000)));
  }
};

QTEST_GUILESS_MAIN(RanksTest)
#include "ranks_test.moc"
