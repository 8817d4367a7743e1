// SPDX-License-Identifier: Apache-2.0
// What a product does to its elements before they are written gives the bits of the product followed by
// biasActivation, on every CPU backend of the machine and with any number of workers. That both are
// right is among the conformance cases of engine/selftest.
#include <fmt/format.h>

#include <QtTest>
#include <bit>

#include "engine/base/random.h"
#include "engine/tensor/ops/ops.h"

using namespace parapet;
using namespace parapet::tensor;

namespace {

using Floats = std::vector<float>;

Floats samples(std::uint64_t seed, std::int64_t count) {
  const Random random(seed, RandomPurpose::kSampling);
  Floats values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2.0f * random.uniform(i) - 1.0f;
  return values;
}

struct Size {
  std::int64_t m, n, k;
};

struct Product {
  Size size;
  bool transposeA, transposeB;
  float beta;
  std::int64_t strideC = size.n + 3;
  std::int64_t strideA = transposeA ? size.m : size.k, strideB = transposeB ? size.k : size.n;
  Floats a = samples(1, size.m*size.k), b = samples(2, size.k*size.n),
         c = samples(3, size.m*strideC), bias = samples(4, size.n);

  void multiply(const Launch& launch, float* out, Epilogue epilogue) const {
    run(launch, PpMatmul{.m = size.m,
                         .n = size.n,
                         .k = size.k,
                         .transposeA = transposeA ? 1 : 0,
                         .transposeB = transposeB ? 1 : 0,
                         .a = a.data(),
                         .strideA = strideA,
                         .b = b.data(),
                         .strideB = strideB,
                         .beta = beta,
                         .c = out,
                         .strideC = strideC,
                         .bias = epilogue.bias,
                         .activation = numberOf(epilogue.activation)});
  }
  [[nodiscard]] Floats fused(const Launch& launch, Epilogue epilogue) const {
    Floats out = c;
    multiply(launch, out.data(), epilogue);
    return out;
  }
  /// `sums`: the product alone.
  [[nodiscard]] Floats apart(const Launch& launch, const Floats& sums, Epilogue epilogue) const {
    Floats rows, out = sums;
    for (std::int64_t i = 0; i < size.m; ++i)
      rows.insert(rows.end(), sums.begin() + i * strideC, sums.begin() + i * strideC + size.n);
    run(launch, PpBiasActivation{.rows = size.m,
                                 .width = size.n,
                                 .activation = numberOf(epilogue.activation),
                                 .x = rows.data(),
                                 .bias = epilogue.bias,
                                 .y = rows.data()});
    for (std::int64_t i = 0; i < size.m; ++i)
      std::copy_n(rows.begin() + i * size.n, size.n, out.begin() + i * strideC);
    return out;
  }
};

constexpr ActivationOp kActivations[] = {
    ActivationOp::kLinear, ActivationOp::kRelu,     ActivationOp::kTanh, ActivationOp::kSigmoid,
    ActivationOp::kGelu,   ActivationOp::kGeluTanh, ActivationOp::kSilu};

}  // namespace

class EpiloguesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Tails of rows, columns and depth; several blocks of rows and of columns; products with a vector; no
  // depth at all.
  void theyGiveTheBitsOfTwoOps_data() {
    QTest::addColumn<int>("device");
    QTest::addColumn<bool>("rounds");
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("k");
    for (std::size_t device = 0; device < devices_.size(); ++device)
      for (const bool rounds : {false, true})
        for (const auto [m, n, k] :
             {Size{1, 37, 19}, Size{300, 1, 40}, Size{7, 16, 5}, Size{13, 43, 107}, Size{5, 33, 0},
              Size{803, 65, 31}, Size{90, 1001, 530}})
          QTest::addRow("%s%s: %d×%d×%d", std::string(devices_[device].instructionSet()).c_str(),
                        rounds ? ", bf16" : "", static_cast<int>(m), static_cast<int>(n),
                        static_cast<int>(k))
              << static_cast<int>(device) << rounds << static_cast<int>(m) << static_cast<int>(n)
              << static_cast<int>(k);
  }
  void theyGiveTheBitsOfTwoOps() {
    QFETCH(int, device);
    QFETCH(bool, rounds);
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(int, k);
    const Device& here = devices_[static_cast<std::size_t>(device)];
    const Precision precision = rounds ? Precision::kBf16 : Precision::kFp32;
    Workers two(2);
    for (const bool transposed : {false, true})
      for (const float beta : {0.0f, 0.5f}) {
        const Product product{{m, n, k}, transposed, !transposed, beta};
        const Launch alone{&here, nullptr, precision};
        const Floats sums = product.fused(alone, {});
        for (const ActivationOp activation : kActivations)
          for (const float* bias : {static_cast<const float*>(nullptr), product.bias.data()}) {
            const Epilogue epilogue{bias, activation};
            const Floats expected = bias || activation != ActivationOp::kLinear
                                        ? product.apart(alone, sums, epilogue)
                                        : sums;
            for (Workers* workers : {static_cast<Workers*>(nullptr), &two}) {
              const Floats found = product.fused({&here, workers, precision}, epilogue);
              requireSameBits(found, expected,
                              fmt::format("activation {}, bias {}, transposed {}, β {}, workers {}",
                                          static_cast<int>(activation), bias != nullptr, transposed,
                                          beta, workers ? 2 : 1));
              if (QTest::currentTestFailed()) return;
            }
          }
      }
  }

 private:
  static void requireSameBits(const Floats& found, const Floats& expected,
                              const std::string& what) {
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (std::bit_cast<std::uint32_t>(found[i]) != std::bit_cast<std::uint32_t>(expected[i]))
        QFAIL(fmt::format("{}: c[{}] is {}, apart {}", what, i, found[i], expected[i]).c_str());
  }

  const std::vector<Device> devices_ = DeviceRegistry::instance().variants();
};

QTEST_GUILESS_MAIN(EpiloguesTest)
#include "epilogues_test.moc"
