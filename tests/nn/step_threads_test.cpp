// SPDX-License-Identifier: Apache-2.0
// The workers are the only threads of a step: a library that starts a pool of its own beneath them
// makes a run many times slower as soon as another program wants the cores. The environment of this
// test allows OpenMP four threads, so that a pool would be seen on any machine.
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;
using experiment::LossKind;
using experiment::MemorySpaces;
using experiment::Placement;

namespace {

constexpr std::int64_t kRows = 2048, kGroup = 4, kUsers = 3000, kItems = 2000;

/// A kind of training step, large enough that every library would use all cores for it.
struct Kind {
  std::string name;
  std::function<nn::Model()> model;
  int ranks = 1;
  Placement placement = Placement::kReplicated;
  std::int64_t extra = 0;  ///< rows of extra negatives
  MemorySpaces spaces = MemorySpaces::kShared;
  std::vector<int> threads{1, 2};
};

nn::Model built(const Experiment& experiment) {
  return sample::build(experiment, kUsers, kItems);
}

nn::Model inBf16(nn::Model model) {
  model.graph.setPrecision(tensor::Precision::kBf16);
  return model;
}

Experiment withLoss(Experiment experiment, LossKind loss) {
  experiment.loss.kind = loss;
  return experiment;
}

Experiment ranking() {
  Experiment experiment = sample::plainDot(64);
  experiment.model.kind = experiment::ModelKind::kRanking;
  experiment.model.layers = {{.units = 512, .activation = experiment::Activation::kRelu},
                             {.units = 256, .activation = experiment::Activation::kRelu},
                             {.units = 1}};
  return experiment;
}

Experiment normalized() {
  Experiment experiment = ranking();
  experiment.model.layers.insert(experiment.model.layers.begin() + 1,
                                 {.kind = experiment::LayerKind::kBatchNorm});
  return experiment;
}

/// The layers of a small model, 8 times as wide; what ends with one score still does.
void widen(std::vector<experiment::Layer>& layers) {
  for (experiment::Layer& layer : layers)
    if (layer.units > 1) layer.units *= 8;
}

Experiment widened(Experiment experiment) {
  for (experiment::Table& table : experiment.tables) table.embeddingDim *= 8;
  for (auto* layers :
       {&experiment.model.query, &experiment.model.candidate, &experiment.model.layers})
    widen(*layers);
  return experiment;
}

/// The models that look at the whole batch and those over sequences, in memory that ranks share and
/// in separate spaces.
std::vector<Kind> widenedSamples() {
  std::vector<Kind> all;
  for (const sample::Kind& small : sample::kinds()) {
    if (small.model) continue;
    const auto model = [&small] { return built(widened(small.experiment())); };
    all.push_back(
        {small.name, model, 1, Placement::kReplicated, small.extra, MemorySpaces::kShared, {2}});
    all.push_back({std::string(small.name) + ", separate spaces",
                   model,
                   2,
                   Placement::kRow,
                   small.extra,
                   MemorySpaces::kSeparate,
                   {2}});
  }
  return all;
}

const std::vector<Kind>& kinds() {
  using enum Placement;
  const auto dot = [] { return built(sample::plainDot(64)); };
  const auto softmax = [] {
    return built(withLoss(sample::plainDot(64), LossKind::kInBatchSoftmax));
  };
  const auto dense = [] { return built(ranking()); };
  static const std::vector<Kind> all = [&] {
    std::vector<Kind> made{
        {"dot product, squared error", dot},
        {"dot product, in-batch softmax", softmax},
        {"dense layers", dense},
        {"dense layers in bf16", [] { return inBf16(built(ranking())); }},
        {"wide batch norm", [] { return built(normalized()); }},
        {"pairwise hinge", [] { return built(withLoss(ranking(), LossKind::kPairwiseHinge)); }},
        {"wide ListMLE", [] { return built(withLoss(ranking(), LossKind::kListMle)); }},
        {"vocabulary softmax of every position", [] { return sample::tiedTable(kUsers, 64); }},
        {"vocabulary softmax of masked positions",
         [] { return sample::maskedPositions(kUsers, 64); }},
        {"vocabulary softmax, separate spaces", [] { return sample::maskedPositions(kUsers, 64); },
         2, kReplicated, 0, MemorySpaces::kSeparate},
        {"tables sharded by row, dense layers", dense, 2, kRow, 0, MemorySpaces::kSeparate},
        {"tables sharded by column, in-batch softmax", softmax, 2, kColumn, 0,
         MemorySpaces::kSeparate}};
    std::ranges::move(widenedSamples(), std::back_inserter(made));
    return made;
  }();
  return all;
}

/// `kRows` examples and the extra negatives after them.
sample::Batch batchOf(const Kind& kind, const nn::Model& model, std::int64_t step) {
  sample::Batch batch =
      sample::batchOf(model, kRows + kind.extra, static_cast<std::uint64_t>(step));
  for (std::int64_t row = 0; row < batch.rows; ++row)
    batch.weights.push_back(row < kRows ? 1.0f : 0.0f);
  batch.examples = kRows;
  return batch;
}

int threadsOfThisProcess() {
  int count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

/// Counts the threads of this process again and again for as long as it lives; its own thread does
/// not count.
class ThreadWatch {
 public:
  ThreadWatch() {
    while (most_ == 0) std::this_thread::yield();
  }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> most_{0};
  std::jthread thread_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) most_ = std::max(most_.load(), threadsOfThisProcess() - 1);
  }};
};

}  // namespace

class StepThreadsTest : public QObject {
  Q_OBJECT

  int alone_ = 0;  ///< threads of the process when no step is there

 private Q_SLOTS:
  /// The first use of a device starts what stays.
  void initTestCase() {
    QVERIFY(!tensor::cpuDevice().instructionSet().empty());
    alone_ = threadsOfThisProcess();
  }

  void runsOnTheBackendThatIsAskedFor() {
    const QByteArray asked = qgetenv("PARAPET_CPU_BACKEND");
    QVERIFY(asked.isEmpty() || tensor::cpuDevice().instructionSet() == asked.toStdString());
  }

  void aStepStartsNoThreads_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("threads");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const int threads : kinds()[kind].threads)
        QTest::addRow("%s, %d threads", kinds()[kind].name.c_str(), threads)
            << static_cast<int>(kind) << threads;
  }
  void aStepStartsNoThreads() {
    QFETCH(int, kind);
    QFETCH(int, threads);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    nn::Model model = of.model();
    auto idsPerRow = sample::idsPerRow(model);
    // Threads of the row before are joined, and gone soon.
    QTRY_COMPARE(threadsOfThisProcess(), alone_);
    sample::Trainer trainer(std::move(model), of.ranks, threads, kRows + of.extra,
                            std::move(idsPerRow), of.placement, of.spaces);
    sample::fitTransforms(trainer);
    const int accepted = alone_ + threads - 1;
    QCOMPARE(threadsOfThisProcess(), accepted);
    std::vector<std::int32_t> lists;
    for (std::int32_t first = 0; first <= kRows; first += kGroup) lists.push_back(first);
    int most = 0;
    {
      const ThreadWatch watch;
      for (std::int64_t step = 1; step <= 2; ++step) {
        sample::Batch batch = batchOf(of, trainer.model, step);
        nn::StepBatch input = batch.input();
        input.lists = lists;
        input.seed = 7;
        QVERIFY(trainer.plan.train(input, step).ok());
      }
      most = watch.most();
    }
    QVERIFY2(most <= accepted, qPrintable(QString::number(most)));
    // The kernel counts a thread that was joined for a moment longer.
    QTRY_COMPARE(threadsOfThisProcess(), accepted);
  }
};

QTEST_GUILESS_MAIN(StepThreadsTest)
#include "step_threads_test.moc"
