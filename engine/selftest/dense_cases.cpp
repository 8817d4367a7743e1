// SPDX-License-Identifier: Apache-2.0
// Products, activations, scores and the loss. A sum of n products in f32 errs by at most n + 1
// roundings of Σ|terms|, in any order; a library function by a few.
#include <fmt/format.h>

#include <limits>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Accumulate;
using tensor::ActivationOp;
using tensor::Device;
using tensor::Epilogue;

// exp, tanh and erf of f32 are good to 2 units in the last place (4 roundings); the sums and
// products around them and the rounded argument cost as much again, twice.
constexpr double kActivationTolerance = 16 * kUnit;

constexpr ActivationOp kActivations[] = {
    ActivationOp::kLinear, ActivationOp::kRelu,     ActivationOp::kTanh, ActivationOp::kSigmoid,
    ActivationOp::kGelu,   ActivationOp::kGeluTanh, ActivationOp::kSilu};
constexpr const char* kActivationNames[] = {"linear", "relu",      "tanh", "sigmoid",
                                            "gelu",   "gelu_tanh", "silu"};
const char* activationName(ActivationOp op) {
  return kActivationNames[static_cast<std::size_t>(op)];
}

struct Product {
  std::int64_t m, n, k;
  bool transposeA, transposeB;
  float beta;
  std::int64_t gap;  ///< by how much strides exceed their rows
  tensor::Precision precision;

  [[nodiscard]] std::string name() const {
    return fmt::format("{}·{} {}×{}×{} β={}{}{}", transposeA ? "aᵀ" : "a", transposeB ? "bᵀ" : "b",
                       m, n, k, beta, gap ? " strided" : "",
                       precision == tensor::Precision::kBf16   ? " bf16"
                       : precision == tensor::Precision::kTf32 ? " tf32"
                                                               : "");
  }
  /// Roundings of the sum, and in TF32 those of both operands, which may be cut off.
  [[nodiscard]] double tolerance() const {
    return static_cast<double>(k + 2) * kUnit +
           (precision == tensor::Precision::kTf32 ? 2.0 * 0x1p-10 : 0.0);
  }
};

/// Operands of a product, with what its sums come to.
struct ProductSample {
  Product p;
  std::int64_t strideA, strideB, strideC;
  std::vector<float> a, b, c;
  Exact expected;

  ProductSample(const Product& of, std::uint64_t seed)
      : p(of),
        strideA((p.transposeA ? p.m : p.k) + p.gap),
        strideB((p.transposeB ? p.k : p.n) + p.gap),
        strideC(p.n + p.gap),
        a(samples(seed, (p.transposeA ? p.k : p.m) * strideA)),
        b(samples(seed + 1, (p.transposeB ? p.n : p.k) * strideB)),
        c(samples(seed + 2, p.m * strideC)) {
    const bool rounds = p.precision == tensor::Precision::kBf16;
    const auto aExact = rounds ? reference::toBf16(a) : toDouble(a);
    const auto bExact = rounds ? reference::toBf16(b) : toDouble(b);
    expected = reference::matmul(p.m, p.n, p.k, {aExact, strideA, p.transposeA},
                                 {bExact, strideB, p.transposeB}, static_cast<double>(p.beta),
                                 toDouble(c), strideC);
    // β = 0 must not read c: memory that was never written may hold NaN.
    if (p.beta == 0.0f)
      for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j)
          c[static_cast<std::size_t>(i * strideC + j)] = std::numeric_limits<float>::quiet_NaN();
  }

  void run(const Device& device, const Epilogue& epilogue, Measure& measure) const {
    const DeviceFloats aHere(device, a), bHere(device, b);
    DeviceFloats cHere(device, c);
    tensor::run({&device, nullptr, p.precision},
                PpMatmul{.m = p.m,
                         .n = p.n,
                         .k = p.k,
                         .transposeA = p.transposeA ? 1 : 0,
                         .transposeB = p.transposeB ? 1 : 0,
                         .a = aHere.data(),
                         .strideA = strideA,
                         .b = bHere.data(),
                         .strideB = strideB,
                         .beta = p.beta,
                         .c = cHere.data(),
                         .strideC = strideC,
                         .bias = epilogue.bias,
                         .activation = numberOf(epilogue.activation)});
    measure.values("c", cHere.read(), expected);
  }
};

void productCase(const Device& device, const Product& product, Measure& measure) {
  ProductSample(product, 1).run(device, {}, measure);
}

void addProducts(const Device& device, std::vector<Case>& cases) {
  struct Size {
    std::int64_t m, n, k;
  };
  // 257 rows cross a row block, k = 0 leaves β·c alone, 1000 is a batch in either role; 640 columns
  // of as many products are cut into blocks of columns.
  for (const auto [m, n, k] :
       {Size{0, 3, 5}, Size{1, 1, 1}, Size{3, 7, 1}, Size{5, 4, 0}, Size{4, 0, 3}, Size{1, 33, 16},
        Size{7, 1, 64}, Size{31, 16, 33}, Size{257, 3, 3}, Size{1000, 64, 33}, Size{33, 64, 1000},
        Size{70, 640, 97}})
    for (const bool transposeA : {false, true})
      for (const bool transposeB : {false, true})
        for (const float beta : {0.0f, 1.0f, 0.5f})
          for (const std::int64_t gap : {0, 3})
            for (const auto precision :
                 {tensor::Precision::kFp32, tensor::Precision::kBf16, tensor::Precision::kTf32}) {
              if (!device.supports({PARAPET_OP(matmul), n, precision})) continue;
              const Product product{m, n, k, transposeA, transposeB, beta, gap, precision};
              cases.push_back(
                  makeCase("matmul", product.name(), product.tolerance(),
                           [=](Measure& measure) { productCase(device, product, measure); }));
            }
}

struct FinishedProduct {
  Product product;
  ActivationOp activation;
  bool hasBias;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} {}{}", activationName(activation), hasBias ? "bias " : "",
                       product.name());
  }
};

// The activation of the exact sums, whose slope is at most 1.13: what the sums err by, by their
// terms, and what the function does.
void finishedProductCase(const Device& device, const FinishedProduct& of, Measure& measure) {
  ProductSample sample(of.product, 20);
  const auto bias = samples(23, of.hasBias ? of.product.n : 0);
  reference::finish(of.activation, of.product.n, sample.strideC, toDouble(bias), sample.expected);
  const DeviceFloats biasHere(device, bias);
  sample.run(device, {of.hasBias ? biasHere.data() : nullptr, of.activation}, measure);
}

void addFinishedProducts(const Device& device, std::vector<Case>& cases) {
  struct Size {
    std::int64_t m, n, k;
  };
  // Products with a vector, tails of all three, no depth, a depth that a GPU cuts in parts, and
  // blocks of rows.
  for (const auto [m, n, k] : {Size{0, 3, 5}, Size{1, 33, 16}, Size{7, 1, 64}, Size{5, 4, 0},
                               Size{31, 16, 33}, Size{9, 45, 600}, Size{257, 66, 5}})
    for (const ActivationOp activation : kActivations)
      for (const bool hasBias : {false, true})
        for (const float beta : {0.0f, 0.5f})
          for (const auto precision :
               {tensor::Precision::kFp32, tensor::Precision::kBf16, tensor::Precision::kTf32}) {
            if (!device.supports({PARAPET_OP(matmul), n, precision})) continue;
            // Rounding comes before the epilogue: fewer of its variants are enough.
            if (precision != tensor::Precision::kFp32 && (!hasBias || beta != 0.0f)) continue;
            // Every way of storing a and b, with whole strides and longer ones.
            const bool transposeA = (m + static_cast<std::int64_t>(activation)) % 2 != 0;
            const bool transposeB = hasBias != (beta != 0.0f);
            const std::int64_t gap = transposeA == transposeB ? 0 : 3;
            const FinishedProduct of{
                {m, n, k, transposeA, transposeB, beta, gap, precision}, activation, hasBias};
            cases.push_back(
                makeCase("matmul", of.name(), kActivationTolerance + 1.2 * of.product.tolerance(),
                         [=](Measure& measure) { finishedProductCase(device, of, measure); }));
          }
}

struct ActivationInput {
  std::vector<float> x, bias, dy;
  ActivationInput(Shape shape, bool withBias)
      : x(samples(4, shape.size(), -4.0f, 4.0f)),
        bias(samples(5, withBias ? shape.width : 0)),
        dy(samples(6, shape.size())) {}
};

void activationCase(const Device& device, ActivationOp op, Shape shape, bool withBias,
                    Measure& measure) {
  const ActivationInput in(shape, withBias);
  DeviceFloats x(device, in.x), dy(device, in.dy);
  const DeviceFloats bias(device, in.bias);
  auto y = DeviceFloats::unset(device, shape.size());
  auto dx = DeviceFloats::unset(device, shape.size());
  auto dbias = DeviceFloats::unset(device, shape.width);
  PpBiasActivation forward{.rows = shape.rows,
                           .width = shape.width,
                           .activation = numberOf(op),
                           .x = x.data(),
                           .bias = withBias ? bias.data() : nullptr,
                           .y = y.data()};
  const tensor::Launch launch{&device};
  tensor::run(launch, forward);
  measure.values("y", y.read(),
                 reference::biasActivation(op, shape.width, toDouble(in.x), toDouble(in.bias)));

  const auto expected = reference::biasActivationGradient(op, shape.width, toDouble(in.x),
                                                          toDouble(in.bias), toDouble(in.dy));
  PpBiasActivationGradient backward{.rows = shape.rows,
                                    .width = shape.width,
                                    .activation = numberOf(op),
                                    .x = x.data(),
                                    .bias = forward.bias,
                                    .y = y.data(),
                                    .dy = dy.data(),
                                    .dx = dx.data(),
                                    .dbias = dbias.data()};
  tensor::run(launch, backward);
  measure.values("dx", dx.read(), expected.dx);
  measure.values("dbias", dbias.read(), expected.dbias);

  // Both directions in place, where the contract allows it, give the same bits.
  const auto yApart = y.read(), dxApart = dx.read();
  backward.dx = dy.data();
  backward.dbias = nullptr;
  tensor::run(launch, backward);
  measure.same("dx in place of dy", dy.read(), dxApart);
  if (slopesByInput(op)) return;
  forward.y = x.data();
  tensor::run(launch, forward);
  measure.same("y in place of x", x.read(), yApart);
}

void dotCase(const Device& device, Shape shape, Accumulate accumulate, Measure& measure) {
  const auto x = samples(7, shape.size()), y = samples(8, shape.size());
  const auto dout = samples(9, shape.rows), before = samples(10, shape.size());
  const DeviceFloats xHere(device, x), yHere(device, y), doutHere(device, dout);
  const tensor::Launch launch{&device};
  auto out = DeviceFloats::unset(device, shape.rows);
  tensor::run(launch, PpDotRows{.rows = shape.rows,
                                .width = shape.width,
                                .x = xHere.data(),
                                .y = yHere.data(),
                                .out = out.data()});
  measure.values("out", out.read(), reference::dotRows(shape.width, toDouble(x), toDouble(y)));

  const bool adds = accumulate == Accumulate::kYes;
  const auto start = [&] {
    return adds ? DeviceFloats(device, before) : DeviceFloats::unset(device, shape.size());
  };
  const auto held = toDouble(adds ? before : std::vector<float>{});
  DeviceFloats dx = start(), dy = start(), dxAlone = start();
  tensor::run(launch, PpDotRowsGradient{.rows = shape.rows,
                                        .width = shape.width,
                                        .x = xHere.data(),
                                        .y = yHere.data(),
                                        .dout = doutHere.data(),
                                        .dx = dx.data(),
                                        .accumulateX = numberOf(accumulate),
                                        .dy = dy.data(),
                                        .accumulateY = numberOf(accumulate)});
  measure.values("dx", dx.read(),
                 reference::dotRowsGradient(shape.width, toDouble(y), toDouble(dout), held));
  measure.values("dy", dy.read(),
                 reference::dotRowsGradient(shape.width, toDouble(x), toDouble(dout), held));
  tensor::run(launch, PpDotRowsGradient{.rows = shape.rows,
                                        .width = shape.width,
                                        .x = xHere.data(),
                                        .y = yHere.data(),
                                        .dout = doutHere.data(),
                                        .dx = dxAlone.data(),
                                        .accumulateX = numberOf(accumulate)});
  measure.same("dx without dy", dxAlone.read(), dx.read());
}

// Rows gathered from two tables, with a copy of the left ones.
void pickedDotCase(const Device& device, Shape shape, Measure& measure) {
  const std::int64_t tableRows = 41;
  const auto x = samples(14, tableRows * shape.width), y = samples(15, tableRows * shape.width);
  const auto xRows = sampleRows(16, shape.rows, tableRows),
             yRows = sampleRows(17, shape.rows, tableRows);
  const DeviceFloats xHere(device, x), yHere(device, y);
  const DeviceInts xRowsHere(device, xRows), yRowsHere(device, yRows);
  auto out = DeviceFloats::unset(device, shape.rows);
  auto copyX = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpDotRows{.rows = shape.rows,
                                   .width = shape.width,
                                   .x = xHere.data(),
                                   .xRows = xRowsHere.data(),
                                   .xTableRows = tableRows,
                                   .y = yHere.data(),
                                   .yRows = yRowsHere.data(),
                                   .yTableRows = tableRows,
                                   .copyX = copyX.data(),
                                   .out = out.data()});
  const Exact left = reference::gatherRows(toDouble(x), shape.width, xRows);
  const Exact right = reference::gatherRows(toDouble(y), shape.width, yRows);
  measure.values("out", out.read(), reference::dotRows(shape.width, left.value, right.value));
  const std::vector<float> copied(left.value.begin(), left.value.end());
  measure.same("copyX", copyX.read(), copied);
}

void scanCase(const Device& device, std::int64_t queries, std::int64_t candidates,
              std::int64_t width, Measure& measure) {
  const auto q = exactSamples(18, queries * width), c = exactSamples(19, candidates * width);
  const DeviceFloats queriesHere(device, q), candidatesHere(device, c);
  // A different threshold for each query, and one that an offer raises.
  std::vector<float> thresholds(static_cast<std::size_t>(queries));
  for (std::size_t i = 0; i < thresholds.size(); ++i)
    thresholds[i] = static_cast<float>(i % 5) - 2.0f;
  const std::vector<float> floors = thresholds;
  std::vector<std::vector<float>> offered(
      thresholds.size(), std::vector<float>(static_cast<std::size_t>(candidates), -1e30f));
  struct Receiver {
    std::vector<std::vector<float>>* offered;
    const std::vector<float>* floors;
  } receiver{&offered, &floors};
  const PpOffer offer = [](void* context, std::int64_t query, std::int64_t candidate, float score) {
    const auto& to = *static_cast<Receiver*>(context);
    (*to.offered)[static_cast<std::size_t>(query)][static_cast<std::size_t>(candidate)] =
        score + 0.0f;  // −0 is as good as 0
    return (*to.floors)[static_cast<std::size_t>(query)];
  };
  tensor::run({&device}, PpScanScores{queries, candidates, width, queriesHere.data(),
                                      candidatesHere.data(), thresholds.data(), offer, &receiver});
  for (std::int64_t at = 0; at < queries; ++at) {
    std::vector<float> expected;
    for (std::int64_t v = 0; v < candidates; ++v) {
      double score = 0.0;
      for (std::int64_t d = 0; d < width; ++d)
        score += static_cast<double>(q[static_cast<std::size_t>(at * width + d)]) *
                 static_cast<double>(c[static_cast<std::size_t>(v * width + d)]);
      const bool reaches = score >= static_cast<double>(floors[static_cast<std::size_t>(at)]);
      expected.push_back(reaches ? static_cast<float>(score) : -1e30f);
    }
    measure.same(fmt::format("offers of query {}", at), offered[static_cast<std::size_t>(at)],
                 expected);
  }
}

void squaredErrorCase(const Device& device, std::int64_t rows, bool weighted, Measure& measure) {
  const auto prediction = samples(11, rows), label = samples(12, rows, 0.0f, 1.0f);
  const auto weight = samples(13, weighted ? rows : 0, 0.0f, 3.0f);
  const float scale = 1.0f / static_cast<float>(rows + 1);
  const DeviceFloats predictionHere(device, prediction), labelHere(device, label),
      weightHere(device, weight);
  const float* weights = weighted ? weightHere.data() : nullptr;
  auto gradient = DeviceFloats::unset(device, rows);
  const tensor::Launch launch{&device};
  const auto run = [&](float* out) {
    DeviceDoubles sums(device, {0.0, 0.0, 0.0});
    tensor::run(launch, PpSquaredError{rows, predictionHere.data(), labelHere.data(), weights,
                                       scale, out, sums.data()});
    return sums.read();
  };
  const std::vector<double> sums = run(gradient.data());
  const auto expected = reference::squaredError(toDouble(prediction), toDouble(label),
                                                toDouble(weight), static_cast<double>(scale));
  constexpr const char* kNames[] = {"Σ w(p−y)²", "Σ w|p−y|", "Σ w"};
  for (std::size_t i = 0; i < sums.size(); ++i)
    measure.value(kNames[i], sums[i], expected.sums.value[i], expected.sums.magnitude[i]);
  measure.values("gradient", gradient.read(), expected.gradient);
  measure.require(run(nullptr) == sums, "the sums differ when no gradient is wanted");
}

}  // namespace

void addDenseCases(const Device& device, std::vector<Case>& cases) {
  addProducts(device, cases);
  addFinishedProducts(device, cases);
  for (const Shape shape : oddShapes()) {
    for (const ActivationOp op : kActivations)
      for (const bool withBias : {false, true})
        // dbias is a sum over the rows.
        cases.push_back(makeCase(
            "biasActivation",
            fmt::format("{} {}{}", activationName(op), shape.name(), withBias ? " bias" : ""),
            kActivationTolerance + static_cast<double>(shape.rows) * kUnit,
            [=](Measure& measure) { activationCase(device, op, shape, withBias, measure); }));
    for (const auto accumulate : {Accumulate::kNo, Accumulate::kYes})
      cases.push_back(makeCase(
          "dotRows",
          fmt::format("{}{}", shape.name(), accumulate == Accumulate::kYes ? " added" : ""),
          static_cast<double>(shape.width + 1) * kUnit,
          [=](Measure& measure) { dotCase(device, shape, accumulate, measure); }));
  }
  for (const Shape shape : oddShapes())
    cases.push_back(makeCase("dotRows", shape.name() + " gathered",
                             static_cast<double>(shape.width + 1) * kUnit,
                             [=](Measure& measure) { pickedDotCase(device, shape, measure); }));
  // Sums of eighths are exact, so every score that is offered is known to the bit.
  for (const std::int64_t queries : {0, 1, 2, 6, 7, 25})
    for (const std::int64_t candidates : {0, 1, 15, 64, 301})
      for (const std::int64_t width : {1, 3, 16, 33, 64})
        cases.push_back(makeCase(
            "scanScores", fmt::format("{} × {} × {}", queries, candidates, width), 0.0,
            [=](Measure& measure) { scanCase(device, queries, candidates, width, measure); }));
  // p − y is one rounding, scale·2·w·(p − y) two more; the sums are in double precision.
  for (const std::int64_t rows : {0, 1, 3, 7, 31, 1000})
    for (const bool weighted : {false, true})
      cases.push_back(makeCase(
          "squaredError", fmt::format("{}{}", rows, weighted ? " weighted" : ""), 4 * kUnit,
          [=](Measure& measure) { squaredErrorCase(device, rows, weighted, measure); }));
}

}  // namespace parapet::selftest
