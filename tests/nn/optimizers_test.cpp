// SPDX-License-Identifier: Apache-2.0
// Runs of a few steps of every optimizer, on a table in one piece and in shards, against the
// formulas of Keras and PyTorch in double precision; learning rates against the formulas of Keras.
#include <QtTest>
#include <cmath>
#include <numeric>

#include "engine/nn/parameters.h"
#include "engine/nn/schedules.h"
#include "engine/tensor/ops/ops.h"

using namespace parapet;
using experiment::AdamEpsilon;
using experiment::Optimizer;
using experiment::OptimizerKind;
using experiment::Placement;
using experiment::Schedule;
using experiment::ScheduleKind;
using experiment::SparseUpdate;

namespace {

constexpr std::int64_t kRows = 11, kCols = 6;
constexpr int kSteps = 4;
constexpr double kRate = 0.05;

/// Rows with a gradient and the gradient, [rows, kCols].
struct Step {
  std::vector<std::int32_t> rows;
  std::vector<float> grad;
};

// Row 10 never has a gradient, row 3 only in the first step.
Step stepAt(int step) {
  Step made;
  for (std::int32_t row = 0; row < kRows - 1; ++row)
    if (row == 3 ? step == 0 : (row + step) % 3 != 0) made.rows.push_back(row);
  for (std::size_t i = 0; i < made.rows.size() * kCols; ++i)
    made.grad.push_back(static_cast<float>(std::sin(1.0 + 0.7 * static_cast<double>(i) + step)));
  return made;
}

nn::UpdateRates ratesAt(Optimizer optimizer, std::int64_t step) {
  optimizer.learningRate = kRate;
  return nn::ratesAt(optimizer, step, 0);
}

/// A row and its slots in double precision.
struct Row {
  std::vector<double> weight, first, second;
};

double decayed(const Optimizer& optimizer, double weight) {
  return weight - weight * optimizer.weightDecay * kRate;
}

double epsilonRoot(const Optimizer& optimizer, double accumulator) {
  return optimizer.epsilonInsideRoot ? std::sqrt(accumulator + optimizer.epsilon)
                                     : std::sqrt(accumulator) + optimizer.epsilon;
}

double adamStep(const Optimizer& optimizer, double moment, double variance, int t) {
  const double bias1 = 1.0 - std::pow(optimizer.beta1, t),
               bias2 = 1.0 - std::pow(optimizer.beta2, t);
  if (optimizer.epsilonMode == AdamEpsilon::kCorrected)
    return kRate * (moment / bias1) / (std::sqrt(variance / bias2) + optimizer.epsilon);
  return kRate * std::sqrt(bias2) / bias1 * moment / (std::sqrt(variance) + optimizer.epsilon);
}

void ftrl(const Optimizer& optimizer, double g, double& weight, double& accumulator,
          double& linear) {
  const auto raised = [&](double x) { return std::pow(x, -optimizer.learningRatePower); };
  const double next = accumulator + g * g, l2 = optimizer.l2 + optimizer.beta / (2.0 * kRate);
  linear += g - (raised(next) - raised(accumulator)) / kRate * weight;
  weight = (std::clamp(linear, -optimizer.l1, optimizer.l1) - linear) /
           (raised(next) / kRate + 2.0 * l2);
  accumulator = next;
}

/// One step of a row; `grad` null: it has none.
void apply(const Optimizer& optimizer, const float* grad, int t, Row& row) {
  const bool moves = grad || optimizer.sparseUpdate == SparseUpdate::kDense;
  if (!moves) return;
  double squares = 0.0;
  for (std::int64_t d = 0; grad && d < kCols; ++d)
    squares += static_cast<double>(grad[d]) * static_cast<double>(grad[d]) / kCols;
  if (optimizer.kind == OptimizerKind::kRowwiseAdagrad) row.first[0] += squares;
  for (std::size_t d = 0; d < kCols; ++d) {
    double& w = row.weight[d] = decayed(optimizer, row.weight[d]);
    const double g = grad ? static_cast<double>(grad[d]) : 0.0;
    switch (optimizer.kind) {
      case OptimizerKind::kSgd:
        row.first[d] = optimizer.momentum * row.first[d] - kRate * g;
        w += row.first[d];
        break;
      case OptimizerKind::kAdagrad:
        row.first[d] += g * g;
        w -= kRate * g / epsilonRoot(optimizer, row.first[d]);
        break;
      case OptimizerKind::kRowwiseAdagrad:
        w -= kRate * g / epsilonRoot(optimizer, row.first[0]);
        break;
      case OptimizerKind::kAdam:
      case OptimizerKind::kAdamW:
        row.first[d] = optimizer.beta1 * row.first[d] + (1.0 - optimizer.beta1) * g;
        row.second[d] = optimizer.beta2 * row.second[d] + (1.0 - optimizer.beta2) * g * g;
        w -= adamStep(optimizer, row.first[d], row.second[d], t);
        break;
      case OptimizerKind::kFtrl:
        if (grad) ftrl(optimizer, g, w, row.first[d], row.second[d]);
    }
  }
}

nn::ParameterSpec specOf(const Optimizer& optimizer) {
  return {.name = "tables/user",
          .rows = kRows,
          .cols = kCols,
          .initializer = {.min = -1.0, .max = 1.0},
          .optimizer = optimizer,
          .sparse = true};
}

nn::Parameter made(const Optimizer& optimizer, Placement placement, int shards) {
  std::vector<std::vector<int>> owners;
  for (int shard = 0; shard < shards; ++shard) owners.push_back({shard});
  const std::vector<tensor::Device> devices(static_cast<std::size_t>(shards), tensor::cpuDevice());
  return nn::makeParameter(specOf(optimizer), {placement, kRows, kCols, owners}, devices, 5)
      .value();
}

/// The shard's part of a step: its rows by place, its columns.
Step partOf(const Step& step, const mesh::Sharding& sharding, int shard) {
  Step part;
  part.rows.reserve(1);  // null would mean every row
  const auto from = static_cast<std::size_t>(sharding.firstCol(shard));
  const auto count = static_cast<std::size_t>(sharding.shardCols(shard));
  for (std::size_t u = 0; u < step.rows.size(); ++u) {
    if (sharding.shardOf(step.rows[u]) != (count == kCols ? shard : 0)) continue;
    part.rows.push_back(static_cast<std::int32_t>(sharding.localRow(step.rows[u])));
    for (std::size_t d = from; d < from + count; ++d) part.grad.push_back(step.grad[u * kCols + d]);
  }
  return part;
}

/// All arrays of a parameter, one after the other, as a checkpoint would have them.
std::vector<float> arraysOf(const nn::Parameter& parameter) {
  std::vector<float> all(static_cast<std::size_t>(parameter.size()));
  nn::gatherRows(parameter, -1, all);
  const auto slots = nn::slotSpecs(parameter.spec.optimizer, kCols);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<float> values(static_cast<std::size_t>(kRows * slots[slot].cols));
    nn::gatherRows(parameter, static_cast<int>(slot), values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// The values that the steps leave of a table that lies as `placement` says.
std::vector<float> trained(const Optimizer& optimizer, Placement placement, int shards) {
  nn::Parameter parameter = made(optimizer, placement, shards);
  const tensor::Launch launch{&tensor::cpuDevice(), nullptr};
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Step> parts;
    std::vector<tensor::UpdateTarget> targets;
    for (int shard = 0; shard < shards; ++shard)
      parts.push_back(partOf(stepAt(step), parameter.sharding, shard));
    std::vector<float> means(parts[0].rows.size());
    for (int shard = 0; shard < shards; ++shard) {
      nn::ParameterShard& at = parameter.shards[static_cast<std::size_t>(shard)];
      const Step& part = parts[static_cast<std::size_t>(shard)];
      targets.push_back(
          tensor::someRows(at.weight.data(), at.rows, at.cols, part.rows, part.grad.data()));
      if (placement == Placement::kColumn)
        tensor::run(launch, PpMeanSquares{.target = targets.back(),
                                          .columns = kCols,
                                          .out = means.data(),
                                          .accumulate = shard == 0 ? 0 : 1});
    }
    for (int shard = 0; shard < shards; ++shard)
      nn::updateShard(launch, optimizer, parameter.shards[static_cast<std::size_t>(shard)],
                      targets[static_cast<std::size_t>(shard)], ratesAt(optimizer, step + 1),
                      {placement == Placement::kColumn ? means.data() : nullptr});
  }
  return arraysOf(parameter);
}

/// The values of the table by the formulas.
std::vector<double> expected(const Optimizer& optimizer) {
  const std::vector<float> start = arraysOf(made(optimizer, Placement::kReplicated, 1));
  const auto slots = nn::slotSpecs(optimizer, kCols);
  std::vector<Row> rows(kRows);
  const auto begin = [&](std::size_t slot) {
    return std::vector<double>(kCols,
                               slot < slots.size() ? static_cast<double>(slots[slot].start) : 0.0);
  };
  for (std::size_t r = 0; r < kRows; ++r)
    rows[r] = {{start.begin() + static_cast<std::ptrdiff_t>(r * kCols),
                start.begin() + static_cast<std::ptrdiff_t>((r + 1) * kCols)},
               begin(0),
               begin(1)};
  for (int step = 0; step < kSteps; ++step) {
    const Step now = stepAt(step);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto at = std::ranges::find(now.rows, static_cast<std::int32_t>(r));
      const auto u = static_cast<std::size_t>(at - now.rows.begin());
      apply(optimizer, at == now.rows.end() ? nullptr : now.grad.data() + u * kCols, step + 1,
            rows[r]);
    }
  }
  std::vector<double> all;
  const auto append = [&](const std::vector<double> Row::*array, std::int64_t cols) {
    for (const Row& row : rows)
      all.insert(all.end(), (row.*array).begin(), (row.*array).begin() + cols);
  };
  append(&Row::weight, kCols);
  if (!slots.empty()) append(&Row::first, slots[0].cols);
  if (slots.size() > 1) append(&Row::second, slots[1].cols);
  return all;
}

struct Named {
  const char* name;
  Optimizer optimizer;
};

std::vector<Named> optimizers() {
  const auto lazy = SparseUpdate::kLazy;
  const auto corrected = AdamEpsilon::kCorrected;
  return {
      {"sgd", {.kind = OptimizerKind::kSgd}},
      {"sgd, lazy decay", {.kind = OptimizerKind::kSgd, .sparseUpdate = lazy, .weightDecay = 0.5}},
      {"momentum", {.kind = OptimizerKind::kSgd, .momentum = 0.9}},
      {"lazy momentum", {.kind = OptimizerKind::kSgd, .momentum = 0.9, .sparseUpdate = lazy}},
      {"adagrad", {.kind = OptimizerKind::kAdagrad, .initialAccumulator = 0.25}},
      {"adagrad of PyTorch",
       {.kind = OptimizerKind::kAdagrad, .initialAccumulator = 0.0, .epsilonInsideRoot = false}},
      {"adagrad, decay", {.kind = OptimizerKind::kAdagrad, .weightDecay = 0.5}},
      {"row-wise adagrad", {.kind = OptimizerKind::kRowwiseAdagrad}},
      {"row-wise adagrad of FBGEMM",
       {.kind = OptimizerKind::kRowwiseAdagrad,
        .initialAccumulator = 0.0,
        .epsilon = 1e-10,
        .epsilonInsideRoot = false}},
      {"adam", {.kind = OptimizerKind::kAdam}},
      {"lazy adam", {.kind = OptimizerKind::kAdam, .sparseUpdate = lazy}},
      {"adam of PyTorch",
       {.kind = OptimizerKind::kAdam, .epsilon = 1e-8, .beta2 = 0.99, .epsilonMode = corrected}},
      {"adamw", {.kind = OptimizerKind::kAdamW, .weightDecay = 0.5}},
      {"lazy adamw", {.kind = OptimizerKind::kAdamW, .sparseUpdate = lazy, .weightDecay = 0.5}},
      {"ftrl", {.kind = OptimizerKind::kFtrl}},
      {"ftrl, l1 and l2",
       {.kind = OptimizerKind::kFtrl,
        .learningRatePower = -0.6,
        .l1 = 0.3,
        .l2 = 0.2,
        .beta = 0.1}},
  };
}

struct Rate {
  std::int64_t step;
  double rate;
};
struct NamedSchedule {
  const char* name;
  Schedule schedule;
  std::vector<Rate> rates;  ///< of a full rate of 0.1
};

// The rates come from the formulas of Keras's source, evaluated outside of this program.
std::vector<NamedSchedule> schedules() {
  const Schedule restarts{
      .kind = ScheduleKind::kCosineRestarts, .decaySteps = 100, .alpha = 0.1, .restartDecay = 0.5};
  Schedule evenRestarts = restarts;
  evenRestarts.factor = 1.0;
  const Schedule polynomial{
      .kind = ScheduleKind::kPolynomial, .decaySteps = 100, .end = 0.01, .power = 2.0};
  Schedule cycle = polynomial;
  cycle.cycle = true;
  return {
      {"constant", {}, {{0, 0.1}, {7, 0.1}}},
      {"warm-up", {.warmupSteps = 4, .warmupFrom = 0.2}, {{0, 0.02}, {1, 0.04}, {4, 0.1}}},
      {"polynomial", polynomial, {{0, 0.1}, {25, 0.060625}, {100, 0.01}, {400, 0.01}}},
      {"polynomial, again and again",
       cycle,
       {{0, 0.1}, {100, 0.01}, {150, 0.015625}, {250, 0.0125}}},
      {"exponential",
       {.kind = ScheduleKind::kExponential, .decaySteps = 100, .rate = 0.96},
       {{50, 0.09797958971132713}, {150, 0.09406040612287403}, {1000, 0.06648326359915008}}},
      {"exponential in stairs",
       {.kind = ScheduleKind::kExponential, .decaySteps = 100, .staircase = true},
       {{50, 0.1}, {150, 0.096}, {1000, 0.06648326359915008}}},
      {"cosine",
       {.kind = ScheduleKind::kCosine, .decaySteps = 100, .alpha = 0.1},
       {{0, 0.1}, {25, 0.08681980515339464}, {50, 0.055}, {100, 0.01}, {300, 0.01}}},
      {"cosine after a warm-up",
       {.kind = ScheduleKind::kCosine, .warmupSteps = 10, .decaySteps = 100, .alpha = 0.1},
       {{0, 0.0}, {5, 0.05}, {10, 0.1}, {60, 0.055}, {110, 0.01}}},
      {"cosine restarts",
       restarts,
       {{99, 0.010022204783542078}, {100, 0.055}, {200, 0.0325}, {300, 0.0325}, {700, 0.02125}}},
      {"cosine restarts, even",
       evenRestarts,
       {{99, 0.010022204783542078},
        {100, 0.055},
        {200, 0.0325},
        {300, 0.02125},
        {700, 0.010703125}}},
      {"inverse time",
       {.kind = ScheduleKind::kInverseTime, .decaySteps = 100, .rate = 0.5},
       {{50, 0.08}, {100, 0.06666666666666667}, {250, 0.044444444444444446}}},
      {"inverse time in stairs",
       {.kind = ScheduleKind::kInverseTime, .decaySteps = 100, .rate = 0.5, .staircase = true},
       {{50, 0.1}, {100, 0.06666666666666667}, {250, 0.05}}},
      {"piecewise",
       {.kind = ScheduleKind::kPiecewise, .boundaries = {10, 20}, .values = {0.1, 0.05, 0.01}},
       {{0, 0.1}, {10, 0.1}, {11, 0.05}, {20, 0.05}, {21, 0.01}, {1000, 0.01}}},
  };
}

}  // namespace

class OptimizersTest : public QObject {
  Q_OBJECT

  const std::vector<Named> optimizers_ = optimizers();
  const std::vector<NamedSchedule> schedules_ = schedules();

  void addOptimizers() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < optimizers_.size(); ++i)
      QTest::newRow(optimizers_[i].name) << static_cast<int>(i);
  }
  const Optimizer& fetched() const {
    QFETCH(int, index);
    return optimizers_[static_cast<std::size_t>(index)].optimizer;
  }

 private Q_SLOTS:
  // inf_gradient: whatever the optimizer makes of it, the step tells.
  void reportsAWeightThatIsNotFinite_data() { addOptimizers(); }
  void reportsAWeightThatIsNotFinite() {
    const Optimizer& optimizer = fetched();
    nn::Parameter parameter = made(optimizer, Placement::kReplicated, 1);
    nn::ParameterShard& shard = parameter.shards[0];
    const tensor::Launch launch{&tensor::cpuDevice(), nullptr};
    Step step = stepAt(0);
    std::int32_t nonFinite = 0;
    const auto update = [&](std::int64_t at) {
      tensor::UpdateTarget target = tensor::someRows(shard.weight.data(), shard.rows, shard.cols,
                                                     step.rows, step.grad.data());
      target.nonFinite = &nonFinite;
      nn::updateShard(launch, optimizer, shard, target, ratesAt(optimizer, at));
    };
    update(1);
    QCOMPARE(nonFinite, 0);
    step.grad[kCols + 1] = INFINITY;
    update(2);
    QCOMPARE(nonFinite, 1);
  }

  void stepsFollowTheirFormulas_data() { addOptimizers(); }
  void stepsFollowTheirFormulas() {
    const std::vector<float> found = trained(fetched(), Placement::kReplicated, 1);
    const std::vector<double> right = expected(fetched());
    QCOMPARE(found.size(), right.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      QVERIFY2(
          std::abs(static_cast<double>(found[i]) - right[i]) < 2e-6 * (1.0 + std::abs(right[i])),
          qPrintable(QString("%1: %2, not %3").arg(i).arg(found[i]).arg(right[i])));
  }

  void rowsInShardsAreTheSameBits_data() { addOptimizers(); }
  void rowsInShardsAreTheSameBits() {
    const std::vector<float> whole = trained(fetched(), Placement::kReplicated, 1);
    QCOMPARE(trained(fetched(), Placement::kTable, 1), whole);
    for (const auto placement : {Placement::kRow, Placement::kRowBlock})
      for (const int shards : {2, 3, 8}) QCOMPARE(trained(fetched(), placement, shards), whole);
  }

  // A number a row is a sum over the shards, so its last bits may differ; nothing else may.
  void columnsInShardsAgree_data() { addOptimizers(); }
  void columnsInShardsAgree() {
    const std::vector<float> whole = trained(fetched(), Placement::kReplicated, 1);
    for (const int shards : {2, 4}) {
      const std::vector<float> found = trained(fetched(), Placement::kColumn, shards);
      if (fetched().kind != OptimizerKind::kRowwiseAdagrad) {
        QCOMPARE(found, whole);
        continue;
      }
      QCOMPARE(found.size(), whole.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY(std::abs(found[i] - whole[i]) <= 1e-6f * (1.0f + std::abs(whole[i])));
    }
  }

  void ratesFollowTheFormulasOfKeras_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < schedules_.size(); ++i)
      QTest::newRow(schedules_[i].name) << static_cast<int>(i);
  }
  void ratesFollowTheFormulasOfKeras() {
    QFETCH(int, index);
    const NamedSchedule& named = schedules_[static_cast<std::size_t>(index)];
    for (const auto& [step, rate] : named.rates) {
      const double found = nn::learningRateAt(named.schedule, 0.1, step);
      QVERIFY2(std::abs(found - rate) < 1e-15,
               qPrintable(QString("step %1: %2, not %3").arg(step).arg(found).arg(rate)));
    }
  }
};

QTEST_GUILESS_MAIN(OptimizersTest)
#include "optimizers_test.moc"
