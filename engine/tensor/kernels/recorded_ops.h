// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "engine/tensor/plugin_abi.h"

/// How a backend in C++ keeps the ops of a recording (see PpDevice).
namespace parapet::tensor {

/// Calls visit(array, count) for the arrays of an op's arguments that are the host's: those of
/// addresses, and what goes with them.
template <class Args, class Visit>
void forHostArrays(Args& args, const Visit& visit) {
  if constexpr (requires { args.in, args.parts; }) visit(args.in, args.parts);
  if constexpr (requires { args.dIn, args.accumulate, args.parts; }) {
    visit(args.dIn, args.parts);
    visit(args.accumulate, args.parts);
  }
}

/// The arguments of an op as words that outlive the call, the arrays of the host behind them. Equal
/// arguments are equal words.
using KeptWords = std::vector<std::uintptr_t>;

template <class Args>
void keepArguments(const Args& args, KeptWords& words) {
  static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) % sizeof(std::uintptr_t) == 0);
  Args kept = args;
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&kept);
#endif
  words.resize(sizeof(Args) / sizeof(std::uintptr_t));
  forHostArrays(kept, [&]<class T>(T*& array, std::int32_t count) {
    const std::size_t begin = words.size(), bytes = static_cast<std::size_t>(count) * sizeof(T);
    words.resize(begin + (bytes + sizeof(std::uintptr_t) - 1) / sizeof(std::uintptr_t));
    if (bytes > 0) std::memcpy(words.data() + begin, array, bytes);
    array = nullptr;
  });
  std::memcpy(words.data(), &kept, sizeof kept);
}

/// Calls op(arguments) with what has been kept.
template <class Args, class Op>
std::int32_t withArguments(const KeptWords& words, const Op& op) {
  Args args;
  std::memcpy(static_cast<void*>(&args), words.data(), sizeof args);
  const std::uintptr_t* at = words.data() + sizeof(Args) / sizeof(std::uintptr_t);
  forHostArrays(args, [&]<class T>(T*& array, std::int32_t count) {
    array = reinterpret_cast<T*>(const_cast<std::uintptr_t*>(at));
    at += (static_cast<std::size_t>(count) * sizeof(T) + sizeof(std::uintptr_t) - 1) /
          sizeof(std::uintptr_t);
  });
  return op(&args);
}

/// The ops of a recording, and whether they are the same as last time.
class RecordedOps {
 public:
  enum class Run {
    kNothing,
    kEach,     ///< one by one
    kCapture,  ///< they have come a second time: what runs them as one pays
    kReplay,   ///< by what was made of them at kCapture
  };

  template <class Args>
  void add(std::int32_t (*op)(const PpCall*, const Args*), const PpCall& call, const Args& args) {
    keepArguments(args, words_);
    const Op next{reinterpret_cast<void (*)()>(op), runAs<Args>, call.precision, {}};
    if (at_ < ops_.size() && ops_[at_].isSame(next, words_)) {
      ++at_;
      return;
    }
    changed_ = true;
    ops_.resize(at_++);
    ops_.push_back(next);
    ops_.back().words = words_;
  }

  /// Ends what was added: how it is to run. Of ops that are no longer recorded, that they run one
  /// by one.
  Run end() {
    const bool same = !changed_ && at_ == ops_.size();
    ops_.resize(at_);
    at_ = 0;
    changed_ = false;
    if (hasGivenUp()) return Run::kEach;
    if (ops_.empty()) return Run::kNothing;
    if (!same) {
      captured_ = false;
      ++misses_;
      return Run::kEach;
    }
    if (!captured_) return Run::kCapture;
    misses_ = 0;
    return Run::kReplay;
  }
  /// After kCapture: what replays them is there.
  void setCaptured() { captured_ = true; }
  /// After kCapture: gives up recording, since no graph can be made of these ops.
  void giveUp() { misses_ = kMaxMisses; }
  /// Forgets the ops that were added.
  void drop() {
    ops_.clear();
    at_ = 0;
    changed_ = captured_ = false;
  }
  /// Whether recording is given up: the ops change every time and are better run as they come.
  [[nodiscard]] bool hasGivenUp() const { return misses_ >= kMaxMisses; }

  /// PP_RAN_ of PpDevice.
  static std::int32_t ranOf(Run run) {
    switch (run) {
      case Run::kNothing:
        return PP_RAN_NOTHING;
      case Run::kReplay:
        return PP_RAN_REPLAY;
      default:
        return PP_RAN_EACH;
    }
  }

  /// endRecording of a backend that captures nothing: what it replays runs one by one, too.
  std::int32_t endEach(void* stream, std::int32_t run, std::int32_t* ran) {
    *ran = PP_RAN_NOTHING;
    if (!run) {
      drop();
      return PP_OK;
    }
    const Run how = end();
    *ran = ranOf(how);
    if (how == Run::kCapture) setCaptured();
    return runEach(stream);
  }

  /// Runs them in their order, until one does not give PP_OK.
  [[nodiscard]] std::int32_t runEach(void* stream) const {
    for (const Op& op : ops_) {
      PpCall call{};
      call.structSize = sizeof call;
      call.precision = op.precision;
      call.stream = stream;
      if (const std::int32_t code = op.run(call, op)) return code;
    }
    return PP_OK;
  }

 private:
  static constexpr int kMaxMisses = 8;
  struct Op {
    void (*op)();
    std::int32_t (*run)(const PpCall&, const Op&);
    std::int32_t precision;
    KeptWords words;
    [[nodiscard]] bool isSame(const Op& other, const KeptWords& otherWords) const {
      return op == other.op && precision == other.precision && words == otherWords;
    }
  };
  template <class Args>
  static std::int32_t runAs(const PpCall& call, const Op& kept) {
    const auto op = reinterpret_cast<std::int32_t (*)(const PpCall*, const Args*)>(kept.op);
    return withArguments<Args>(kept.words, [&](const Args* args) { return op(&call, args); });
  }

  std::vector<Op> ops_;
  std::size_t at_ = 0;  // added so far, this time
  bool changed_ = false, captured_ = false;
  int misses_ = 0;
  KeptWords words_;  // of the op in hand
};

}  // namespace parapet::tensor
