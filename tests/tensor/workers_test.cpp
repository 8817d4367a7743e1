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
  std::vector<std::int32_t> placeOfRow(2 * kRows, -1);
  const UpdateTarget target = someRows(weight.data(), 2 * kRows, kWidth, rows, grad.data());
  if (useAdam)
    adam(launch, target, AdamFactors::corrected(0.01, 0.9, 0.999, 3), 0.9f, 0.999f, 1e-7f,
         first.data(), second.data(), RowsMoved::kEveryRow, placeOfRow.data());
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

const std::vector<std::pair<const char*, Run>>& runs() {
  static const std::vector<std::pair<const char*, Run>> all{
      {"adagrad", [](const Launch& launch) { return optimized(launch, false); }},
      {"adam dense", [](const Launch& launch) { return optimized(launch, true); }},
      {"x·Wᵀ", [](const Launch& launch) { return product(launch, false); }},
      {"xᵀ·dy", [](const Launch& launch) { return product(launch, true); }},
      {"biasActivation", activated},
      {"dotRows", scored},
      {"gatherRows, copyColumns, sumParts", moved}};
  return all;
}

}  // namespace

class TensorWorkersTest : public QObject {
  Q_OBJECT

 private slots:
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
