// SPDX-License-Identifier: Apache-2.0
// Norms against their reference implementations, and their derivatives against central differences
// of these.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "engine/selftest/cases.h"
#include "engine/selftest/layer_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::selftest {
namespace {

using tensor::Device;
using Values = std::vector<double>;

/// The input of a norm, around a mean that is not 0.
struct Input {
  std::vector<float> x, gamma, beta, dy;
  float epsilon;
  DeviceFloats xHere, gammaHere, betaHere, dyHere;

  Input(const Device& device, Shape shape, float epsilonOf)
      : x(samples(1, shape.size(), 1.0f, 3.0f)),
        gamma(samples(2, shape.width)),
        beta(samples(3, shape.width)),
        dy(samples(4, shape.size())),
        epsilon(epsilonOf),
        xHere(device, x),
        gammaHere(device, gamma),
        betaHere(device, beta),
        dyHere(device, dy) {}
};

/// y of a norm as a function of what it reads.
using Reference = std::function<Exact(const Values& x, const Values& gamma, const Values& beta)>;
/// The two norms have the same gradients to write.
using Gradient = void (*)(const tensor::Launch&, const PpLayerNormGradient&);

PpBatchNormGradient overBatch(const PpLayerNormGradient& args) {
  return {args.rows, args.width, args.x,      args.gamma, args.epsilon,
          args.dy,   args.dx,    args.dgamma, args.dbeta};
}

void layerNormCase(const Device& device, Shape shape, Measure& measure) {
  const Input in(device, shape, 1e-3f);
  auto y = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpLayerNorm{.rows = shape.rows,
                                     .width = shape.width,
                                     .x = in.xHere.data(),
                                     .gamma = in.gammaHere.data(),
                                     .beta = in.betaHere.data(),
                                     .epsilon = in.epsilon,
                                     .y = y.data()});
  measure.values("y", y.read(),
                 reference::layerNorm(shape.width, toDouble(in.x), toDouble(in.gamma),
                                      toDouble(in.beta), static_cast<double>(in.epsilon)));
}

Exact movedReference(const std::vector<float>& before, const Exact& now, double momentum) {
  Exact moved(before.size());
  for (std::size_t d = 0; d < before.size(); ++d) {
    moved.add(d, momentum * static_cast<double>(before[d]));
    moved.value[d] += (1.0 - momentum) * now.value[d];
    moved.magnitude[d] += (1.0 - momentum) * now.magnitude[d];
  }
  return moved;
}

void batchNormCase(const Device& device, Shape shape, Measure& measure) {
  const Input in(device, shape, 1e-3f);
  const float momentum = 0.75f;
  const auto mean = samples(5, shape.width), variance = samples(6, shape.width, 0.5f, 1.0f);
  DeviceFloats meanHere(device, mean), varianceHere(device, variance);
  auto y = DeviceFloats::unset(device, shape.size());
  const tensor::Launch launch{&device};
  PpBatchNorm args{.rows = shape.rows,
                   .width = shape.width,
                   .x = in.xHere.data(),
                   .gamma = in.gammaHere.data(),
                   .beta = in.betaHere.data(),
                   .epsilon = in.epsilon,
                   .momentum = momentum,
                   .movingMean = meanHere.data(),
                   .movingVariance = varianceHere.data(),
                   .y = y.data()};
  const Values x = toDouble(in.x), gamma = toDouble(in.gamma), beta = toDouble(in.beta);
  const auto epsilon = static_cast<double>(in.epsilon);

  tensor::run(launch, args);
  measure.values("y by moving statistics", y.read(),
                 reference::normalised(shape.width, x, gamma, beta, epsilon, toDouble(mean),
                                       toDouble(variance)));
  measure.same("moving mean, not moved", meanHere.read(), mean);
  measure.same("moving variance, not moved", varianceHere.read(), variance);
  if (shape.rows == 0) return;

  const auto expected = reference::batchNorm(shape.width, x, gamma, beta, epsilon);
  args.useBatch = 1;
  tensor::run(launch, args);
  measure.values("y", y.read(), expected.y);
  measure.values("moving mean", meanHere.read(),
                 movedReference(mean, expected.mean, static_cast<double>(momentum)));
  measure.values("moving variance", varianceHere.read(),
                 movedReference(variance, expected.variance, static_cast<double>(momentum)));
}

void gradientCase(const Device& device, Shape shape, const Reference& reference, Gradient gradient,
                  Measure& measure) {
  // A large ε keeps the third derivatives of the quotient small.
  Input in(device, shape, 0.25f);
  auto dx = DeviceFloats::unset(device, shape.size());
  auto dgamma = DeviceFloats::unset(device, shape.width);
  auto dbeta = DeviceFloats::unset(device, shape.width);
  const tensor::Launch launch{&device};
  PpLayerNormGradient args{.rows = shape.rows,
                           .width = shape.width,
                           .x = in.xHere.data(),
                           .gamma = in.gammaHere.data(),
                           .epsilon = in.epsilon,
                           .dy = in.dyHere.data(),
                           .dx = dx.data(),
                           .dgamma = dgamma.data(),
                           .dbeta = dbeta.data()};
  gradient(launch, args);
  const Values x = toDouble(in.x), gamma = toDouble(in.gamma), beta = toDouble(in.beta),
               cotangent = toDouble(in.dy);
  const auto f = [&](const Values& a, const Values& b, const Values& c) {
    const Exact y = reference(a, b, c);
    return std::inner_product(cotangent.begin(), cotangent.end(), y.value.begin(), 0.0);
  };
  measure.values("dx", dx.read(),
                 centralDifferences(x, [&](const Values& at) { return f(at, gamma, beta); }));
  measure.values("dgamma", dgamma.read(),
                 centralDifferences(gamma, [&](const Values& at) { return f(x, at, beta); }));
  measure.values("dbeta", dbeta.read(),
                 centralDifferences(beta, [&](const Values& at) { return f(x, gamma, at); }));
  args.dx = in.dyHere.data();
  args.dgamma = args.dbeta = nullptr;
  gradient(launch, args);
  measure.same("dx in place of dy", in.dyHere.read(), dx.read());
}

/// A batch whose rows lie in two memories: the sums of both are added up, and what comes out is
/// that of the batch in one.
class BatchInParts {
 public:
  BatchInParts(const Device& device, Shape shape)
      : launch_{&device}, shape_(shape), sums_(device, 2 * 6 * shape.width) {}

  /// Calls body(first row, rows) for both parts.
  template <class Body>
  void forParts(const Body& body) {
    const std::int64_t first = shape_.rows / 3;
    body(0, first);
    body(first, shape_.rows - first);
  }
  /// The sums that body(first row, rows, sums) writes for the parts, added up: [count] from `slot` on.
  template <class Body>
  void addUp(std::int64_t slot, std::int64_t count, const Body& body) {
    int part = 0;
    forParts([&](std::int64_t row, std::int64_t rows) { body(row, rows, sums(part++, slot)); });
    std::vector<double> total(static_cast<std::size_t>(count)), other = total;
    const std::uint64_t bytes = total.size() * sizeof(double);
    launch_.device->copyOut(total.data(), sums(0, slot), bytes);
    launch_.device->copyOut(other.data(), sums(1, slot), bytes);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += other[i];
    launch_.device->copyIn(sums(0, slot), total.data(), bytes);
  }
  void addMoments(const float* x) {
    for (const bool second : {false, true})
      addUp(second ? 1 : 0, shape_.width, [&](std::int64_t row, std::int64_t rows, double* out) {
        tensor::run(launch_, PpBatchMoments{.rows = rows,
                                            .width = shape_.width,
                                            .batchRows = shape_.rows,
                                            .x = x + row * shape_.width,
                                            .center = second ? s1() : nullptr,
                                            .sums = out});
      });
  }
  [[nodiscard]] const double* s1() { return sums(0, 0); }
  [[nodiscard]] const double* s2() { return sums(0, 1); }
  [[nodiscard]] double* sums(int part, std::int64_t slot) {
    return sums_.data() + (part * 6 + slot) * shape_.width;
  }

 private:
  const tensor::Launch launch_;
  const Shape shape_;
  tensor::Buffer<double> sums_;
};

void batchNormInPartsCase(const Device& device, Shape shape, Measure& measure) {
  const Input in(device, shape, 1e-3f);
  const std::int64_t width = shape.width;
  const float momentum = 0.75f;
  const auto mean = samples(5, width), variance = samples(6, width, 0.5f, 1.0f);
  auto y = DeviceFloats::unset(device, shape.size());
  BatchInParts parts(device, shape);
  parts.addMoments(in.xHere.data());
  const Values x = toDouble(in.x), gamma = toDouble(in.gamma), beta = toDouble(in.beta);
  const auto expected =
      reference::batchNorm(width, x, gamma, beta, static_cast<double>(in.epsilon));
  parts.forParts([&](std::int64_t row, std::int64_t rows) {
    DeviceFloats meanHere(device, mean), varianceHere(device, variance);
    tensor::run({&device}, PpBatchNormOfMoments{.rows = rows,
                                                .width = width,
                                                .batchRows = shape.rows,
                                                .x = in.xHere.data() + row * width,
                                                .gamma = in.gammaHere.data(),
                                                .beta = in.betaHere.data(),
                                                .epsilon = in.epsilon,
                                                .momentum = momentum,
                                                .s1 = parts.s1(),
                                                .s2 = parts.s2(),
                                                .movingMean = meanHere.data(),
                                                .movingVariance = varianceHere.data(),
                                                .y = y.data() + row * width});
    measure.values("moving mean", meanHere.read(),
                   movedReference(mean, expected.mean, static_cast<double>(momentum)));
    measure.values("moving variance", varianceHere.read(),
                   movedReference(variance, expected.variance, static_cast<double>(momentum)));
  });
  measure.values("y", y.read(), expected.y);
}

/// The gradient of a batch norm whose rows lie in two memories.
void gradientInParts(const tensor::Launch& launch, const PpLayerNormGradient& of) {
  constexpr std::int64_t kSums = 2;
  const Device& device = *launch.device;
  const std::int64_t width = of.width;
  BatchInParts parts(device, {of.rows, width});
  parts.addMoments(of.x);
  std::vector<DeviceFloats> ofParts;
  for (int i = 0; i < 4; ++i) ofParts.push_back(DeviceFloats::unset(device, width));
  std::size_t part = 0;
  parts.addUp(kSums, 2 * width, [&](std::int64_t row, std::int64_t count, double* sums) {
    tensor::run(launch, PpBatchNormGradientSums{.rows = count,
                                                .width = width,
                                                .batchRows = of.rows,
                                                .x = of.x + row * width,
                                                .epsilon = of.epsilon,
                                                .s1 = parts.s1(),
                                                .s2 = parts.s2(),
                                                .dy = of.dy + row * width,
                                                .sums = sums,
                                                .dgamma = ofParts[part].data(),
                                                .dbeta = ofParts[part + 2].data()});
    ++part;
  });
  for (const auto& [out, first] :
       {std::pair{of.dgamma, std::size_t{0}}, std::pair{of.dbeta, std::size_t{2}}})
    if (out) {
      const float* const added[] = {ofParts[first].data(), ofParts[first + 1].data()};
      tensor::run(launch, PpSumParts{.count = width, .parts = 2, .in = added, .out = out});
    }
  parts.forParts([&](std::int64_t row, std::int64_t count) {
    tensor::run(launch, PpBatchNormGradientOfSums{.rows = count,
                                                  .width = width,
                                                  .batchRows = of.rows,
                                                  .x = of.x + row * width,
                                                  .gamma = of.gamma,
                                                  .epsilon = of.epsilon,
                                                  .s1 = parts.s1(),
                                                  .s2 = parts.s2(),
                                                  .dy = of.dy + row * width,
                                                  .sums = parts.sums(0, kSums),
                                                  .dx = of.dx + row * width});
  });
}

/// Row 0 is zero, row 1 shorter than epsilon allows.
void l2NormalizeCase(const Device& device, Shape shape, Measure& measure) {
  constexpr float kEpsilon = 1e-4f;
  std::vector<float> x = samples(7, shape.size());
  for (std::int64_t i = 0; i < std::min<std::int64_t>(shape.size(), 2 * shape.width); ++i)
    x[static_cast<std::size_t>(i)] *= i < shape.width ? 0.0f : 1e-4f;
  const std::vector<float> dy = samples(8, shape.size());
  const DeviceFloats xHere(device, x);
  DeviceFloats dyHere(device, dy);
  auto y = DeviceFloats::unset(device, shape.size()),
       dx = DeviceFloats::unset(device, shape.size());
  const auto width = static_cast<std::size_t>(shape.width);
  const auto normalised = [&](const Values& at) {
    Exact out(at.size());
    for (std::size_t row = 0; row < at.size(); row += width) {
      double squares = 0.0;
      for (std::size_t d = 0; d < width; ++d) squares += at[row + d] * at[row + d];
      const double norm = std::sqrt(std::max(squares, static_cast<double>(kEpsilon)));
      for (std::size_t d = 0; d < width; ++d) {
        out.value[row + d] = at[row + d] / norm;
        out.magnitude[row + d] = std::abs(out.value[row + d]);
      }
    }
    return out;
  };
  tensor::run({&device}, PpL2Normalize{.rows = shape.rows,
                                       .width = shape.width,
                                       .x = xHere.data(),
                                       .epsilon = kEpsilon,
                                       .y = y.data()});
  measure.values("y", y.read(), normalised(toDouble(x)));
  if (shape.rows > 31) return;
  PpL2NormalizeGradient args{.rows = shape.rows,
                             .width = shape.width,
                             .x = xHere.data(),
                             .epsilon = kEpsilon,
                             .dy = dyHere.data(),
                             .dx = dx.data()};
  tensor::run({&device}, args);
  const Values cotangent = toDouble(dy);
  measure.values("dx", dx.read(), centralDifferences(toDouble(x), [&](const Values& at) {
                   const Exact out = normalised(at);
                   return innerProduct(cotangent, out.value);
                 }));
  args.dx = dyHere.data();
  tensor::run({&device}, args);
  measure.same("dx in place of dy", dyHere.read(), dx.read());
}

}  // namespace

void addNormCases(const Device& device, std::vector<Case>& cases) {
  // Statistics are in double precision; the normalised value is a few roundings of its terms.
  constexpr double kTolerance = 8 * kUnit;
  for (const Shape shape : oddShapes()) {
    cases.push_back(makeCase("layerNorm", shape.name(), kTolerance,
                             [=](Measure& measure) { layerNormCase(device, shape, measure); }));
    cases.push_back(makeCase("batchNorm", shape.name(), kTolerance,
                             [=](Measure& measure) { batchNormCase(device, shape, measure); }));
    if (shape.rows > 0)
      cases.push_back(
          makeCase("batchNormOfMoments", shape.name(), kTolerance,
                   [=](Measure& measure) { batchNormInPartsCase(device, shape, measure); }));
  }
  for (const Shape shape : oddShapes())
    cases.push_back(makeCase("l2Normalize", shape.name(), kGradientTolerance,
                             [=](Measure& measure) { l2NormalizeCase(device, shape, measure); }));
  for (const std::int64_t rows : {0, 1, 7, 31})
    for (const std::int64_t width : {1, 3, 17}) {
      const Shape shape{rows, width};
      const Reference layer = [=](const Values& x, const Values& gamma, const Values& beta) {
        return reference::layerNorm(width, x, gamma, beta, 0.25);
      };
      const Reference batch = [=](const Values& x, const Values& gamma, const Values& beta) {
        return reference::batchNorm(width, x, gamma, beta, 0.25).y;
      };
      cases.push_back(
          makeCase("layerNormGradient", shape.name(), kGradientTolerance, [=](Measure& measure) {
            gradientCase(
                device, shape, layer,
                [](const tensor::Launch& launch, const PpLayerNormGradient& args) {
                  tensor::run(launch, args);
                },
                measure);
          }));
      if (rows == 0) continue;
      cases.push_back(
          makeCase("batchNormGradient", shape.name(), kGradientTolerance, [=](Measure& measure) {
            gradientCase(
                device, shape, batch,
                [](const tensor::Launch& launch, const PpLayerNormGradient& args) {
                  tensor::run(launch, overBatch(args));
                },
                measure);
          }));
      cases.push_back(makeCase(
          "batchNormGradientOfSums", shape.name(), kGradientTolerance,
          [=](Measure& measure) { gradientCase(device, shape, batch, gradientInParts, measure); }));
    }
}

}  // namespace parapet::selftest
