// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/ops.h"

#include <cstddef>
#include <span>
#include <utility>

#include "tests/plugins/emulated/stream.h"

namespace parapet::emulated {
namespace {

const PpOps& kernels() {
  return *parapet_portable_cpu()->ops;
}

// Whatever word of the arguments is an address of the device; no number is one, see Arena.
void translate(const Arena& arena, std::span<std::uintptr_t> words) {
  for (std::uintptr_t& word : words) word = arena.translate(word);
}

// The host's workers belong to the caller, who goes on.
void oneAfterTheOther(void*, std::int64_t blocks, void (*body)(void*, std::int64_t),
                      void* argument) {
  for (std::int64_t block = 0; block < blocks; ++block) body(argument, block);
}

PpCall callOf(std::int32_t precision) {
  PpCall call{};
  call.structSize = sizeof call;
  call.precision = precision;
  call.parallelFor = oneAfterTheOther;
  return call;
}

template <class Args, std::int32_t (*PpOps::*Slot)(const PpCall*, const Args*)>
struct Late {
  static std::int32_t run(const PpCall* call, const Args* args) {
    auto* const recording = static_cast<Recording*>(call->recording);
    if (recording && !recording->ops.hasGivenUp()) {
      recording->ops.add(post, *call, *args);
      return PP_OK;
    }
    return post(call, args);
  }

 private:
  static std::int32_t post(const PpCall* call, const Args* args) {
    Stream& stream = *static_cast<Stream*>(call->stream);
    if (const std::int32_t code = stream.beginOp(); code != PP_OK) return code;
    tensor::KeptWords words;
    tensor::keepArguments(*args, words);
    translate(stream.arena(), words);
    stream.post([kept = std::move(words), precision = call->precision] {
      const PpCall inner = callOf(precision);
      return tensor::withArguments<Args>(
          kept, [&](const Args* here) { return (kernels().*Slot)(&inner, here); });
    });
    return PP_OK;
  }
};

// Offers go to the host: they are made on the calling thread.
std::int32_t scanScores(const PpCall* call, const PpScanScores* args) {
  Stream& stream = *static_cast<Stream*>(call->stream);
  if (const std::int32_t code = stream.wait(kWaitLimit); code != PP_OK) return code;
  tensor::KeptWords words;
  tensor::keepArguments(*args, words);
  translate(stream.arena(), words);
  const PpCall inner = callOf(call->precision);
  return tensor::withArguments<PpScanScores>(
      words, [&](const PpScanScores* here) { return kernels().scanScores(&inner, here); });
}

PpOps makeOps() {
  PpOps made{};
  made.structSize = sizeof(PpOps);
#define PP_OP(op, Args) made.op = Late<Args, &PpOps::op>::run;
#include "engine/tensor/ops.def"
  made.scanScores = scanScores;
#ifdef PARAPET_EMULATED_WITHOUT
  made.PARAPET_EMULATED_WITHOUT = [](const PpCall*, const auto*) -> std::int32_t {
    return PP_UNSUPPORTED;
  };
#endif
  return made;
}

}  // namespace

std::int32_t supports(std::int32_t, std::uint64_t op, std::int32_t precision, std::int32_t) {
  if (precision == PP_PRECISION_TF32) return 0;
#ifdef PARAPET_EMULATED_WITHOUT
  return op != offsetof(PpOps, PARAPET_EMULATED_WITHOUT);
#else
  return op < sizeof(PpOps);
#endif
}

const PpOps& ops() {
  static const PpOps made = makeOps();
  return made;
}

}  // namespace parapet::emulated
