// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/nn/step_runner.h"

namespace parapet::train {

// Commands go from the process that drives a run to the others, each before it does the same
// itself. A method of Session in which processes meet has a command, or the others would not come.

/// Session::train.
struct TrainBatch {
  std::int64_t step = 0;
  nn::StepRunner::Part part{};
  nn::StepBatch input;
  std::optional<nn::StepBatch> next{};
};
/// Session::evaluate, or a forward pass that computes a value of the graph.
struct ForwardBatch {
  static constexpr nn::Value kEvaluation = -1;
  nn::Value output = kEvaluation;
  nn::StepBatch input;
};
/// Session::gatherRows.
struct GatherRows {
  nn::ParameterIndex parameter = 0;
  int slot = -1;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.parameter, self.slot);
  }
};
/// Session::scatterRows. The rows follow between the processes, not in the command.
struct ScatterRows {
  nn::ParameterIndex parameter = 0;
  int slot = -1;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.parameter, self.slot);
  }
};
/// nn::Parameter::slotsSince, by parameter.
struct SlotsBegan {
  std::vector<std::int64_t> since{};
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.since);
  }
};
/// Session::useRunSteps.
struct RunSteps {
  std::int64_t steps = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.steps);
  }
};
/// Session::nonFiniteTensor.
struct LookForNonFinite {
  template <class Self>
  static auto fields(Self&) {
    return std::tie();
  }
};

using Command = std::variant<TrainBatch, ForwardBatch, GatherRows, ScatterRows, SlotsBegan,
                             RunSteps, LookForNonFinite>;

/// Sends a command to all other processes.
using CommandSink = std::function<Status(const Command&)>;
/// The next command as bytes; waits for it as long as it takes. Empty: the run has ended.
using CommandSource = std::function<Result<std::string>()>;

/// Commands as bytes, for readers that read all of them. What every step reads alike is written
/// once, and so is a batch that was the `next` of the step before.
class CommandWriter {
 public:
  /// Valid until the next call.
  std::string_view write(const Command& command);

 private:
  class Bytes;

  std::string bytes_, input_, next_;  ///< of a command, its input, and the last TrainBatch::next
  std::vector<float> itemLogQ_;       ///< as the reader has it
  std::uint32_t shares_ = 0;          ///< its number
};

/// The reverse. A command views the memory of the reader until the next call.
class CommandReader {
 public:
  /// Errors   kPeer for bytes that are no command.
  Result<Command> read(std::string_view bytes);

 private:
  /// A batch with what its input views, on the heap: the batch may be moved.
  struct HeldBatch {
    nn::StepBatch input;
    std::vector<data::FeatureIds> features{};
    std::vector<std::vector<std::int32_t>> ids{};
    std::vector<std::vector<float>> numbers{};
    std::shared_ptr<const std::vector<float>> itemLogQ{};
  };
  class Bytes;

  HeldBatch batch_, next_;
  bool hasNext_ = false;
  std::shared_ptr<const std::vector<float>> itemLogQ_;
  std::uint32_t shares_ = 0;  ///< its number
};

}  // namespace parapet::train
