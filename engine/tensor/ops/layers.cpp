// SPDX-License-Identifier: Apache-2.0
// Checks of crosses, interactions and norms (layers_abi.h).
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

template <class Args>
void requirePairs(const Args& args) {
  requireArgument(args.parts >= (args.self ? 1 : 2), nameOf(args), "number of parts", args.parts,
                  args.self ? "at least 1 is accepted" : "at least 2 are accepted");
}

template <class Args>
void requireMixed(const Args& args) {
  requireShape(args);
  requireArgument(args.parts >= 1 && args.parts <= 512, nameOf(args), "number of parts", args.parts,
                  "1 … 512 are accepted");
}

template <class Args>
void requireBatch(const Args& args) {
  requireShape(args);
  requireArgument(args.batchRows >= 1, nameOf(args), "batchRows", args.batchRows,
                  "at least 1 is accepted");
}

}  // namespace

void check(const Launch&, const PpCross& args) {
  requireShape(args);
}

void check(const Launch&, const PpCrossGradient& args) {
  requireShape(args);
}

void check(const Launch&, const PpDotInteraction& args) {
  requireShape(args);
  requirePairs(args);
}

void check(const Launch&, const PpDotInteractionGradient& args) {
  requireShape(args);
  requirePairs(args);
}

void check(const Launch&, const PpMultiply& args) {
  requireShape(args);
}

void check(const Launch&, const PpMultiplyGradient& args) {
  requireShape(args);
}

void check(const Launch&, const PpMixture& args) {
  requireMixed(args);
}

void check(const Launch&, const PpMixtureGradient& args) {
  requireMixed(args);
}

void check(const Launch&, const PpLayerNorm& args) {
  requireShape(args);
}

void check(const Launch&, const PpLayerNormGradient& args) {
  requireShape(args);
}

void check(const Launch&, const PpBatchNorm& args) {
  requireShape(args, args.useBatch ? 1 : 0);
}

void check(const Launch&, const PpBatchNormGradient& args) {
  requireShape(args, 1);
}

void check(const Launch&, const PpBatchMoments& args) {
  requireBatch(args);
}

void check(const Launch&, const PpBatchNormOfMoments& args) {
  requireBatch(args);
}

void check(const Launch&, const PpBatchNormGradientSums& args) {
  requireBatch(args);
}

void check(const Launch&, const PpBatchNormGradientOfSums& args) {
  requireBatch(args);
}

void check(const Launch&, const PpL2Normalize& args) {
  requireShape(args);
}

void check(const Launch&, const PpL2NormalizeGradient& args) {
  requireShape(args);
}

}  // namespace parapet::tensor
