// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/selftest/device_report.h"

namespace parapet::cli {
namespace {

using selftest::DeviceReport;

struct SelftestArguments {
  std::string device;
  bool quick = false, large = false;
  std::optional<std::int64_t> threads;
};

Json speedOf(const DeviceReport& report, double selftest::Speed::*member) {
  return report.speed ? number((*report.speed).*member) : Json();
}

/// Named as tests/gpu/peers.py names what others reach.
Json largeJson(const selftest::LargeShapes& of) {
  return Json{{"matmul_flops_per_second", number(of.matmulFlopsPerSecond)},
              {"bf16_matmul_flops_per_second", number(of.bf16MatmulFlopsPerSecond)},
              {"gather_bytes_per_second", number(of.gatherBytesPerSecond)},
              {"in_batch_softmax_seconds", number(of.inBatchSoftmaxSeconds)},
              {"top_10_seconds", number(of.topKSeconds)}};
}

Json reportJson(const DeviceReport& report) {
  Json ops = Json::array(), failures = Json::array();
  for (const selftest::OpReport& op : report.ops)
    ops.push_back(Json{{"op", op.op},
                       {"cases", op.cases},
                       {"failed", op.failed},
                       {"max_error", number(op.maxError)}});
  for (const selftest::FailedCase& failed : report.failures)
    failures.push_back(Json{{"case", failed.name},
                            {"op", failed.op},
                            {"error", number(failed.outcome.maxError)},
                            {"tolerance", number(failed.outcome.tolerance)},
                            {"detail", failed.outcome.detail}});
  return Json{{"name", report.device},
              {"kind", report.kind},
              {"instruction_set", report.instructionSet},
              {"passed", report.passed()},
              {"cases", report.cases},
              {"failed", report.failures.size()},
              {"max_error", number(report.maxError)},
              {"max_error_units", number(report.maxErrorUnits())},
              {"gather_bytes_per_second", speedOf(report, &selftest::Speed::gatherBytesPerSecond)},
              {"copy_bytes_per_second", speedOf(report, &selftest::Speed::copyBytesPerSecond)},
              {"fill_bytes_per_second", speedOf(report, &selftest::Speed::fillBytesPerSecond)},
              {"matmul_flops_per_second", speedOf(report, &selftest::Speed::matmulFlopsPerSecond)},
              {"large_shapes", report.large ? largeJson(*report.large) : Json()},
              {"seconds", number(report.seconds)},
              {"ops", std::move(ops)},
              {"failures", std::move(failures)}};
}

std::string giga(const DeviceReport& report, double selftest::Speed::*member) {
  return report.speed ? fmt::format("{:.1f}", (*report.speed).*member / 1e9) : "–";
}

std::string describe(const std::vector<DeviceReport>& reports) {
  TextTable table({{"device"},
                   {"instruction set"},
                   {"passed", Align::kRight},
                   {"largest error [2^-24]", Align::kRight},
                   {"gather [GB/s]", Align::kRight},
                   {"copy [GB/s]", Align::kRight},
                   {"fill [GB/s]", Align::kRight},
                   {"matmul [GFLOP/s]", Align::kRight}});
  std::string failures, large;
  for (const DeviceReport& report : reports) {
    table.add({report.device, report.instructionSet,
               fmt::format("{} of {}", report.cases - static_cast<int>(report.failures.size()),
                           report.cases),
               fmt::format("{:.1f}", report.maxErrorUnits()),
               giga(report, &selftest::Speed::gatherBytesPerSecond),
               giga(report, &selftest::Speed::copyBytesPerSecond),
               giga(report, &selftest::Speed::fillBytesPerSecond),
               giga(report, &selftest::Speed::matmulFlopsPerSecond)});
    if (report.large)
      large += fmt::format(
          "\n{}: large products {:.1f} TFLOP/s, in bf16 {:.1f}; gather {:.1f} GB/s; in-batch "
          "softmax {:.3g} ms; top 10 {:.3g} ms\n",
          report.device, report.large->matmulFlopsPerSecond / 1e12,
          report.large->bf16MatmulFlopsPerSecond / 1e12, report.large->gatherBytesPerSecond / 1e9,
          report.large->inBatchSoftmaxSeconds * 1e3, report.large->topKSeconds * 1e3);
    for (const selftest::FailedCase& failed : report.failures)
      failures +=
          fmt::format("\n{}: {}: {} (error {:.3g}, accepted {:.3g})", report.device, failed.name,
                      failed.outcome.detail, failed.outcome.maxError, failed.outcome.tolerance);
  }
  return table.text() + large + (failures.empty() ? "" : failures + "\n");
}

Answer answerOf(const std::vector<DeviceReport>& reports, std::optional<Error> stopped) {
  Json devices = Json::array();
  int failed = 0;
  for (const DeviceReport& report : reports) {
    devices.push_back(reportJson(report));
    failed += static_cast<int>(report.failures.size());
  }
  Json json{{"passed", !stopped && failed == 0}, {"devices", std::move(devices)}};
  if (stopped) return Answer(std::move(*stopped), std::move(json));
  Answer answer = Answer::of(std::move(json), describe(reports));
  if (failed > 0) {
    answer.failure =
        Failure{Error{ErrorCode::kDevice, fmt::format("{} cases did not pass", failed)}};
    answer.code = ExitCode::kFailed;
  }
  return answer;
}

Answer test(Invocation& invocation, const SelftestArguments& arguments) {
  PARAPET_ASSIGN(const auto devices, selftest::devicesNamed(arguments.device));
  const selftest::DeviceTestOptions options{
      .speed = !arguments.quick,
      .large = arguments.large,
      .threads = static_cast<int>(arguments.threads.value_or(0))};
  const WorkContext context = invocation.work();
  std::vector<DeviceReport> reports;
  for (const tensor::Device& device : devices) {
    if (invocation.style() != ProgressStyle::kNone)
      writeStderr(fmt::format("testing {} ({})", device.name(), device.instructionSet()));
    auto report = selftest::testDevice(device, options, context);
    if (!report.ok()) return answerOf(reports, report.error());
    reports.push_back(std::move(*report));
  }
  return answerOf(reports, std::nullopt);
}

}  // namespace

void addSelftest(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "selftest", "Compare every operation of a device with its reference, and measure its speed");
  command->footer(
      "Examples: parapet-cli selftest\n"
      "          parapet-cli selftest --device cpu:0 --json");
  const auto arguments = std::make_shared<SelftestArguments>();
  command
      ->add_option("--device", arguments->device,
                   "A device of `parapet-cli devices`, a kind, or an instruction set [all]")
      ->type_name("NAME");
  command->add_flag("--quick", arguments->quick, "Do not measure the speed");
  command->add_flag(
      "--large", arguments->large,
      "Measure shapes that keep a GPU busy, too, in 1.6 GB of its memory; minutes on a CPU");
  addThreads(*command, arguments->threads, "Threads that measure the speed [all cores]");
  onRun(*command, invocation, [&invocation, arguments] { return test(invocation, *arguments); });
}

}  // namespace parapet::cli
