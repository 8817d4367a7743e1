// SPDX-License-Identifier: Apache-2.0
// Checks of ops over ragged sequences (attention_abi.h).

#include <fmt/format.h>

#include <limits>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

constexpr std::int64_t kAnyLength = std::numeric_limits<std::int64_t>::max();

/// Counts, and offsets that the host can read: they ascend, span the positions, and no sequence is
/// longer than `maxLength`.
template <class Args>
void requireSequences(const Launch& launch, std::string_view op, const Args& args,
                      std::int64_t maxLength = kAnyLength) {
  requireArgument(args.sequences >= 0, op, "sequences", args.sequences, "at least 0 is accepted");
  requireArgument(args.positions >= 0, op, "positions", args.positions, "at least 0 is accepted");
  if (!launch.device->isHost() || args.sequences == 0) return;
  const std::int32_t* const offsets = args.offsets;
  for (std::int64_t b = 0; b < args.sequences; ++b) {
    const std::int64_t length = std::int64_t{offsets[b + 1]} - offsets[b];
    if (length < 0)
      throw InvalidArgument(fmt::format("[tensor.{}] offsets[{}] is {}; at least {} is accepted",
                                        op, b + 1, offsets[b + 1], offsets[b]));
    if (length > maxLength)
      throw InvalidArgument(
          fmt::format("[tensor.{}] sequence {} has {} positions; at most {} are accepted", op, b,
                      length, maxLength));
  }
  const std::int64_t spanned = std::int64_t{offsets[args.sequences]} - offsets[0];
  requireArgument(args.positions == spanned, op, "positions", args.positions,
                  "as many as the offsets span are accepted");
}

void requireHeads(const Launch& launch, std::string_view op, const PpAttention& args) {
  requireArgument(args.heads >= 1, op, "heads", args.heads, "at least 1 is accepted");
  requireArgument(args.width >= 1, op, "width", args.width, "at least 1 is accepted");
  const auto first = static_cast<std::int64_t>(args.first);
  requireArgument(first >= 0, op, "first sequence", first, "at least 0 is accepted");
  // A draw is numbered by the positions of the longest sequence.
  requireSequences(launch, op, args, args.dropBelow > 0 ? args.maxLength : kAnyLength);
}

template <class Args>
void requirePooling(const Launch& launch, const Args& args) {
  requireWidth(args);
  requireSequences(launch, nameOf(args), args);
  if (args.kind == PP_POOL_WEIGHTED && !args.weights)
    throw InvalidArgument(fmt::format("[tensor.{}] weighted pooling has no weights", nameOf(args)));
}

}  // namespace

void check(const Launch& launch, const PpAttention& args) {
  requireHeads(launch, nameOf(args), args);
}

void check(const Launch& launch, const PpAttentionGradient& args) {
  requireHeads(launch, nameOf(args), args.forward);
}

void check(const Launch& launch, const PpAddPositions& args) {
  requireWidth(args);
  requireSequences(launch, nameOf(args), args, args.tableRows);
}

void check(const Launch& launch, const PpAddPositionsGradient& args) {
  requireWidth(args);
  requireSequences(launch, nameOf(args), args, args.tableRows);
}

void check(const Launch& launch, const PpPool& args) {
  requirePooling(launch, args);
}

void check(const Launch& launch, const PpPoolGradient& args) {
  requirePooling(launch, args);
}

void check(const Launch& launch, const PpSoftmaxBySequence& args) {
  requireSequences(launch, nameOf(args), args);
}

void check(const Launch& launch, const PpSoftmaxBySequenceGradient& args) {
  requireSequences(launch, nameOf(args), args);
}

}  // namespace parapet::tensor
