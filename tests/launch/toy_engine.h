// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/messages.h"

// An engine small enough to be checked bit for bit: the state is a list of words, each step hashes
// every word with the step and with what the last validation decided. Processes hold pieces of it.
// The bits of a step do not depend on how many processes there are.
namespace parapet::launch::test {

constexpr std::uint64_t kWords = 24;

std::uint64_t mixed(std::uint64_t value);

/// The words [first, first + words.size()) after `step` steps.
struct ToyState {
  std::uint64_t step = 0, decided = 0, first = 0;
  std::vector<std::uint64_t> words;
  bool operator==(const ToyState&) const = default;

  /// The piece of process `index` of `count` before the first step.
  static ToyState begin(std::uint64_t index, std::uint64_t count);
  void advance(std::uint64_t decision);
  /// Σ of the hashed words, modulo 2⁶⁴; sums over pieces are those of the whole.
  [[nodiscard]] std::uint64_t sum() const;
  [[nodiscard]] std::string text() const;
  static std::optional<ToyState> parse(const std::string& text);
};

/// The commands of the trainer of process 0.
struct ToyPlan {
  std::uint64_t steps = 40, validateEvery = 10, checkpointEvery = 7;
  /// The commands behind a step, which are known beforehand.
  [[nodiscard]] std::vector<CommandKind> after(std::uint64_t step) const;
};

/// The run without processes and faults: the whole state after each step.
std::vector<ToyState> referenceRun(const ToyPlan& plan);

// Commands and checkpoints as text.

std::string stepArguments(std::uint64_t step, std::uint64_t decision);
struct StepArguments {
  std::uint64_t step = 0, decision = 0;
};
StepArguments parseStepArguments(const std::string& text);

std::string manifestOf(std::uint64_t step, std::uint64_t decided, const std::vector<Piece>& pieces);
/// The whole state of a checkpoint, or nothing if a piece or the manifest is not as it was written.
/// `read` gives the content of a file, or nothing.
std::optional<ToyState> readCheckpoint(
    const std::function<const std::string*(const std::string& file)>& read);
constexpr const char* kManifestName = "manifest";

}  // namespace parapet::launch::test
