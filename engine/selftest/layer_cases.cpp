// SPDX-License-Identifier: Apache-2.0
// Bags, crosses, interactions, products, mixtures, dropout and norms against their references, and derivatives against
// central differences of these.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/selftest/cases.h"
#include "engine/selftest/layer_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::CombinerOp;
using tensor::Device;
using tensor::SelfInteraction;
using Values = std::vector<double>;

Exact added(Exact exact, const std::vector<float>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) exact.add(i, static_cast<double>(before[i]));
  return exact;
}

/// Bags of 0 … 4 values, the first of which is value 7 of its batch.
std::vector<std::int32_t> bagOffsets(std::int64_t bags) {
  std::vector<std::int32_t> offsets{7};
  for (const std::int32_t count : sampleRows(31, bags, 5))
    offsets.push_back(offsets.back() + count);
  return offsets;
}

void bagCase(const Device& device, Shape shape, bool bags, bool scaled, Measure& measure) {
  const std::int64_t tableRows = 41;
  const auto offsets = bags ? bagOffsets(shape.rows) : std::vector<std::int32_t>{};
  const std::int64_t values = bags ? offsets.back() - offsets.front() : shape.rows;
  const auto table = samples(1, tableRows * shape.width), scales = samples(2, scaled ? values : 0);
  const auto rows = sampleRows(3, values, tableRows);
  const DeviceFloats tableHere(device, table), scalesHere(device, scales);
  const DeviceInts rowsHere(device, rows), offsetsHere(device, offsets);
  auto out = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpBagRows{.table = tableHere.data(),
                                   .tableRows = tableRows,
                                   .width = shape.width,
                                   .rows = rowsHere.data(),
                                   .offsets = bags ? offsetsHere.data() : nullptr,
                                   .scales = scaled ? scalesHere.data() : nullptr,
                                   .bags = shape.rows,
                                   .out = out.data()});
  measure.values("out", out.read(),
                 reference::bagRows(toDouble(table), shape.width, rows, offsets, toDouble(scales)));
}

void scalesCase(const Device& device, CombinerOp combiner, std::int64_t bags, bool weighted,
                Measure& measure) {
  const auto offsets = bagOffsets(bags);
  const std::int64_t values = offsets.back() - offsets.front();
  auto weights = samples(4, weighted ? values : 0, 0.0f, 3.0f);
  // A bag whose weights are all 0.
  for (std::int64_t b = 0; weighted && b < bags; b += 3)
    for (auto n = offsets[static_cast<std::size_t>(b)] - offsets[0];
         n < offsets[static_cast<std::size_t>(b) + 1] - offsets[0]; ++n)
      weights[static_cast<std::size_t>(n)] = 0.0f;
  const DeviceFloats weightsHere(device, weights);
  const DeviceInts offsetsHere(device, offsets);
  auto out = DeviceFloats::unset(device, values);
  tensor::run({&device}, PpBagScales{.combiner = numberOf(combiner),
                                     .offsets = offsetsHere.data(),
                                     .weights = weighted ? weightsHere.data() : nullptr,
                                     .bags = bags,
                                     .scales = out.data()});
  measure.values("scales", out.read(), reference::bagScales(combiner, offsets, toDouble(weights)));
}

void crossCase(const Device& device, Shape shape, float diagScale, Measure& measure) {
  const auto x0 = samples(5, shape.size()), x = samples(6, shape.size()),
             u = samples(7, shape.size());
  const DeviceFloats x0Here(device, x0), xHere(device, x), uHere(device, u);
  auto y = DeviceFloats::unset(device, shape.size());
  const tensor::Launch launch{&device};
  PpCross args{.rows = shape.rows,
               .width = shape.width,
               .x0 = x0Here.data(),
               .x = xHere.data(),
               .u = uHere.data(),
               .diagScale = diagScale,
               .y = y.data()};
  tensor::run(launch, args);
  const auto scale = static_cast<double>(diagScale);
  measure.values("y", y.read(), reference::cross(toDouble(x0), toDouble(x), toDouble(u), scale));
  args.x0 = xHere.data();
  tensor::run(launch, args);
  measure.values("y of x0 = x", y.read(),
                 reference::cross(toDouble(x), toDouble(x), toDouble(u), scale));
}

void crossGradientCase(const Device& device, Shape shape, float diagScale, Measure& measure) {
  const auto x0 = samples(5, shape.size()), x = samples(6, shape.size()),
             u = samples(7, shape.size()), dy = samples(8, shape.size()),
             before = samples(9, shape.size());
  const DeviceFloats x0Here(device, x0), xHere(device, x), uHere(device, u), dyHere(device, dy);
  auto dx0 = DeviceFloats::unset(device, shape.size());
  auto du = DeviceFloats::unset(device, shape.size());
  DeviceFloats dx(device, before), together(device, before);
  const tensor::Launch launch{&device};
  PpCrossGradient args{.rows = shape.rows,
                       .width = shape.width,
                       .x0 = x0Here.data(),
                       .x = xHere.data(),
                       .u = uHere.data(),
                       .diagScale = diagScale,
                       .dy = dyHere.data(),
                       .dx0 = dx0.data(),
                       .dx = dx.data(),
                       .accumulateX = 1,
                       .du = du.data()};
  tensor::run(launch, args);
  args.x0 = xHere.data();
  args.dx0 = args.dx = together.data();
  args.accumulateX0 = 1;
  args.du = nullptr;
  tensor::run(launch, args);
  const Values x0Exact = toDouble(x0), xExact = toDouble(x), uExact = toDouble(u),
               cotangent = toDouble(dy);
  const auto f = [&](const Values& left, const Values& middle, const Values& right) {
    return innerProduct(
        cotangent, reference::cross(left, middle, right, static_cast<double>(diagScale)).value);
  };
  measure.values("dx0", dx0.read(), centralDifferences(x0Exact, [&](const Values& at) {
                   return f(at, xExact, uExact);
                 }));
  measure.values(
      "dx", dx.read(),
      added(centralDifferences(xExact, [&](const Values& at) { return f(x0Exact, at, uExact); }),
            before));
  measure.values("du", du.read(), centralDifferences(uExact, [&](const Values& at) {
                   return f(x0Exact, xExact, at);
                 }));
  measure.values(
      "dx of x0 = x", together.read(),
      added(centralDifferences(xExact, [&](const Values& at) { return f(at, at, uExact); }),
            before));
}

/// The parts of an interaction, here and on the device.
struct Parts {
  std::vector<std::vector<float>> values;
  std::vector<DeviceFloats> held;
  std::vector<const float*> data;

  Parts(const Device& device, Shape shape, std::size_t count) {
    for (std::size_t part = 0; part < count; ++part) {
      values.push_back(samples(10 + part, shape.size()));
      held.emplace_back(device, values.back());
    }
    for (const DeviceFloats& part : held) data.push_back(part.data());
  }
  [[nodiscard]] std::vector<Values> references() const {
    std::vector<Values> references;
    for (const auto& part : values) references.push_back(toDouble(part));
    return references;
  }
};

/// Gradients of the parts on the device: the first is not wanted, the last one is added.
struct PartGradients {
  std::vector<float> before;
  std::vector<DeviceFloats> held;
  std::vector<float*> data;
  std::vector<std::int32_t> accumulate;

  PartGradients(const Device& device, Shape shape, std::size_t count, std::uint64_t stream)
      : before(samples(stream, shape.size())), accumulate(count, 0) {
    accumulate.back() = 1;
    for (const std::int32_t adds : accumulate)
      held.push_back(adds ? DeviceFloats(device, before)
                          : DeviceFloats::unset(device, shape.size()));
    for (DeviceFloats& gradient : held) data.push_back(data.empty() ? nullptr : gradient.data());
  }
  /// Against differences of f, a function of the parts.
  template <class Function>
  void compare(Measure& measure, std::vector<Values> parts, const Function& f) const {
    for (std::size_t part = 1; part < parts.size(); ++part) {
      const Values original = parts[part];
      const Exact expected = centralDifferences(original, [&](const Values& at) {
        parts[part] = at;
        return f(parts);
      });
      parts[part] = original;
      measure.values(fmt::format("gradient {}", part), held[part].read(),
                     accumulate[part] ? added(expected, before) : expected);
    }
  }
};

Exact interactionOf(std::int64_t width, const std::vector<Values>& parts, SelfInteraction self) {
  return reference::dotInteraction(width, {parts.begin(), parts.end()}, self);
}

void interactionCase(const Device& device, Shape shape, std::size_t count, SelfInteraction self,
                     Measure& measure) {
  const Parts parts(device, shape, count);
  const Exact expected = interactionOf(shape.width, parts.references(), self);
  auto out = DeviceFloats::unset(device, static_cast<std::int64_t>(expected.value.size()));
  tensor::run({&device}, PpDotInteraction{.rows = shape.rows,
                                          .width = shape.width,
                                          .parts = static_cast<std::int32_t>(count),
                                          .self = numberOf(self),
                                          .in = parts.data.data(),
                                          .out = out.data()});
  measure.values("out", out.read(), expected);
}

void interactionGradientCase(const Device& device, Shape shape, std::size_t count,
                             SelfInteraction self, Measure& measure) {
  const Parts parts(device, shape, count);
  const auto pairs = tensor::interactionWidth(static_cast<std::int64_t>(count), self);
  const auto dout = samples(20, shape.rows * pairs);
  const DeviceFloats doutHere(device, dout);
  PartGradients gradients(device, shape, count, 21);
  tensor::run({&device}, PpDotInteractionGradient{.rows = shape.rows,
                                                  .width = shape.width,
                                                  .parts = static_cast<std::int32_t>(count),
                                                  .self = numberOf(self),
                                                  .in = parts.data.data(),
                                                  .dout = doutHere.data(),
                                                  .dIn = gradients.data.data(),
                                                  .accumulate = gradients.accumulate.data()});
  const Values cotangent = toDouble(dout);
  gradients.compare(measure, parts.references(), [&](const std::vector<Values>& of) {
    return innerProduct(cotangent, interactionOf(shape.width, of, self).value);
  });
}

void multiplyCase(const Device& device, Shape shape, Measure& measure) {
  const auto x = samples(26, shape.size()), y = samples(27, shape.size());
  DeviceFloats xHere(device, x), yHere(device, y);
  auto z = DeviceFloats::unset(device, shape.size());
  PpMultiply args{.rows = shape.rows,
                  .width = shape.width,
                  .x = xHere.data(),
                  .y = yHere.data(),
                  .z = z.data()};
  tensor::run({&device}, args);
  const auto apart = z.read();
  measure.values("z", apart, reference::multiply(toDouble(x), toDouble(y)));
  args.z = yHere.data();
  tensor::run({&device}, args);
  measure.same("z in place of y", yHere.read(), apart);
}

void multiplyGradientCase(const Device& device, Shape shape, Measure& measure) {
  const auto x = samples(26, shape.size()), y = samples(27, shape.size()),
             dz = samples(28, shape.size()), before = samples(29, shape.size());
  const DeviceFloats xHere(device, x), yHere(device, y), dzHere(device, dz);
  auto dx = DeviceFloats::unset(device, shape.size());
  DeviceFloats dy(device, before);
  PpMultiplyGradient args{.rows = shape.rows,
                          .width = shape.width,
                          .x = xHere.data(),
                          .y = yHere.data(),
                          .dz = dzHere.data(),
                          .dx = dx.data(),
                          .dy = dy.data(),
                          .accumulateY = 1};
  tensor::run({&device}, args);
  const auto both = dx.read();
  const Values xExact = toDouble(x), yExact = toDouble(y), cotangent = toDouble(dz);
  measure.values("dx", both, centralDifferences(xExact, [&](const Values& at) {
                   return innerProduct(cotangent, reference::multiply(at, yExact).value);
                 }));
  measure.values("dy", dy.read(),
                 added(centralDifferences(yExact,
                                          [&](const Values& at) {
                                            return innerProduct(
                                                cotangent, reference::multiply(xExact, at).value);
                                          }),
                       before));
  args.dy = nullptr;
  tensor::run({&device}, args);
  measure.same("dx alone", dx.read(), both);
}

Exact mixtureOf(std::int64_t width, const std::vector<Values>& parts, const Values& logits) {
  return reference::mixture(width, {parts.begin(), parts.end()}, logits);
}

void mixtureCase(const Device& device, Shape shape, std::size_t count, Measure& measure) {
  const Parts parts(device, shape, count);
  const auto logits = samples(30, shape.rows * static_cast<std::int64_t>(count), -6.0f, 6.0f);
  const DeviceFloats logitsHere(device, logits);
  auto out = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpMixture{.rows = shape.rows,
                                   .width = shape.width,
                                   .parts = static_cast<std::int32_t>(count),
                                   .in = parts.data.data(),
                                   .logits = logitsHere.data(),
                                   .out = out.data()});
  measure.values("out", out.read(), mixtureOf(shape.width, parts.references(), toDouble(logits)));
}

void mixtureGradientCase(const Device& device, Shape shape, std::size_t count, Measure& measure) {
  const Parts parts(device, shape, count);
  const auto logits = samples(30, shape.rows * static_cast<std::int64_t>(count)),
             dout = samples(31, shape.size());
  const DeviceFloats logitsHere(device, logits), doutHere(device, dout);
  auto dLogits = DeviceFloats::unset(device, shape.rows * static_cast<std::int64_t>(count));
  PartGradients gradients(device, shape, count, 32);
  tensor::run({&device}, PpMixtureGradient{.rows = shape.rows,
                                           .width = shape.width,
                                           .parts = static_cast<std::int32_t>(count),
                                           .in = parts.data.data(),
                                           .logits = logitsHere.data(),
                                           .dout = doutHere.data(),
                                           .dIn = gradients.data.data(),
                                           .accumulate = gradients.accumulate.data(),
                                           .dLogits = dLogits.data()});
  const std::vector<Values> references = parts.references();
  const Values cotangent = toDouble(dout), logitsExact = toDouble(logits);
  measure.values("dLogits", dLogits.read(), centralDifferences(logitsExact, [&](const Values& at) {
                   return innerProduct(cotangent, mixtureOf(shape.width, references, at).value);
                 }));
  gradients.compare(measure, references, [&](const std::vector<Values>& of) {
    return innerProduct(cotangent, mixtureOf(shape.width, of, logitsExact).value);
  });
}

void dropoutCase(const Device& device, std::int64_t count, double rate, Measure& measure) {
  constexpr std::uint64_t kKey = 0x0123456789abcdefull;
  const std::int64_t first = (std::int64_t{1} << 33) + 5;
  const auto x = samples(22, count, 0.5f, 1.0f);
  DeviceFloats here(device, x);
  auto out = DeviceFloats::unset(device, count);
  const tensor::Launch launch{&device};
  const tensor::Dropping dropping = tensor::droppingAt(rate);
  PpDropout args{.count = count,
                 .x = here.data(),
                 .key = kKey,
                 .first = static_cast<std::uint64_t>(first),
                 .dropBelow = dropping.below,
                 .scale = dropping.keptScale,
                 .y = out.data()};
  tensor::run(launch, args);
  measure.values("y", out.read(), reference::dropout(toDouble(x), rate, kKey, first));
  const auto whole = out.read();
  const auto dropped = static_cast<double>(std::count(whole.begin(), whole.end(), 0.0f));
  const double expected = rate * static_cast<double>(count);
  // Five standard deviations of a binomial.
  measure.require(std::abs(dropped - expected) <= 5.0 * std::sqrt(expected * (1.0 - rate)),
                  fmt::format("{} of {} are dropped", dropped, count));
  // In place, and in two pieces: what is dropped depends on the element's position alone. The key
  // of the second lies in memory.
  const std::int64_t half = count / 2;
  const DeviceArray<std::uint64_t> keyHere(device, {kKey});
  args.count = half;
  args.y = here.data();
  tensor::run(launch, args);
  args.count = count - half;
  args.x = args.y = here.data() + half;
  args.first += static_cast<std::uint64_t>(half);
  args.key = 0;
  args.keyAt = keyHere.data();
  tensor::run(launch, args);
  measure.same("y of two pieces", here.read(), whole);
}

void signedLogCase(const Device& device, std::int64_t count, Measure& measure) {
  const auto x = samples(23, count, -20.0f, 20.0f);
  DeviceFloats here(device, x);
  auto out = DeviceFloats::unset(device, count);
  tensor::run({&device}, PpSignedLog{count, here.data(), out.data()});
  measure.values("y", out.read(), reference::signedLog(toDouble(x)));
}

void quantileCase(const Device& device, std::int64_t count, Measure& measure) {
  // Below the first knot, on knots, on a run of equal ones, between them, above the last.
  const std::vector<float> knots{-10.0f, -3.0f, -3.0f, -3.0f, 0.5f, 8.0f};
  auto x = samples(25, count, -12.0f, 12.0f);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = knots[i / 3 % knots.size()];
  DeviceFloats here(device, x);
  const DeviceFloats values(device, knots);
  auto out = DeviceFloats::unset(device, count);
  tensor::run({&device}, PpQuantile{.count = count,
                                    .knots = static_cast<std::int64_t>(knots.size()),
                                    .x = here.data(),
                                    .values = values.data(),
                                    .y = out.data()});
  measure.values("y", out.read(), reference::quantile(toDouble(x), toDouble(knots)));
}

}  // namespace

void addLayerCases(const Device& device, std::vector<Case>& cases) {
  const auto add = [&cases](const char* op, const std::string& variant, double tolerance,
                            std::function<void(Measure&)> body) {
    cases.push_back(makeCase(op, variant, tolerance, std::move(body)));
  };
  for (const Shape shape : oddShapes()) {
    for (const bool bags : {false, true})
      for (const bool scaled : {false, true})
        add("bagRows", shape.name() + (bags ? " bags" : "") + (scaled ? " scaled" : ""), 6 * kUnit,
            [=](Measure& measure) { bagCase(device, shape, bags, scaled, measure); });
    for (const float diagScale : {0.0f, 0.5f})
      add("cross", fmt::format("{} diagonal {}", shape.name(), diagScale), 4 * kUnit,
          [=](Measure& measure) { crossCase(device, shape, diagScale, measure); });
    add("multiply", shape.name(), kUnit,
        [=](Measure& measure) { multiplyCase(device, shape, measure); });
    // The logits are rounded when the greatest is taken off: up to 12 · 2⁻²⁴ of a power.
    for (const std::size_t parts : {1, 3})
      add("mixture", fmt::format("{} of {}", parts, shape.name()), 24 * kUnit,
          [=](Measure& measure) { mixtureCase(device, shape, parts, measure); });
    for (const auto self : {SelfInteraction::kNo, SelfInteraction::kYes})
      for (const std::size_t parts : {2, 5})
        add("dotInteraction",
            fmt::format("{} of {}{}", parts, shape.name(),
                        self == SelfInteraction::kYes ? " self" : ""),
            static_cast<double>(shape.width + 1) * kUnit,
            [=](Measure& measure) { interactionCase(device, shape, parts, self, measure); });
  }
  for (const auto combiner : {CombinerOp::kMean, CombinerOp::kSum, CombinerOp::kSqrtn})
    for (const std::int64_t bags : {0, 1, 7, 1000})
      for (const bool weighted : {false, true})
        add("bagScales",
            fmt::format("{} {}{}", static_cast<int>(combiner), bags, weighted ? " weighted" : ""),
            kUnit,
            [=](Measure& measure) { scalesCase(device, combiner, bags, weighted, measure); });
  for (const std::int64_t count : {0, 1, 7, 1000, 200'000}) {
    // 1/(1 − rate) and the product are a rounding each.
    for (const double rate : {0.0, 0.1, 0.5})
      add("dropout", fmt::format("{} rate {}", count, rate), 2 * kUnit,
          [=](Measure& measure) { dropoutCase(device, count, rate, measure); });
    add("signedLog", fmt::format("{}", count), 4 * kUnit,
        [=](Measure& measure) { signedLogCase(device, count, measure); });
    // Four roundings, of numbers up to three times as large as the interval between two knots.
    add("quantile", fmt::format("{}", count), 16 * kUnit,
        [=](Measure& measure) { quantileCase(device, count, measure); });
  }
  // Wider than any buffer of a row of all parts.
  const Shape wide{1, 8200};
  add("dotInteraction", "2 of " + wide.name(), static_cast<double>(wide.width + 1) * kUnit,
      [=](Measure& measure) { interactionCase(device, wide, 2, SelfInteraction::kNo, measure); });
  add("dotInteractionGradient", "2 of " + wide.name(), kGradientTolerance, [=](Measure& measure) {
    interactionGradientCase(device, wide, 2, SelfInteraction::kNo, measure);
  });
  // A model may have at most this many parts.
  constexpr std::size_t kMaxParts = 512;
  const Shape narrow{2, 1};
  add("dotInteraction", fmt::format("{} of {}", kMaxParts, narrow.name()), 2 * kUnit,
      [=](Measure& measure) {
        interactionCase(device, narrow, kMaxParts, SelfInteraction::kNo, measure);
      });
  for (const std::int64_t rows : {0, 1, 7, 31})
    for (const std::int64_t width : {1, 3, 16}) {
      const Shape shape{rows, width};
      add("multiplyGradient", shape.name(), kGradientTolerance,
          [=](Measure& measure) { multiplyGradientCase(device, shape, measure); });
      add("mixtureGradient", "3 of " + shape.name(), kGradientTolerance,
          [=](Measure& measure) { mixtureGradientCase(device, shape, 3, measure); });
      for (const float diagScale : {0.0f, 0.5f})
        add("crossGradient", fmt::format("{} diagonal {}", shape.name(), diagScale),
            kGradientTolerance,
            [=](Measure& measure) { crossGradientCase(device, shape, diagScale, measure); });
      for (const auto self : {SelfInteraction::kNo, SelfInteraction::kYes})
        add("dotInteractionGradient",
            fmt::format("4 of {}{}", shape.name(), self == SelfInteraction::kYes ? " self" : ""),
            kGradientTolerance,
            [=](Measure& measure) { interactionGradientCase(device, shape, 4, self, measure); });
    }
}

}  // namespace parapet::selftest
