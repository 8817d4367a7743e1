// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct PlanArguments {
  DocumentArguments document;
  std::string profile;
  bool noImport = false, program = false;
};

std::string sizeText(std::int64_t bytes) {
  return formatBytes(static_cast<std::uint64_t>(bytes));
}

std::string timeText(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} µs", 1e6 * seconds)
                        : fmt::format("{:.2f} ms", 1e3 * seconds);
}

std::string placementText(const mesh::TablePlan& table) {
  std::string text = placementLabel(mesh::placementName(table.placement));
  if (!table.axes.empty()) text += " over " + join(table.axes, " × ");
  return table.device.empty() ? text : text + " on " + table.device;
}

Json deviceJson(const mesh::DevicePlan& device) {
  return Json{{"name", device.name},
              {"memory", device.memory},
              {"bytes", device.bytes()},
              {"capacity_bytes", countOrNull(device.capacityBytes)},
              {"table_bytes", device.tableBytes},
              {"slot_bytes", device.slotBytes},
              {"dense_bytes", device.denseBytes},
              {"buffer_bytes", device.bufferBytes},
              {"traffic_bytes_per_step", device.trafficBytes()},
              {"id_bytes_per_step", device.idBytes},
              {"vector_bytes_per_step", device.vectorBytes},
              {"gradient_bytes_per_step", device.gradientBytes},
              {"compute_seconds", device.computeSeconds},
              {"exchange_seconds", device.exchangeSeconds},
              {"update_seconds", device.updateSeconds},
              {"wait_seconds", device.waitSeconds}};
}

Json tableJson(const mesh::TablePlan& table, const mesh::ShardingPlan& plan) {
  Json devices = Json::array(), candidates = Json::array();
  for (const int rank : table.devices)
    devices.push_back(plan.devices[static_cast<std::size_t>(rank)].name);
  for (const mesh::PlanCandidate& candidate : table.candidates)
    candidates.push_back(Json{{"placement", mesh::placementName(candidate.placement)},
                              {"axes", candidate.axes},
                              {"device", textOrNull(candidate.device)},
                              {"bytes_per_device", candidate.bytesPerDevice},
                              {"step_seconds", candidate.stepSeconds},
                              {"fits", candidate.fits},
                              {"chosen", candidate.chosen}});
  return Json{{"name", table.name},
              {"placement", mesh::placementName(table.placement)},
              {"axes", table.axes},
              {"devices", std::move(devices)},
              {"bytes", table.bytes},
              {"bytes_of_device", table.bytesOfDevice},
              {"traffic_bytes_per_step", table.trafficBytes},
              {"pinned", table.pinned},
              {"reason", table.reason},
              {"candidates", std::move(candidates)}};
}

// Bytes that a memory space holds once are shared out among its devices, so their sum is those of
// the space.
Json spacesJson(const mesh::ShardingPlan& plan) {
  Json spaces = Json::array();
  for (const mesh::DevicePlan& device : plan.devices) {
    auto space = std::ranges::find_if(
        spaces, [&](const Json& known) { return known["name"] == device.memory; });
    if (space == spaces.end()) {
      spaces.push_back(Json{{"name", device.memory}, {"devices", Json::array()}, {"bytes", 0}});
      space = std::prev(spaces.end());
    }
    (*space)["devices"].push_back(device.name);
    (*space)["bytes"] = (*space)["bytes"].get<std::int64_t>() + device.bytes();
  }
  return spaces;
}

Json planJson(const workspace::PlanReport& report) {
  Json devices = Json::array(), tables = Json::array();
  for (const mesh::DevicePlan& device : report.plan.devices) devices.push_back(deviceJson(device));
  for (const mesh::TablePlan& table : report.plan.tables)
    tables.push_back(tableJson(table, report.plan));
  const bool planned = !report.plan.devices.empty();
  const auto known = [](const std::optional<std::int64_t>& bytes) {
    return bytes ? Json(*bytes) : Json(nullptr);
  };
  std::int64_t training = 0;
  for (const mesh::DevicePlan& device : report.plan.devices) training += device.bytes();
  return Json{{"devices", std::move(devices)},
              {"spaces", spacesJson(report.plan)},
              {"tables", std::move(tables)},
              {"step_seconds", planned ? Json(report.plan.stepSeconds) : Json(nullptr)},
              {"memory",
               Json{{"training_bytes", planned ? Json(training) : Json(nullptr)},
                    {"evaluation_buffer_bytes",
                     planned ? Json(report.besides.evaluationBuffers) : Json(nullptr)},
                    {"catalogue_vector_bytes", known(report.besides.catalogueVectors)},
                    {"history_bytes", known(report.besides.histories)},
                    {"cached_table_bytes", planned ? Json(report.cachedTableBytes) : Json(nullptr)},
                    {"peak_bytes", planned ? Json(report.peakBytes()) : Json(nullptr)}}},
              {"batch_rows", countOrNull(report.batchRows)},
              {"mesh", Json{{"shape", report.shape}, {"axes", report.axes}}},
              {"ids_measured", report.idsMeasured},
              {"program", splitFields(trim(report.program), '\n')},
              {"assumptions", report.plan.assumptions},
              {"warnings", problemsJson(report.findings.warnings)},
              {"problems", problemsJson(report.findings.problems)}};
}

/// Neighbouring devices with the same figures share a line: on 128 GPUs most do.
std::string devicesText(const mesh::ShardingPlan& plan) {
  TextTable table({{"device"},
                   {"tables", Align::kRight},
                   {"slots", Align::kRight},
                   {"layers", Align::kRight},
                   {"buffers", Align::kRight},
                   {"of", Align::kRight},
                   {"sent per step", Align::kRight},
                   {"compute", Align::kRight},
                   {"exchange", Align::kRight},
                   {"update", Align::kRight},
                   {"wait", Align::kRight}});
  const auto cells = [](const mesh::DevicePlan& device) {
    return std::vector<std::string>{sizeText(device.tableBytes),
                                    sizeText(device.slotBytes),
                                    sizeText(device.denseBytes),
                                    sizeText(device.bufferBytes),
                                    device.capacityBytes > 0 ? sizeText(device.capacityBytes) : "–",
                                    sizeText(device.trafficBytes()),
                                    timeText(device.computeSeconds),
                                    timeText(device.exchangeSeconds),
                                    timeText(device.updateSeconds),
                                    timeText(device.waitSeconds)};
  };
  for (std::size_t i = 0; i < plan.devices.size();) {
    std::vector<std::string> row = cells(plan.devices[i]);
    std::size_t end = i + 1;
    while (end < plan.devices.size() && cells(plan.devices[end]) == row) ++end;
    const std::string& first = plan.devices[i].name;
    row.insert(row.begin(),
               end == i + 1 ? first : fmt::format("{} … {}", first, plan.devices[end - 1].name));
    table.add(std::move(row));
    i = end;
  }
  return table.text();
}

std::string planText(const workspace::PlanReport& report,
                     const experiment::Experiment& experiment) {
  TextTable tables({{"table"},
                    {"placement"},
                    {"devices", Align::kRight},
                    {"bytes", Align::kRight},
                    {"sent per step", Align::kRight},
                    {"why"}});
  for (const mesh::TablePlan& table : report.plan.tables)
    tables.add({table.name, placementText(table),
                formatCount(static_cast<std::int64_t>(table.devices.size())), sizeText(table.bytes),
                sizeText(table.trafficBytes), table.reason});
  std::string text = fmt::format(
      "A step of {} {} takes about {} on {} device{}.\n\n", formatCount(report.batchRows),
      experiment.training.objective == experiment::Objective::kAllPositions ? "sequences" : "rows",
      timeText(report.plan.stepSeconds), report.plan.devices.size(),
      report.plan.devices.size() == 1 ? "" : "s");
  text += tables.text() + "\n" + devicesText(report.plan) + "\n";
  for (const std::string& line : report.plan.assumptions) text += line + ".\n";
  return text;
}

/// The devices of --profile, or those of them that --devices names.
Result<mesh::Hardware> readHardware(const std::string& path, const std::string& devices) {
  PARAPET_ASSIGN(const std::string text, readFile(path));
  PARAPET_ASSIGN(mesh::Hardware hardware, mesh::parseHardware(text, path));
  if (devices.empty()) return hardware;
  std::vector<std::string> names;
  for (const std::string_view name : splitFields(devices, ',')) names.emplace_back(trim(name));
  return hardware.restrictedTo(names);
}

Answer plan(Invocation& invocation, const PlanArguments& arguments) {
  DocumentArguments document = arguments.document;
  workspace::PlanOptions options;
  options.data = arguments.noImport ? workspace::PlanOptions::Data::kAsImported
                                    : workspace::PlanOptions::Data::kImport;
  if (!arguments.profile.empty()) {
    PARAPET_ASSIGN(auto hardware, readHardware(arguments.profile, document.devices));
    options.hardware = std::move(hardware);
    document.devices.clear();
  }
  PARAPET_ASSIGN(const auto parsed, loadDocument(invocation, document));
  printWarnings(parsed.findings.warnings);
  workspace::PlanReport report;
  report.findings.problems = parsed.findings.problems;
  if (!report.findings.problems.empty())
    return Answer::refused(report.findings.problems, planJson(report));
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  auto planned = opened->plan(parsed.experiment, options, invocation.work());
  if (!planned.ok()) return Answer(planned.error(), planJson(report));
  report = std::move(planned).value();
  printWarnings(report.findings.warnings);
  if (!report.findings.problems.empty())
    return Answer::refused(report.findings.problems, planJson(report));
  Json json = planJson(report);
  std::string text = planText(report, parsed.experiment);
  if (arguments.program) text += "\nA training step of each memory space:\n" + report.program;
  return Answer::of(std::move(json), std::move(text));
}

}  // namespace

void addPlan(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "plan", "Show the placement of each table, the reason, and the estimated step time");
  command->footer(
      "Example: parapet-cli plan sample --profile hosts.json\n"
      "hosts.json: {\"hosts\": [{\"name\": \"node\", \"count\": 16, \"devices\": [{\"kind\": "
      "\"h100-80gb\", \"count\": 8}]}]}");
  const auto arguments = std::make_shared<PlanArguments>();
  arguments->document.addTo(*command);
  command->add_option("--profile", arguments->profile,
                      "Plan for the hardware that this file describes instead of this machine");
  command->add_flag("--no-import", arguments->noImport,
                    "Plan with the data that were imported before; a table whose size depends on "
                    "new data is a problem");
  command->add_flag("--program", arguments->program,
                    "Print the instructions of a training step, one per line");
  onRun(*command, invocation, [&invocation, arguments] { return plan(invocation, *arguments); });
}

}  // namespace parapet::cli
