// SPDX-License-Identifier: Apache-2.0
// A session among those of other processes: it drives them, or follows.
#include <fmt/format.h>

#include <algorithm>

#include "engine/train/session_state.h"

namespace parapet::train {
namespace {

/// Does what a command asks for, as the process that drives does it itself.
class Obey {
 public:
  Obey(Session& session, Session::State& state) : session_(session), s_(state) {}

  Status operator()(const TrainBatch& of) {
    return s_.training().train(of.input, of.step, of.next ? &*of.next : nullptr, of.part);
  }
  Status operator()(const ForwardBatch& of) {
    if (of.output == ForwardBatch::kEvaluation) return s_.evaluateRunner->forward(of.input);
    if (of.output < 0 || of.output >= s_.model.graph.values()) return unknown("value", of.output);
    return s_.runnerOf(of.output).forward(of.input);
  }
  Status operator()(const GatherRows& of) {
    PARAPET_TRY(requireArray(of.parameter, of.slot));
    const nn::Parameter& from = s_.parameters[at(of.parameter)];
    std::vector<float> all(static_cast<std::size_t>(from.elementsOf(of.slot)));
    session_.gatherRows(from, of.slot, all);
    return {};
  }
  Status operator()(const ScatterRows& of) {
    PARAPET_TRY(requireArray(of.parameter, of.slot));
    nn::Parameter& to = s_.parameters[at(of.parameter)];
    const std::vector<float> none(static_cast<std::size_t>(to.elementsOf(of.slot)));
    session_.scatterRows(to, of.slot, none);
    return {};
  }
  Status operator()(const SlotsBegan& of) {
    if (of.since.size() != s_.parameters.size())
      return unknown("number of parameters", static_cast<std::int64_t>(of.since.size()));
    for (std::size_t index = 0; index < of.since.size(); ++index)
      s_.parameters[index].slotsSince = of.since[index];
    return {};
  }
  Status operator()(const RunSteps& of) {
    session_.useRunSteps(of.steps);
    return {};
  }
  Status operator()(const LookForNonFinite&) {
    (void)session_.nonFiniteTensor();
    return {};
  }

 private:
  static Error unknown(const char* what, std::int64_t found) {
    return {
        ErrorCode::kPeer,
        fmt::format("a command names the {} {}, which this process does not have", what, found)};
  }
  [[nodiscard]] Status requireArray(nn::ParameterIndex parameter, int slot) const {
    if (at(parameter) >= s_.parameters.size()) return unknown("parameter", parameter);
    const nn::Parameter& of = s_.parameters[at(parameter)];
    if (slot < -1 || slot >= static_cast<int>(of.shards[0].slots.size()))
      return unknown("slot", slot);
    return {};
  }

  Session& session_;
  Session::State& s_;
};

}  // namespace

void Session::driveBy(CommandSink sink) {
  state_->sink = std::move(sink);
}

Status Session::follow(const CommandSource& source) {
  CommandReader reader;
  Obey obey(*this, *state_);
  for (;;) {
    PARAPET_ASSIGN(const std::string bytes, source());
    if (bytes.empty()) return {};
    PARAPET_ASSIGN(const Command command, reader.read(bytes));
    PARAPET_TRY(std::visit(obey, command));
  }
}

void Session::State::require(const Command& command) {
  if (const Status told = ask(command); !told.ok())
    throw tensor::DeviceFailure("a process", told.error().message);
}

Status Session::State::forward(nn::StepRunner& runner, nn::Value output,
                               const nn::StepBatch& input) {
  PARAPET_TRY(ask(ForwardBatch{output, input}));
  return runner.forward(input);
}

void Session::State::addUp(std::span<std::int32_t> numbers) const {
  if (!betweenProcesses) return;
  void* const all = numbers.data();
  const Status added = betweenProcesses->allReduce({&all, 1}, std::ssize(numbers),
                                                   mesh::ElementType::kI32, mesh::Memory::kHost);
  if (!added.ok()) throw tensor::DeviceFailure("a process", added.error().message);
}

// The bits of an element are in one process; the others have zeros to add.
void Session::State::addUpBits(std::span<float> elements) const {
  addUp({reinterpret_cast<std::int32_t*>(elements.data()), elements.size()});
}

void Session::gatherRows(const nn::Parameter& parameter, int slot, std::span<float> out) {
  State& s = *state_;
  if (!s.betweenProcesses) return nn::gatherRows(parameter, slot, out);
  s.require(GatherRows{s.indexOf(parameter), slot});
  std::ranges::fill(out, 0.0f);
  nn::gatherRowsHere(parameter, slot, out);
  s.addUpBits(out);
}

void Session::scatterRows(nn::Parameter& parameter, int slot, std::span<const float> in) {
  State& s = *state_;
  if (!s.betweenProcesses) return nn::scatterRows(parameter, slot, in);
  s.require(ScatterRows{s.indexOf(parameter), slot});
  std::vector<float> rows(in.begin(), in.end());
  s.addUpBits(rows);
  nn::scatterRows(parameter, slot, rows);
}

void Session::State::tellSlotsSince() {
  SlotsBegan began;
  for (const nn::Parameter& parameter : parameters) began.since.push_back(parameter.slotsSince);
  require(began);
}

}  // namespace parapet::train
