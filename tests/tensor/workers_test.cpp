// SPDX-License-Identifier: Apache-2.0
// Ops are cut into blocks by the shape alone, so workers change no bit. The shapes are large enough
// for several blocks.
#include <QtTest>
#include <cstring>
#include <functional>

#include "engine/base/random.h"
#include "engine/tensor/ops/ops.h"

using namespace parapet;
using namespace parapet::tensor;

namespace {

using Floats = std::vector<float>;
constexpr std::int64_t kRows = 5000, kWidth = 33, kSize = kRows * kWidth;

Floats samples(std::uint64_t seed, std::int64_t count, float low = -1.0f) {
  const Random random(seed, RandomPurpose::kSampling);
  Floats values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = low + (1.0f - low) * random.uniform(i);
  return values;
}

std::vector<std::int32_t> distinctRows() {
  std::vector<std::int64_t> order(kRows * 2);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  shuffle(order, Random(1, RandomPurpose::kSampling));
  std::vector<std::int32_t> rows;
  for (std::int64_t i = 0; i < kRows; ++i)
    rows.push_back(static_cast<std::int32_t>(order[static_cast<std::size_t>(i)]));
  return rows;
}

bool sameBits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// An op on fixed inputs; everything it wrote.
using Run = std::function<Floats(const Launch&)>;

Floats optimized(const Launch& launch, bool useAdam) {
  const auto rows = distinctRows();
  const Floats grad = samples(2, kSize);
  Floats weight = samples(3, 2 * kSize), first = samples(4, 2 * kSize, 0.1f),
         second = samples(5, 2 * kSize, 0.1f);
  std::vector<std::int32_t> indexOfRow(2 * kRows, -1);
  const UpdateTarget target = someRows(weight.data(), 2 * kRows, kWidth, rows, grad.data());
  const AdamFactors factors = AdamFactors::corrected(0.01, 0.9, 0.999, 3);
  if (useAdam)
    run(launch, PpAdam{.target = target,
                       .stepSize = factors.stepSize,
                       .rootScale = factors.rootScale,
                       .beta1 = 0.9f,
                       .beta2 = 0.999f,
                       .epsilon = 1e-7f,
                       .moment = first.data(),
                       .variance = second.data(),
                       .everyRow = 1,
                       .indexOfRow = indexOfRow.data()});
  else
    run(launch, PpAdagrad{.target = target,
                          .learningRate = 0.01f,
                          .epsilon = 1e-7f,
                          .epsilonInsideRoot = 1,
                          .accumulator = first.data()});
  weight.insert(weight.end(), first.begin(), first.end());
  weight.insert(weight.end(), second.begin(), second.end());
  return weight;
}

Floats product(const Launch& launch, bool transposed) {
  const Floats a = samples(6, kSize), b = samples(7, kSize);
  // x·W over a batch, or xᵀ·dy over it.
  Floats c(transposed ? kWidth * kWidth : kRows * kWidth, 0.5f);
  if (transposed)
    run(launch, PpMatmul{.m = kWidth,
                         .n = kWidth,
                         .k = kRows,
                         .transposeA = 1,
                         .a = a.data(),
                         .strideA = kWidth,
                         .b = b.data(),
                         .strideB = kWidth,
                         .beta = 0.5f,
                         .c = c.data(),
                         .strideC = kWidth});
  else
    run(launch, PpMatmul{.m = kRows,
                         .n = kWidth,
                         .k = kWidth,
                         .transposeB = 1,
                         .a = a.data(),
                         .strideA = kWidth,
                         .b = b.data(),
                         .strideB = kWidth,
                         .c = c.data(),
                         .strideC = kWidth});
  return c;
}

// Few rows and many columns: blocks of columns, whatever the precision.
Floats wide(const Launch& launch, Precision precision) {
  constexpr std::int64_t kBatch = 90, kColumns = 1000, kDepth = 530;
  const Floats a = samples(22, kBatch * kDepth), b = samples(23, kDepth * kColumns);
  Floats c(kBatch * kColumns, 0.5f);
  run({launch.device, launch.workers, precision}, PpMatmul{.m = kBatch,
                                                           .n = kColumns,
                                                           .k = kDepth,
                                                           .a = a.data(),
                                                           .strideA = kDepth,
                                                           .b = b.data(),
                                                           .strideB = kColumns,
                                                           .beta = 1.0f,
                                                           .c = c.data(),
                                                           .strideC = kColumns});
  return c;
}

Floats activated(const Launch& launch) {
  const Floats x = samples(8, kSize), bias = samples(9, kWidth), dy = samples(10, kSize);
  Floats y(x.size()), dx(x.size()), dbias(bias.size());
  run(launch, PpBiasActivation{.rows = kRows,
                               .width = kWidth,
                               .activation = numberOf(ActivationOp::kGelu),
                               .x = x.data(),
                               .bias = bias.data(),
                               .y = y.data()});
  run(launch, PpBiasActivationGradient{.rows = kRows,
                                       .width = kWidth,
                                       .activation = numberOf(ActivationOp::kGelu),
                                       .x = x.data(),
                                       .bias = bias.data(),
                                       .y = y.data(),
                                       .dy = dy.data(),
                                       .dx = dx.data(),
                                       .dbias = dbias.data()});
  y.insert(y.end(), dx.begin(), dx.end());
  y.insert(y.end(), dbias.begin(), dbias.end());
  return y;
}

Floats scored(const Launch& launch) {
  const Floats x = samples(11, kSize), y = samples(12, kSize);
  Floats out(kRows), dx(x.size(), 1.0f), dy(x.size());
  run(launch,
      PpDotRows{.rows = kRows, .width = kWidth, .x = x.data(), .y = y.data(), .out = out.data()});
  run(launch, PpDotRowsGradient{.rows = kRows,
                                .width = kWidth,
                                .x = x.data(),
                                .y = y.data(),
                                .dout = out.data(),
                                .dx = dx.data(),
                                .accumulateX = 1,
                                .dy = dy.data()});
  out.insert(out.end(), dx.begin(), dx.end());
  out.insert(out.end(), dy.begin(), dy.end());
  return out;
}

Floats moved(const Launch& launch) {
  const Floats table = samples(13, 2 * kSize);
  const auto rows = distinctRows();
  Floats gathered(kSize), copied(2 * kSize, 0.25f), summed(kSize);
  run(launch, PpGatherRows{.table = table.data(),
                           .tableRows = 2 * kRows,
                           .width = kWidth,
                           .rows = rows.data(),
                           .count = std::ssize(rows),
                           .out = gathered.data()});
  run(launch, PpCopyColumns{.rows = kRows,
                            .width = kWidth,
                            .in = gathered.data(),
                            .strideIn = kWidth,
                            .out = copied.data() + 1,
                            .strideOut = 2 * kWidth - 1,
                            .accumulate = 1});
  const std::vector<const float*> parts{gathered.data(), table.data(), copied.data()};
  run(launch, PpSumParts{.count = kSize,
                         .parts = static_cast<std::int32_t>(parts.size()),
                         .in = parts.data(),
                         .out = summed.data()});
  summed.insert(summed.end(), copied.begin(), copied.end());
  return summed;
}

Floats bagged(const Launch& launch) {
  const Floats table = samples(14, 2 * kSize);
  const auto rows = distinctRows();
  std::vector<std::int32_t> offsets;
  for (std::int32_t place = 3; place < kRows; place += 1 + place % 4) offsets.push_back(place);
  const auto bags = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::span used(rows.data(), static_cast<std::size_t>(offsets.back() - offsets.front()));
  Floats scales(used.size()), out(static_cast<std::size_t>(bags * kWidth));
  run(launch, PpBagScales{.combiner = numberOf(CombinerOp::kSqrtn),
                          .offsets = offsets.data(),
                          .bags = bags,
                          .scales = scales.data()});
  run(launch, PpBagRows{.table = table.data(),
                        .tableRows = 2 * kRows,
                        .width = kWidth,
                        .rows = used.data(),
                        .offsets = offsets.data(),
                        .scales = scales.data(),
                        .bags = bags,
                        .out = out.data()});
  return out;
}

Floats interacted(const Launch& launch) {
  const Floats a = samples(15, kSize), b = samples(16, kSize), c = samples(17, kSize);
  const std::vector<const float*> parts{a.data(), b.data(), c.data()};
  Floats out(3 * kRows), da(a.size()), db(a.size(), 1.0f), y(a.size()), du(a.size());
  run(launch,
      PpDotInteraction{
          .rows = kRows, .width = kWidth, .parts = 3, .in = parts.data(), .out = out.data()});
  const std::vector<float*> gradients{da.data(), db.data(), nullptr};
  const std::vector<std::int32_t> accumulate{0, 1, 0};
  run(launch, PpDotInteractionGradient{.rows = kRows,
                                       .width = kWidth,
                                       .parts = 3,
                                       .in = parts.data(),
                                       .dout = out.data(),
                                       .dIn = gradients.data(),
                                       .accumulate = accumulate.data()});
  run(launch, PpCross{.rows = kRows,
                      .width = kWidth,
                      .x0 = a.data(),
                      .x = b.data(),
                      .u = c.data(),
                      .diagScale = 0.5f,
                      .y = y.data()});
  run(launch, PpCrossGradient{.rows = kRows,
                              .width = kWidth,
                              .x0 = a.data(),
                              .x = b.data(),
                              .u = c.data(),
                              .diagScale = 0.5f,
                              .dy = y.data(),
                              .dx0 = da.data(),
                              .accumulateX0 = 1,
                              .dx = db.data(),
                              .du = du.data()});
  const Dropping dropping = droppingAt(0.3);
  run(launch, PpDropout{.count = kSize,
                        .x = y.data(),
                        .key = 5,
                        .first = 11,
                        .dropBelow = dropping.below,
                        .scale = dropping.keptScale,
                        .y = y.data()});
  for (const Floats* more : {&da, &db, &y, &du}) out.insert(out.end(), more->begin(), more->end());
  return out;
}

// Every column of a batch norm and every row of a layer norm is one worker's.
Floats normalized(const Launch& launch, bool overBatch) {
  // Wide enough for several strips of columns.
  constexpr std::int64_t kCols = 80, kCount = kRows * kCols;
  const Floats x = samples(18, kCount), gamma = samples(19, kCols), beta = samples(20, kCols),
               dy = samples(21, kCount);
  Floats y(x.size()), dx(x.size()), dgamma(kCols), dbeta(kCols), mean(kCols), variance(kCols);
  const float epsilon = 1e-3f;
  if (overBatch) {
    run(launch, PpBatchNorm{kRows, kCols, x.data(), gamma.data(), beta.data(), epsilon, 0.9f, 1,
                            mean.data(), variance.data(), y.data()});
    run(launch, PpBatchNormGradient{kRows, kCols, x.data(), gamma.data(), epsilon, dy.data(),
                                    dx.data(), dgamma.data(), dbeta.data()});
  } else {
    run(launch, PpLayerNorm{kRows, kCols, x.data(), gamma.data(), beta.data(), epsilon, y.data()});
    run(launch, PpLayerNormGradient{kRows, kCols, x.data(), gamma.data(), epsilon, dy.data(),
                                    dx.data(), dgamma.data(), dbeta.data()});
  }
  for (const Floats* more : {&dx, &dgamma, &dbeta, &mean, &variance})
    y.insert(y.end(), more->begin(), more->end());
  return y;
}

const std::vector<std::pair<const char*, Run>>& runs() {
  static const std::vector<std::pair<const char*, Run>> all{
      {"adagrad", [](const Launch& launch) { return optimized(launch, false); }},
      {"adam dense", [](const Launch& launch) { return optimized(launch, true); }},
      {"x·Wᵀ", [](const Launch& launch) { return product(launch, false); }},
      {"xᵀ·dy", [](const Launch& launch) { return product(launch, true); }},
      {"x·W, wide", [](const Launch& launch) { return wide(launch, Precision::kFp32); }},
      {"x·W, wide, bf16", [](const Launch& launch) { return wide(launch, Precision::kBf16); }},
      {"biasActivation", activated},
      {"dotRows", scored},
      {"gatherRows, copyColumns, sumParts", moved},
      {"bagScales, bagRows", bagged},
      {"dotInteraction, cross, dropout", interacted},
      {"layerNorm", [](const Launch& launch) { return normalized(launch, false); }},
      {"batchNorm", [](const Launch& launch) { return normalized(launch, true); }}};
  return all;
}

}  // namespace

class TensorWorkersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void workersChangeNoBit_data() {
    QTest::addColumn<int>("device");
    QTest::addColumn<int>("index");
    for (std::size_t device = 0; device < devices_.size(); ++device)
      for (std::size_t index = 0; index < runs().size(); ++index)
        QTest::addRow("%s: %s", std::string(devices_[device].instructionSet()).c_str(),
                      runs()[index].first)
            << static_cast<int>(device) << static_cast<int>(index);
  }
  void workersChangeNoBit() {
    QFETCH(int, device);
    QFETCH(int, index);
    const Device& here = devices_[static_cast<std::size_t>(device)];
    const Run& run = runs()[static_cast<std::size_t>(index)].second;
    const Floats alone = run({&here, nullptr});
    for (int count = 1; count <= 4; ++count) {
      Workers workers(count);
      QVERIFY(sameBits(run({&here, &workers}), alone));
    }
  }

 private:
  const std::vector<Device> devices_ = DeviceRegistry::instance().variants();
};

QTEST_GUILESS_MAIN(TensorWorkersTest)
#include "workers_test.moc"
