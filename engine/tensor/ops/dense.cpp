// SPDX-License-Identifier: Apache-2.0
// Checks of matrix products and of ops on single elements (dense_abi.h).
#include <fmt/format.h>

#include <cmath>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"
#include "engine/tensor/ops/kinds.h"

namespace parapet::tensor {

Dropping droppingAt(double rate) {
  if (!(rate >= 0.0 && rate < 1.0))
    throw InvalidArgument(
        fmt::format("[tensor.droppingAt] rate is {}; at least 0 and below 1 is accepted", rate));
  return {static_cast<std::uint32_t>(std::ceil(rate * 0x1p24)),
          static_cast<float>(1.0 / (1.0 - rate))};
}

void check(const Launch&, const PpMatmul& args) {
  const std::string_view op = nameOf(args);
  for (const std::int64_t size : {args.m, args.n, args.k})
    requireArgument(size >= 0, op, "size", size, "at least 0 is accepted");
  requireArgument(args.strideA >= (args.transposeA ? args.m : args.k), op, "stride of a",
                  args.strideA, "at least one stored row is accepted");
  requireArgument(args.strideB >= (args.transposeB ? args.k : args.n), op, "stride of b",
                  args.strideB, "at least one stored row is accepted");
  requireArgument(args.strideC >= args.n, op, "stride of c", args.strideC,
                  "at least n is accepted");
}

void check(const Launch&, const PpBiasActivation& args) {
  requireShape(args);
}

void check(const Launch&, const PpBiasActivationGradient& args) {
  requireShape(args);
}

void check(const Launch&, const PpDropout& args) {
  requireCount(args);
  const auto first = static_cast<std::int64_t>(args.first);
  requireArgument(first >= 0, nameOf(args), "first element", first, "at least 0 is accepted");
}

void check(const Launch&, const PpSignedLog& args) {
  requireCount(args);
}

void check(const Launch&, const PpQuantile& args) {
  requireCount(args);
  requireArgument(args.knots >= 2, nameOf(args), "knots", args.knots, "at least 2 is accepted");
}

}  // namespace parapet::tensor
