// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/device_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"

namespace parapet::selftest {
namespace {

void keep(const Case& conformance, const Outcome& outcome, DeviceReport& report) {
  auto op = std::ranges::find(report.ops, conformance.op, &OpReport::op);
  if (op == report.ops.end()) op = report.ops.insert(report.ops.end(), {.op = conformance.op});
  ++op->cases;
  const double error = outcome.maxError * (kUnit / conformance.unit);
  op->maxError = std::max(op->maxError, error);
  ++report.cases;
  report.maxError = std::max(report.maxError, error);
  if (outcome.passed) return;
  ++op->failed;
  report.failures.push_back({conformance.name, conformance.op, outcome});
}

std::string_view kindOf(const tensor::Device& device) {
  return device.backend().kind;
}

}  // namespace

double DeviceReport::maxErrorUnits() const {
  return maxError / kUnit;
}

Result<DeviceReport> testDevice(const tensor::Device& device, const DeviceTestOptions& options,
                                const WorkContext& context) {
  const Stopwatch watch;
  DeviceReport report{.device = device.name(),
                      .kind = std::string(kindOf(device)),
                      .instructionSet = std::string(device.instructionSet())};
  std::vector<Case> cases = opCases(device);
  if (device.isHost())
    std::ranges::move(collectiveCases([&](int ranks) {
                        return mesh::makeLocalCommunicator(ranks, {&device, nullptr});
                      }),
                      std::back_inserter(cases));
  const auto total = static_cast<std::int64_t>(cases.size());
  for (const Case& conformance : cases) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the self-test was stopped"};
    context.report(fmt::format("{} {}", device.instructionSet(), conformance.op), report.cases,
                   total);
    keep(conformance, conformance.run(), report);
  }
  if (options.speed) {
    context.report(fmt::format("{} speed", device.instructionSet()), total, total);
    Workers workers(options.threads > 0 ? options.threads : Workers::available());
    PARAPET_ASSIGN(report.speed, measureSpeed({&device, &workers}, context.stop));
  }
  if (options.large) {
    context.report(fmt::format("{} large shapes", device.instructionSet()), total, total);
    Workers workers(options.threads > 0 ? options.threads : Workers::available());
    PARAPET_ASSIGN(
        report.large,
        measureLargeShapes({&device, &workers}, options.speed ? LargeSizes{} : LargeSizes::small(),
                           context.stop));
  }
  report.seconds = watch.seconds();
  return report;
}

namespace {

/// " (no driver: …)" where what would give a device tells why it does not.
std::string whyAbsent(const std::string& name) {
  const auto& outcomes = tensor::DeviceRegistry::instance().outcomes();
  const auto isOfKind = [&](const tensor::BackendOutcome& outcome) {
    return outcome.kind == name.substr(0, name.find(':'));
  };
  const auto found = std::ranges::find_if(outcomes, isOfKind);
  return found == outcomes.end() || found->reason.empty() ||
                 found->outcome == PluginOutcome::kLoaded
             ? ""
             : " (" + found->reason + ")";
}

}  // namespace

Result<std::vector<tensor::Device>> devicesNamed(const std::string& name) {
  std::vector<tensor::Device> all = tensor::DeviceRegistry::instance().variants();
  if (name.empty()) return all;
  std::vector<std::string> known;
  for (const tensor::Device& device : all) known.push_back(device.name());
  std::erase_if(all, [&](const tensor::Device& device) {
    return name != device.name() && name != kindOf(device) && name != device.instructionSet();
  });
  if (!all.empty()) return all;
  if (auto device = tensor::DeviceRegistry::instance().find(name)) return std::vector{*device};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("device \"{}\" cannot be used here{}{}; accepted: {}", printable(name),
                           whyAbsent(name), didYouMean(name, known), join(known))};
}

}  // namespace parapet::selftest
