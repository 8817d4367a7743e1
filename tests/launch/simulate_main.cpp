// SPDX-License-Identifier: Apache-2.0
// parapet_simulate: seeds of the simulator, from the terminal and from CTest.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <optional>

#include "tests/launch/simulator.h"

using namespace parapet::launch::test;

namespace {

constexpr const char* kUsage =
    "usage: parapet_simulate --seed N [--seeds COUNT] [--break RULE] [--trace]\n"
    "  --seed N       the first seed\n"
    "  --seeds COUNT  how many, one after the other [1]\n"
    "  --break RULE   break a rule of the protocol, to see it found\n"
    "  --trace        print what happens, with virtual milliseconds\n";

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int usage() {
  std::string rules;
  for (const MutationName& each : kMutations)
    rules += fmt::format("                 {}\n", each.name);
  std::fputs((kUsage + ("rules:\n" + rules)).c_str(), stderr);
  return 2;
}

}  // namespace

int main(int count, char** values) {
  std::optional<std::uint64_t> seed, seeds = 1;
  SimulationOptions options;
  std::string broken;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    const std::string_view value = i + 1 < count ? values[i + 1] : "";
    if (name == "--trace") {
      options.isTraced = true;
      continue;
    }
    ++i;
    if (name == "--seed") {
      seed = numberOf(value);
    } else if (name == "--seeds") {
      seeds = numberOf(value);
    } else if (name == "--break") {
      for (const MutationName& each : kMutations)
        if (each.name == value) options.mutation = each.mutation;
      if (options.mutation == Mutation::kNone) return usage();
      broken = fmt::format(" --break {}", value);
    } else {
      return usage();
    }
  }
  if (!seed || !seeds) return usage();
  std::uint64_t restarts = 0, commits = 0, finished = 0;
  for (std::uint64_t i = 0; i < *seeds; ++i) {
    options.seed = *seed + i;
    const SimulationReport report = simulate(options);
    for (const std::string& line : report.trace) fmt::print("{}\n", line);
    restarts += static_cast<std::uint64_t>(report.restarts);
    commits += static_cast<std::uint64_t>(report.commits);
    finished += report.isFinished ? 1 : 0;
    if (report.violation.empty()) continue;
    fmt::print(stderr, "{}\n", report.violation);
    for (const std::string& fault : report.faults) fmt::print(stderr, "  {}\n", fault);
    fmt::print(stderr, "again: parapet_simulate --seed {} --trace{}\n", options.seed, broken);
    return 1;
  }
  fmt::print("{} seeds: {} runs finished, {} ended with a reason; {} restarts, {} checkpoints\n",
             *seeds, finished, *seeds - finished, restarts, commits);
  return 0;
}
