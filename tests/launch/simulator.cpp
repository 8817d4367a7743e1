// SPDX-License-Identifier: Apache-2.0
#include "tests/launch/simulator.h"

#include "tests/launch/simulated_world.h"

namespace parapet::launch::test {
namespace {

/// Whether an observer may blame `blamed` when `fault` is the only one.
bool mayBlame(const Fault& fault, int observer, int blamed, int processes, bool hasBegun) {
  if (blamed == fault.rank) return true;
  // Who is cut off, was stopped or comes when the run is over sees process 0 silent, and of two
  // neither can tell.
  const bool isCut = fault.kind == FaultKind::kPartition || fault.kind == FaultKind::kStop ||
                     fault.kind == FaultKind::kStartAgain;
  // Before the run begins a process 0 that is cut off misses all others.
  return isCut && ((observer == fault.rank && blamed == 0) || (processes == 2 && blamed <= 1) ||
                   (fault.rank == 0 && !hasBegun));
}

bool mayFail(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kFullDisk:
    case FaultKind::kClockJump:
      return false;
    case FaultKind::kStop:
    case FaultKind::kPartition:
      return fault.isLong;
    default:
      return true;
  }
}

std::string checkEnds(const Scenario& scenario, const World& world,
                      const SimulationReport& report) {
  const bool isAlone = scenario.faults.size() == 1;
  const bool mayEndBadly = !scenario.faults.empty() && (!isAlone || mayFail(scenario.faults[0]));
  if (!mayEndBadly && (!report.isFinished || report.restarts > 0))
    return "nothing that ends a run was injected, and it did not finish undisturbed";
  if (isAlone && scenario.faults[0].rank != 0 && world.hasBegun() && !report.isFinished &&
      scenario.processes > 2)
    return "one member failed, and the others did not finish";
  for (const auto& process : world.processes()) {
    if (!process->end && process->rank == 0 && scenario.faults.empty())
      return "process 0 has no end";
    for (const auto& verdict : {process->verdict, process->end}) {
      if (!verdict || !isAlone || verdict->ending == Ending::kFinished) continue;
      const Fault& fault = scenario.faults[0];
      if (!mayBlame(fault, process->rank, verdict->rank, scenario.processes, world.hasBegun()))
        return fmt::format("rank {} blames rank {} ({}) for: {}", process->rank, verdict->rank,
                           verdict->reason, fault.text());
    }
    if (process->end && process->end->ending == Ending::kFinished) {
      const auto& whole = reference().back();
      const ToyState& state = process->state;
      for (std::size_t i = 0; i < state.words.size(); ++i)
        if (state.step != kPlan.steps || state.words[i] != whole.words.at(state.first + i))
          return fmt::format("rank {} ends with other bits", process->rank);
    }
  }
  return {};
}

}  // namespace

SimulationReport simulate(const SimulationOptions& options) {
  SimulationReport report;
  Draws draws(options.seed);
  SimulatedDisk disk([&](std::uint64_t bound) { return draws.below(bound); });
  const Scenario scenario = drawScenario(draws, kLimits.silenceMs);
  report.faults.push_back(fmt::format("{} processes, {} ‰ dropped, up to {} ms late",
                                      scenario.processes, scenario.dropPermille,
                                      scenario.maxDelayMs));
  for (const Fault& fault : scenario.faults) report.faults.push_back(fault.text());
  {
    World world(scenario, options, draws, disk, report);
    world.run();
    if (report.violation.empty()) report.violation = checkEnds(scenario, world, report);
  }
  if (!report.violation.empty() || report.isFinished) return report;
  // Started again by hand, on what is left.
  for (int host = 0; host < scenario.processes; ++host)
    disk.setFull(host, false), disk.setLying(host, false);
  for (const std::string& folder : disk.folders())
    if (!isCommitted(folder)) (void)disk.rename(0, folder, folder + ".bad");
  const Scenario quiet{.processes = scenario.processes,
                       .dropPermille = 0,
                       .maxDelayMs = 1,
                       .faults = {},
                       .mayLoseSyncs = scenario.mayLoseSyncs};
  SimulationReport again;
  World world(quiet, options, draws, disk, again);
  world.run();
  report.trace.insert(report.trace.end(), again.trace.begin(), again.trace.end());
  if (again.violation.empty() && !again.isFinished) again.violation = "it does not finish";
  if (!again.violation.empty()) report.violation = "started again: " + again.violation;
  return report;
}

}  // namespace parapet::launch::test
