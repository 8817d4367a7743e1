// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// How kernels in C++ cut their work for the host's workers, on either side of the border.
namespace parapet::tensor {

/// Runs body(begin, end) over [0, count) in blocks of `grain`. The cut depends on count and grain
/// alone, so the number of workers changes no result.
template <class Body>
void forBlocks(const PpCall* call, std::int64_t count, std::int64_t grain, const Body& body) {
  struct Range {
    const Body* body;
    std::int64_t count, grain;
  } range{&body, count, grain};
  const std::int64_t blocks = (count + grain - 1) / grain;
  if (blocks <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  call->parallelFor(
      call->parallelContext, blocks,
      [](void* argument, std::int64_t block) {
        const auto& r = *static_cast<const Range*>(argument);
        const std::int64_t begin = block * r.grain;
        (*r.body)(begin, begin + r.grain < r.count ? begin + r.grain : r.count);
      },
      &range);
}

/// Σ body(begin, end) over [0, count), in the order of the blocks: at most 64, so that their sums
/// need no memory, and of at least `grain`.
template <class Body>
double sumBlocks(const PpCall* call, std::int64_t count, std::int64_t grain, const Body& body) {
  constexpr std::int64_t kBlocks = 64;
  double sums[kBlocks] = {};
  const std::int64_t least = (count + kBlocks - 1) / kBlocks;
  const std::int64_t size = grain > least ? grain : least;
  forBlocks(call, count, size,
            [&](std::int64_t begin, std::int64_t end) { sums[begin / size] = body(begin, end); });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

/// The call with everything on the thread that makes it: what a block of a kernel calls others
/// with.
inline PpCall onThisThread(const PpCall& call) {
  PpCall made = call;
  made.parallelFor = [](void*, std::int64_t blocks, void (*body)(void*, std::int64_t),
                        void* argument) {
    for (std::int64_t block = 0; block < blocks; ++block) body(argument, block);
  };
  return made;
}

/// Replaces arguments that were given by those that the memory of the device holds.
inline PpUpdateTarget current(PpUpdateTarget target) {
  if (target.counted) target.count = *target.counted;
  return target;
}
template <class Args>
concept HasLearningRate = requires(Args args) {
  args.target, args.learningRate, args.rates;
};
template <HasLearningRate Args>
Args current(Args args) {
  args.target = current(args.target);
  if (args.rates) args.learningRate = *args.rates;
  return args;
}
inline PpAdam current(PpAdam args) {
  args.target = current(args.target);
  if (args.rates) {
    args.stepSize = args.rates[0];
    args.rootScale = args.rates[1];
  }
  return args;
}
inline PpDecayRows current(PpDecayRows args) {
  if (args.counted) args.count = *args.counted;
  if (args.rates) args.factor = *args.rates;
  return args;
}
template <class Args>
concept HasKey = requires(Args args) {
  args.key, args.keyAt;
};
template <HasKey Args>
Args current(Args args) {
  if (args.keyAt) args.key = *args.keyAt;
  return args;
}
inline PpAttentionGradient current(PpAttentionGradient args) {
  args.forward = current(args.forward);
  return args;
}

/// The draw of PpDropout.
inline std::uint32_t draw(std::uint64_t key, std::uint64_t index) {
  std::uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 40);
}

/// Rows per block so that a block is worth waking a worker for (about 64 Ki elements).
inline std::int64_t rowGrain(std::int64_t width) {
  constexpr std::int64_t kElements = 64 * 1024;
  return width >= kElements ? 1 : kElements / width;
}

/// Parameter rows per block of an optimizer. Each element costs a root, a division and several
/// arrays, so a quarter of rowGrain()'s elements is worth waking a worker for.
inline std::int64_t parameterGrain(std::int64_t width) {
  return rowGrain(4 * width);
}

/// Rows per block of an update: fewer than parameterGrain() where several terms merge into a row.
inline std::int64_t updateGrain(const PpUpdateTarget& target) {
  const std::int64_t grain = parameterGrain(target.width);
  return target.terms <= target.count ? grain : 1 + grain * target.count / target.terms;
}

/// Values of bag b, counted from the first value of bag 0; one each where offsets is null.
struct BagValues {
  std::int64_t begin, end;
  BagValues(const std::int32_t* offsets, std::int64_t b)
      : begin(offsets ? offsets[b] - offsets[0] : b),
        end(offsets ? offsets[b + 1] - offsets[0] : b + 1) {}
};

/// Bags per block: fewer than rowGrain() where bags sum several rows each.
inline std::int64_t bagGrain(const PpBagRows& args) {
  const std::int64_t grain = rowGrain(args.width);
  const std::int64_t values = args.bags > 0 ? BagValues(args.offsets, args.bags - 1).end : 0;
  return values <= args.bags ? grain : 1 + grain * args.bags / values;
}

/// Where PpDotInteraction puts the pairs of a row: the lower triangle, row by row.
struct PairsOfParts {
  std::int64_t parts;
  bool self;
  [[nodiscard]] std::int64_t rowLength(std::int64_t i) const { return i + (self ? 1 : 0); }
  [[nodiscard]] std::int64_t firstOf(std::int64_t i) const { return i * (i + (self ? 1 : -1)) / 2; }
  [[nodiscard]] std::int64_t at(std::int64_t i, std::int64_t j) const {
    return i > j ? firstOf(i) + j : firstOf(j) + i;
  }
  [[nodiscard]] std::int64_t count() const { return firstOf(parts); }
};

}  // namespace parapet::tensor
