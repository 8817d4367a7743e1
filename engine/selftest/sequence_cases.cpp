// SPDX-License-Identifier: Apache-2.0
// Positions, pooling and softmax of ragged sequences, and rows that are added up where they came
// from, against their references and, for gradients, central differences of these.
#include <fmt/format.h>

#include <algorithm>

#include "engine/selftest/cases.h"
#include "engine/selftest/layer_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Accumulate;
using tensor::Device;
using tensor::PoolOp;
using Values = std::vector<double>;

/// Sequences of 0 … 6 positions, the first of which is value 7 of its batch.
struct SampleSequences {
  std::vector<std::int32_t> offsets{7};
  std::int64_t positions;
  DeviceInts here;

  SampleSequences(const Device& device, std::int64_t count)
      : positions(fill(count)), here(device, offsets) {}
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }

 private:
  std::int64_t fill(std::int64_t count) {
    for (const std::int32_t length : sampleRows(64, count, 7))
      offsets.push_back(offsets.back() + length);
    return offsets.back() - offsets.front();
  }
};

constexpr std::int64_t kPositionRows = 8;

void positionsCase(const Device& device, bool fromEnd, Shape shape, Measure& measure) {
  const SampleSequences of(device, shape.rows);
  const auto x = samples(65, of.positions * shape.width),
             table = samples(66, kPositionRows * shape.width);
  DeviceFloats xHere(device, x);
  const DeviceFloats tableHere(device, table);
  auto y = DeviceFloats::unset(device, of.positions * shape.width);
  const tensor::Launch launch{&device};
  PpAddPositions args{.sequences = of.count(),
                      .positions = of.positions,
                      .width = shape.width,
                      .tableRows = kPositionRows,
                      .fromEnd = fromEnd,
                      .offsets = of.here.data(),
                      .x = xHere.data(),
                      .table = tableHere.data(),
                      .y = y.data()};
  tensor::run(launch, args);
  measure.values(
      "y", y.read(),
      reference::addPositions(of.offsets, shape.width, fromEnd, toDouble(x), toDouble(table)));
  args.y = xHere.data();
  tensor::run(launch, args);
  measure.same("y in place of x", xHere.read(), y.read());
}

void positionsGradientCase(const Device& device, bool fromEnd, Shape shape, Measure& measure) {
  const SampleSequences of(device, shape.rows);
  const auto dy = samples(67, of.positions * shape.width);
  const DeviceFloats dyHere(device, dy);
  auto dtable = DeviceFloats::unset(device, kPositionRows * shape.width);
  tensor::run({&device}, PpAddPositionsGradient{.sequences = of.count(),
                                                .positions = of.positions,
                                                .width = shape.width,
                                                .tableRows = kPositionRows,
                                                .fromEnd = fromEnd,
                                                .offsets = of.here.data(),
                                                .dy = dyHere.data(),
                                                .dtable = dtable.data()});
  measure.values("dtable", dtable.read(),
                 reference::addPositionsGradient(of.offsets, shape.width, kPositionRows, fromEnd,
                                                 toDouble(dy)));
}

void poolCase(const Device& device, PoolOp op, Shape shape, Measure& measure) {
  const SampleSequences of(device, shape.rows);
  const auto x = samples(68, of.positions * shape.width), weights = samples(69, of.positions);
  const DeviceFloats xHere(device, x), weightsHere(device, weights);
  auto out = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpPool{.kind = numberOf(op),
                                .sequences = of.count(),
                                .positions = of.positions,
                                .width = shape.width,
                                .offsets = of.here.data(),
                                .x = xHere.data(),
                                .weights = weightsHere.data(),
                                .out = out.data()});
  measure.values("out", out.read(),
                 reference::pool(op, of.offsets, shape.width, toDouble(x), toDouble(weights)));
}

void poolGradientCase(const Device& device, PoolOp op, Shape shape, Measure& measure) {
  const SampleSequences of(device, shape.rows);
  const auto x = samples(68, of.positions * shape.width), weights = samples(69, of.positions),
             dout = samples(70, shape.size()), before = samples(71, of.positions * shape.width);
  const DeviceFloats xHere(device, x), weightsHere(device, weights), doutHere(device, dout);
  DeviceFloats added(device, before);
  auto dx = DeviceFloats::unset(device, of.positions * shape.width),
       dweights = DeviceFloats::unset(device, of.positions);
  PpPoolGradient args{.kind = numberOf(op),
                      .sequences = of.count(),
                      .positions = of.positions,
                      .width = shape.width,
                      .offsets = of.here.data(),
                      .x = xHere.data(),
                      .weights = weightsHere.data(),
                      .dout = doutHere.data(),
                      .dx = dx.data(),
                      .dweights = op == PoolOp::kWeighted ? dweights.data() : nullptr};
  tensor::run({&device}, args);
  args.dx = added.data();
  args.accumulate = 1;
  args.dweights = nullptr;
  tensor::run({&device}, args);
  const Values weight = toDouble(weights), cotangent = toDouble(dout);
  const auto scalar = [&](const Values& at, const Values& by) {
    return innerProduct(cotangent, reference::pool(op, of.offsets, shape.width, at, by).value);
  };
  Exact expected =
      centralDifferences(toDouble(x), [&](const Values& at) { return scalar(at, weight); });
  measure.values("dx", dx.read(), expected);
  for (std::size_t i = 0; i < before.size(); ++i) expected.add(i, static_cast<double>(before[i]));
  measure.values("dx added", added.read(), expected);
  if (op != PoolOp::kWeighted) return;
  const Values exact = toDouble(x);
  measure.values("dweights", dweights.read(),
                 centralDifferences(weight, [&](const Values& at) { return scalar(exact, at); }));
}

void softmaxCase(const Device& device, std::int64_t count, float size, Measure& measure) {
  const SampleSequences of(device, count);
  const auto x = samples(72, of.positions, -size, size), dy = samples(73, of.positions);
  DeviceFloats xHere(device, x), dyHere(device, dy);
  auto y = DeviceFloats::unset(device, of.positions),
       dx = DeviceFloats::unset(device, of.positions);
  const tensor::Launch launch{&device};
  PpSoftmaxBySequence args{of.count(), of.positions, of.here.data(), xHere.data(), y.data()};
  tensor::run(launch, args);
  measure.values("y", y.read(), reference::softmaxBySequence(of.offsets, toDouble(x)));
  args.y = xHere.data();
  tensor::run(launch, args);
  measure.same("y in place of x", xHere.read(), y.read());
  PpSoftmaxBySequenceGradient ofGradient{of.count(), of.positions,  of.here.data(),
                                         y.data(),   dyHere.data(), dx.data()};
  tensor::run(launch, ofGradient);
  const Values cotangent = toDouble(dy);
  if (count <= 31)
    measure.values("dx", dx.read(), centralDifferences(toDouble(x), [&](const Values& at) {
                     return innerProduct(cotangent,
                                         reference::softmaxBySequence(of.offsets, at).value);
                   }));
  ofGradient.dx = dyHere.data();
  tensor::run(launch, ofGradient);
  measure.same("dx in place of dy", dyHere.read(), dx.read());
}

void scatterCase(const Device& device, Shape shape, Accumulate accumulate, Measure& measure) {
  const std::int64_t outRows = 41;
  const auto rows = sampleRows(74, shape.rows, outRows);
  const auto in = samples(75, shape.size()), before = samples(76, outRows * shape.width);
  const bool adds = accumulate == Accumulate::kYes;
  const DeviceFloats inHere(device, in);
  const DeviceInts rowsHere(device, rows);
  DeviceFloats out =
      adds ? DeviceFloats(device, before) : DeviceFloats::unset(device, outRows * shape.width);
  tensor::run({&device}, PpScatterRows{.outRows = outRows,
                                       .width = shape.width,
                                       .rows = rowsHere.data(),
                                       .count = std::ssize(rowsHere.span()),
                                       .in = inHere.data(),
                                       .accumulate = numberOf(accumulate),
                                       .out = out.data()});
  measure.values("out", out.read(),
                 reference::scatterRows(rows, shape.width, toDouble(in), outRows,
                                        adds ? toDouble(before) : Values{}));
}

constexpr std::pair<PoolOp, const char*> kPools[] = {{PoolOp::kSum, "sum"},
                                                     {PoolOp::kMean, "mean"},
                                                     {PoolOp::kLast, "last"},
                                                     {PoolOp::kWeighted, "weighted"}};

void addGradientsOfSequences(const Device& device, std::vector<Case>& cases) {
  for (const std::int64_t rows : {0, 1, 7, 31})
    for (const std::int64_t width : {1, 3, 16})
      for (const auto& [op, name] : kPools)
        cases.push_back(makeCase("poolGradient", fmt::format("{} {}×{}", name, rows, width),
                                 kGradientTolerance, [=, of = op](Measure& measure) {
                                   poolGradientCase(device, of, {rows, width}, measure);
                                 }));
  for (const std::int64_t rows : {0, 1, 7, 31, 1000})
    for (const float size : {1.0f, 80.0f})
      cases.push_back(makeCase(
          "softmaxBySequence", fmt::format("{} of size {}", rows, size), kGradientTolerance,
          [=](Measure& measure) { softmaxCase(device, rows, size, measure); }));
}

}  // namespace

void addSequenceCases(const Device& device, std::vector<Case>& cases) {
  const auto add = [&](const char* op, const std::string& variant, Shape shape, double terms,
                       auto body) {
    cases.push_back(makeCase(op, variant + shape.name(), terms * kUnit,
                             [=](Measure& measure) { body(shape, measure); }));
  };
  for (const Shape shape : oddShapes()) {
    const auto rows = static_cast<double>(shape.rows);
    for (const bool fromEnd : {false, true}) {
      const char* const variant = fromEnd ? "from the end " : "";
      add("addPositions", variant, shape, 2,
          [=](Shape s, Measure& measure) { positionsCase(device, fromEnd, s, measure); });
      add("addPositionsGradient", variant, shape, rows + 2,
          [=](Shape s, Measure& measure) { positionsGradientCase(device, fromEnd, s, measure); });
    }
    for (const auto& [op, name] : kPools)
      add("pool", fmt::format("{} ", name), shape, 9,
          [=, of = op](Shape s, Measure& measure) { poolCase(device, of, s, measure); });
    for (const Accumulate accumulate : {Accumulate::kNo, Accumulate::kYes})
      add("scatterRows", accumulate == Accumulate::kYes ? "added " : "", shape, rows + 2,
          [=](Shape s, Measure& measure) { scatterCase(device, s, accumulate, measure); });
  }
  // More rows than a device with little memory sorts at a time.
  add("scatterRows", "many ", {3001, 3}, 3003,
      [=](Shape s, Measure& measure) { scatterCase(device, s, Accumulate::kYes, measure); });
  addGradientsOfSequences(device, cases);
}

}  // namespace parapet::selftest
