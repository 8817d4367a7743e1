// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "engine/mesh/planner.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/measure.h"
#include "tests/bench/engine/benches.h"

namespace parapet::bench {
namespace {

struct PlannerSettings {
  std::int64_t tables = 1000;
  std::int64_t hosts = 16;
  std::int64_t devicesPerHost = 8;
};

/// Tables of a hundred to half a thousand million rows, 10 TB in all for a thousand of them.
mesh::TableRequest tableAt(std::int64_t index) {
  mesh::TableRequest table;
  table.table.name = fmt::format("table{}", index);
  table.table.embeddingDim = 32 << (index % 3);
  table.pointer = fmt::format("/tables/{}", index);
  table.rows = 100;
  for (std::int64_t i = 0; i < index % 14; ++i) table.rows *= 3;
  table.slotBytesPerElement = 4;
  table.bytesPerRow = 4;
  table.idsPerExample = static_cast<double>(1 + index % 20);
  table.maxIdsPerExample = table.maxIdsOfLookup = 1 + index % 20;
  table.distinct = mesh::DistinctRows::uniform(table.rows);
  return table;
}

mesh::PlanRequest requestOf(const PlannerSettings& settings) {
  const std::string text = fmt::format(
      R"({{"hosts": [{{"count": {}, "devices": [{{"kind": "h100-80gb", "count": {}}}]}}],
          "mesh": {{"shape": [{}, {}], "axes": ["host", "device"]}}}})",
      settings.hosts, settings.devicesPerHost, settings.hosts, settings.devicesPerHost);
  mesh::Hardware hardware = mesh::parseHardware(text, "bench").value();
  auto grid = mesh::DeviceMesh::hypothetical(hardware, hardware.shape, hardware.axes).value();
  mesh::PlanRequest request{.tables = {},
                            .dense = {},
                            .batchRows = 65536,
                            .mesh = std::move(grid),
                            .hardware = std::move(hardware),
                            .capacityBytes = {}};
  for (std::int64_t i = 0; i < settings.tables; ++i) request.tables.push_back(tableAt(i));
  return request;
}

void runPlanner(const PlannerSettings& settings, const Settings& common) {
  const mesh::PlanRequest request = requestOf(settings);
  mesh::PlanOutcome outcome;
  const Timing timing = measure(common.budget, [&] { outcome = mesh::planTables(request); });
  nlohmann::json line = toJson(timing);
  line["tables"] = request.tables.size();
  line["devices"] = request.mesh.ranks();
  line["step_seconds"] = outcome.plan.stepSeconds;
  double bytes = 0.0;
  for (const mesh::TableRequest& table : request.tables)
    bytes += static_cast<double>(table.bytes());
  line["table_bytes"] = bytes;
  line["problems"] = outcome.problems.size();
  printLine(line);
}

}  // namespace

void addPlanner(CLI::App& program) {
  CLI::App* command = program.add_subcommand("planner", "A plan for many tables on many devices");
  const auto settings = std::make_shared<PlannerSettings>();
  const auto common = std::make_shared<Settings>();
  common->addTo(*command);
  command->add_option("--tables", settings->tables, "Tables");
  command->add_option("--hosts", settings->hosts, "Hosts");
  command->add_option("--devices", settings->devicesPerHost, "Devices of each host");
  command->callback([settings, common] { runPlanner(*settings, *common); });
}

}  // namespace parapet::bench
