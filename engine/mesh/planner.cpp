// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/mesh/placement.h"
#include "engine/mesh/planner_report.h"
#include "engine/mesh/planner_search.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;
using experiment::Problem;

std::string exactBytes(std::int64_t bytes) {
  return fmt::format("{} ({} bytes)", formatBytes(static_cast<std::uint64_t>(bytes)), bytes);
}

/// Axes with more than one device: the others split nothing.
std::vector<std::string> splitting(const std::vector<std::string>& axes, const DeviceMesh& mesh) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < mesh.axes().size(); ++i)
    if (mesh.shape()[i] > 1 &&
        (axes.empty() || std::ranges::find(axes, mesh.axes()[i]) != axes.end()))
      kept.push_back(mesh.axes()[i]);
  return kept;
}

/// What placeTable has against the pins of a table, if anything.
std::optional<Problem> pinProblem(const TableRequest& request, const DeviceMesh& mesh) {
  experiment::Table table = request.table;
  if (table.placement == Placement::kAuto)  // axes ask for a split, a device for one
    table.placement = table.device ? Placement::kTable : Placement::kRow;
  const auto placed = placeTable(table, mesh, request.rows, request.pointer);
  if (placed) return std::nullopt;
  return Problem{placed.error().pointer,
                 fmt::format("table \"{}\": {}", table.name, placed.error().message), ""};
}

bool allows(const TableRequest& request, const Layout& layout, const CostModel& model,
            const DeviceMesh& mesh) {
  const experiment::Table& table = request.table;
  if (model.needsFetch(request) && !model.fetchesRows(layout)) return false;
  if (layout.placement == Placement::kColumn &&
      static_cast<std::int64_t>(layout.owners.size()) > table.embeddingDim)
    return false;
  if (!isPinned(table)) return true;
  if (table.placement != Placement::kAuto && table.placement != layout.placement) return false;
  if (table.device) return layout.device == *table.device;
  if (layout.placement == Placement::kTable && table.placement == Placement::kTable) return true;
  if (layout.placement == Placement::kReplicated) return table.axes.empty();
  if (table.placement == Placement::kAuto || !table.axes.empty())
    return layout.axes == splitting(table.axes, mesh);
  return layout.axes == splitting({}, mesh);  // no axes: over all of the mesh
}

/// The layouts that the pins of each table allow.
std::vector<std::vector<int>> allowedLayouts(const PlanRequest& request, const CostModel& model,
                                             std::vector<Problem>& problems) {
  std::vector<std::vector<int>> allowed;
  for (const TableRequest& table : request.tables) {
    std::vector<int>& layouts = allowed.emplace_back();
    if (isPinned(table.table))
      if (auto problem = pinProblem(table, request.mesh)) {
        problems.push_back(std::move(*problem));
        continue;
      }
    if (table.table.placement == Placement::kReplicated && model.needsFetch(table)) {
      problems.push_back(
          {table.pointer + "/cache_rows",
           "every device has a copy of a replicated table; a row may be in one cache alone",
           "null, or placement \"auto\", \"row\", \"row_block\", \"column\" or \"table\""});
      continue;
    }
    const auto& all = model.layouts();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (allows(table, all[i], model, request.mesh)) layouts.push_back(static_cast<int>(i));
    // On one device every placement is the whole table there.
    if (layouts.empty()) layouts.push_back(0);
  }
  return allowed;
}

/// What would help a mesh that has too little in all.
std::string devicesOrBytes(std::int64_t needed, std::int64_t available, int ranks) {
  const std::int64_t devices = (needed * ranks + available - 1) / available;
  const std::string more = exactBytes((needed - available + ranks - 1) / ranks) + " more on each";
  return devices > experiment::kMaxDevices
             ? more
             : fmt::format("at least {} devices of this size, or {}", devices, more);
}

/// The largest table that a device with memory of its own could leave to the host but for the rows
/// that steps use; null if there is none.
const TableRequest* cacheable(const PlanRequest& request, const CostModel& model, int rank) {
  if (!model.ownsMemory(model.spaceOf(rank))) return nullptr;
  const TableRequest* largest = nullptr;
  for (const TableRequest& table : request.tables)
    if (table.cacheRows == 0 && !table.updatesEveryRow && !table.isReadWhole &&
        (!largest || table.bytes() > largest->bytes()))
      largest = &table;
  return largest;
}

/// What is missing, which tables need most, and what would help.
Problem shortfall(const PlanRequest& request, const CostModel& model, const Packing& packing) {
  std::int64_t needed = 0, available = 0, missing = packing.excess(model);
  int peak = 0;
  std::int64_t mostOver = 0;
  for (int rank = 0; rank < model.ranks(); ++rank) {
    const std::int64_t bytes = packing.bytes[static_cast<std::size_t>(rank)];
    needed += bytes;
    available = sumOfCapacities(available, model.capacity(rank));
    if (bytes - model.capacity(rank) > mostOver) {
      mostOver = bytes - model.capacity(rank);
      peak = rank;
    }
  }
  std::vector<const TableRequest*> largest;
  for (const TableRequest& table : request.tables) largest.push_back(&table);
  std::ranges::stable_sort(largest, std::greater{},
                           [](const auto* table) { return table->bytes(); });
  if (largest.size() > 3) largest.resize(3);
  std::string tables;
  constexpr std::int64_t kRowwiseSlotBytes = 4;
  std::int64_t slots = 0;  // that row-wise Adagrad would do without
  for (const TableRequest* table : largest)
    tables += fmt::format("{}\"{}\" {}", tables.empty() ? "" : ", ", table->table.name,
                          formatBytes(static_cast<std::uint64_t>(table->bytes())));
  for (const TableRequest& table : request.tables)
    // Row-wise, one element per row replaces those of all columns.
    slots += std::max<std::int64_t>(
        0, table.bytes() - table.rows * (4 * table.table.embeddingDim + kRowwiseSlotBytes));
  std::string help;
  const bool differ = request.capacityBytes && request.capacityBytes->perDevice;
  if (available > 0 && needed > available && differ)
    help = fmt::format("{} more in all", exactBytes(needed - available));
  else if (available > 0 && needed > available)
    help = devicesOrBytes(needed, available, model.ranks());
  else
    help = "tables that are not pinned to the devices with the highest peak memory";
  if (slots > 0)
    help += fmt::format("; narrower tables; rowwise_adagrad, which would save {}",
                        formatBytes(static_cast<std::uint64_t>(slots)));
  if (const TableRequest* table = cacheable(request, model, peak))
    help += fmt::format("; {}/cache_rows, with which \"{}\" lies in the host's memory",
                        table->pointer, table->table.name);
  return {capacityPointer(request.capacityBytes, peak, model.capacity(peak)),
          fmt::format("{} are missing: the plan that needs least takes {} on {} device{}, which "
                      "{} {}; {} is over by {}. Largest tables: {}",
                      exactBytes(missing), exactBytes(needed), model.ranks(),
                      model.ranks() == 1 ? "" : "s", model.ranks() == 1 ? "has" : "have",
                      exactBytes(available), request.hardware.devices[at(peak)].name,
                      exactBytes(mostOver), tables.empty() ? "none" : tables),
          help};
}

}  // namespace

std::string capacityPointer(const std::optional<experiment::DeviceCapacity>& capacity, int rank,
                            std::int64_t bytes) {
  if (!capacity || bytes < capacity->of(rank)) return "/mesh/devices";
  return capacity->perDevice ? fmt::format("/mesh/capacity_bytes/{}", rank)
                             : "/mesh/capacity_bytes";
}

PlanOutcome planTables(const PlanRequest& request) {
  if (request.hardware.devices.size() != static_cast<std::size_t>(request.mesh.ranks()))
    throw InvalidArgument(fmt::format("[mesh.planTables] {} devices for a mesh of {}",
                                      request.hardware.devices.size(), request.mesh.ranks()));
  if (request.capacityBytes && request.capacityBytes->perDevice &&
      request.capacityBytes->bytes.size() != request.hardware.devices.size())
    throw InvalidArgument(fmt::format("[mesh.planTables] {} capacities for {} devices",
                                      request.capacityBytes->bytes.size(),
                                      request.hardware.devices.size()));
  PlanOutcome outcome;
  const CostModel model(request);
  auto allowed = allowedLayouts(request, model, outcome.problems);
  if (!outcome.problems.empty()) return outcome;
  PackingSearch search(request, model, allowed);
  const Packing packing = search.run();
  if (packing.excess(model) > 0) outcome.problems.push_back(shortfall(request, model, packing));
  outcome.plan = reportPlan(request, model, search, packing, allowed);
  return outcome;
}

}  // namespace parapet::mesh
