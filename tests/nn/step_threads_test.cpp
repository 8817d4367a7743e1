// SPDX-License-Identifier: Apache-2.0
// The workers are the only threads of a step: a library that starts a pool of its own beneath them
// makes a run many times slower as soon as another program wants the cores. The environment of this
// test allows OpenMP four threads, so that a pool would be seen on any machine.
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Experiment;
using experiment::LossKind;
using experiment::Placement;

namespace {

constexpr std::int64_t kRows = 2048, kGroup = 4;

/// A kind of training step, large enough that every library would use all cores for it.
struct Kind {
  const char* name;
  std::function<Experiment()> experiment;
  int ranks = 1;
  Placement placement = Placement::kReplicated;
  tensor::Precision precision = tensor::Precision::kFp32;
};

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

const std::vector<Kind>& kinds() {
  using enum Placement;
  const auto dot = [] { return sample::plainDot(64); };
  static const std::vector<Kind> all{
      {"dot product, squared error", dot},
      {"dot product, in-batch softmax", [=] { return withLoss(dot(), LossKind::kInBatchSoftmax); }},
      {"dense layers", ranking},
      {"dense layers in bf16", ranking, 1, kReplicated, tensor::Precision::kBf16},
      {"batch norm", normalized},
      {"pairwise loss", [] { return withLoss(ranking(), LossKind::kPairwiseHinge); }},
      {"ListMLE", [] { return withLoss(ranking(), LossKind::kListMle); }},
      {"tables sharded by row, dense layers", ranking, 2, kRow},
      {"tables sharded by column, in-batch softmax",
       [=] { return withLoss(dot(), LossKind::kInBatchSoftmax); }, 2, kColumn}};
  return all;
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

 private Q_SLOTS:
  void runsOnTheBackendThatIsAskedFor() {
    const QByteArray asked = qgetenv("PARAPET_CPU_BACKEND");
    QVERIFY(asked.isEmpty() || tensor::cpuDevice().instructionSet() == asked.toStdString());
  }

  void aStepStartsNoThreads_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("threads");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const int threads : {1, 2})
        QTest::addRow("%s, %d threads", kinds()[kind].name, threads)
            << static_cast<int>(kind) << threads;
  }
  void aStepStartsNoThreads() {
    QFETCH(int, kind);
    QFETCH(int, threads);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    nn::Model model = sample::build(of.experiment(), 3000, 2000);
    model.graph.setPrecision(of.precision);
    const int before = threadsOfThisProcess();
    sample::Trainer trainer(std::move(model), of.ranks, threads, kRows, {}, of.placement);
    const int accepted = before + threads - 1;
    QCOMPARE(threadsOfThisProcess(), accepted);
    std::vector<std::int32_t> lists;
    for (std::int32_t first = 0; first <= kRows; first += kGroup) lists.push_back(first);
    int most = 0;
    {
      const ThreadWatch watch;
      for (std::int64_t step = 1; step <= 3; ++step) {
        sample::Batch batch =
            sample::batchOf(trainer.model, kRows, static_cast<std::uint64_t>(step));
        nn::StepInput input = batch.input();
        input.lists = lists;
        QVERIFY(trainer.plan.train(input, step).ok());
      }
      most = watch.most();
    }
    QVERIFY2(most <= accepted, qPrintable(QString::number(most)));
    QCOMPARE(threadsOfThisProcess(), accepted);
  }
};

QTEST_GUILESS_MAIN(StepThreadsTest)
#include "step_threads_test.moc"
