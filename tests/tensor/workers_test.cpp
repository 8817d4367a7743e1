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
  if (useAdam)
    adam(launch, target, AdamFactors::corrected(0.01, 0.9, 0.999, 3), 0.9f, 0.999f, 1e-7f,
         first.data(), second.data(), RowsMoved::kEveryRow, indexOfRow.data());
  else
    adagrad(launch, target, 0.01f, 1e-7f, AdagradEpsilon::kInsideRoot, first.data());
  weight.insert(weight.end(), first.begin(), first.end());
  weight.insert(weight.end(), second.begin(), second.end());
  return weight;
}

Floats product(const Launch& launch, bool transposed) {
  const Floats a = samples(6, kSize), b = samples(7, kSize);
  // x·W over a batch, or xᵀ·dy over it.
  Floats c(transposed ? kWidth * kWidth : kRows * kWidth, 0.5f);
  if (transposed)
    matmul(launch, kWidth, kWidth, kRows, {a.data(), kWidth, true}, {b.data(), kWidth}, 0.5f,
           c.data(), kWidth);
  else
    matmul(launch, kRows, kWidth, kWidth, {a.data(), kWidth}, {b.data(), kWidth, true}, 0.0f,
           c.data(), kWidth);
  return c;
}

// Few rows and many columns: blocks of columns, whatever the precision.
Floats wide(const Launch& launch, Precision precision) {
  constexpr std::int64_t kBatch = 90, kColumns = 1000, kDepth = 530;
  const Floats a = samples(22, kBatch * kDepth), b = samples(23, kDepth * kColumns);
  Floats c(kBatch * kColumns, 0.5f);
  matmul({launch.device, launch.workers, precision}, kBatch, kColumns, kDepth, {a.data(), kDepth},
         {b.data(), kColumns}, 1.0f, c.data(), kColumns);
  return c;
}

Floats activated(const Launch& launch) {
  const Floats x = samples(8, kSize), bias = samples(9, kWidth), dy = samples(10, kSize);
  Floats y(x.size()), dx(x.size()), dbias(bias.size());
  biasActivation(launch, ActivationOp::kGelu, kRows, kWidth, x.data(), bias.data(), y.data());
  biasActivationGradient(launch, ActivationOp::kGelu, kRows, kWidth, x.data(), bias.data(),
                         y.data(), dy.data(), dx.data(), dbias.data());
  y.insert(y.end(), dx.begin(), dx.end());
  y.insert(y.end(), dbias.begin(), dbias.end());
  return y;
}

Floats scored(const Launch& launch) {
  const Floats x = samples(11, kSize), y = samples(12, kSize);
  Floats out(kRows), dx(x.size(), 1.0f), dy(x.size());
  dotRows(launch, kRows, kWidth, {x.data()}, {y.data()}, out.data());
  dotRowsGradient(launch, kRows, kWidth, x.data(), y.data(), out.data(), dx.data(),
                  Accumulate::kYes, dy.data(), Accumulate::kNo);
  out.insert(out.end(), dx.begin(), dx.end());
  out.insert(out.end(), dy.begin(), dy.end());
  return out;
}

Floats moved(const Launch& launch) {
  const Floats table = samples(13, 2 * kSize);
  const auto rows = distinctRows();
  Floats gathered(kSize), copied(2 * kSize, 0.25f), summed(kSize);
  gatherRows(launch, table.data(), 2 * kRows, kWidth, rows, gathered.data());
  copyColumns(launch, kRows, kWidth, gathered.data(), kWidth, copied.data() + 1, 2 * kWidth - 1,
              Accumulate::kYes);
  const std::vector<const float*> parts{gathered.data(), table.data(), copied.data()};
  sumParts(launch, parts, kSize, summed.data());
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
  bagScales(launch, CombinerOp::kSqrtn, offsets.data(), nullptr, bags, scales.data());
  bagRows(launch, table.data(), 2 * kRows, kWidth, used, offsets.data(), scales.data(), bags,
          out.data());
  return out;
}

Floats interacted(const Launch& launch) {
  const Floats a = samples(15, kSize), b = samples(16, kSize), c = samples(17, kSize);
  const std::vector<const float*> parts{a.data(), b.data(), c.data()};
  Floats out(3 * kRows), da(a.size()), db(a.size(), 1.0f), y(a.size()), du(a.size());
  dotInteraction(launch, kRows, kWidth, parts, SelfInteraction::kNo, out.data());
  const std::vector<float*> gradients{da.data(), db.data(), nullptr};
  const std::vector<std::int32_t> accumulate{0, 1, 0};
  dotInteractionGradient(launch, kRows, kWidth, parts, SelfInteraction::kNo, out.data(), gradients,
                         accumulate);
  const CrossInputs inputs{a.data(), b.data(), c.data(), 0.5f};
  cross(launch, kRows, kWidth, inputs, y.data());
  crossGradient(launch, kRows, kWidth, inputs, y.data(),
                {da.data(), Accumulate::kYes, db.data(), Accumulate::kNo, du.data()});
  dropout(launch, kSize, y.data(), 0.3, 5, 11, y.data());
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
  const NormInputs inputs{x.data(), gamma.data(), beta.data(), 1e-3f};
  const NormGradients gradients{dx.data(), dgamma.data(), dbeta.data()};
  if (overBatch) {
    batchNorm(launch, kRows, kCols, inputs, BatchStatistics::kOfBatch,
              {mean.data(), variance.data(), 0.9f}, y.data());
    batchNormGradient(launch, kRows, kCols, inputs, dy.data(), gradients);
  } else {
    layerNorm(launch, kRows, kCols, inputs, y.data());
    layerNormGradient(launch, kRows, kCols, inputs, dy.data(), gradients);
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
