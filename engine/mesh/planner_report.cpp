// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;

std::string stepText(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} µs", 1e6 * seconds)
                        : fmt::format("{:.2f} ms", 1e3 * seconds);
}

std::string axesText(const std::vector<std::string>& axes) {
  return axes.empty() ? "" : " over " + join(axes, " × ");
}

/// "row-wise (modulo) over data", "table-wise on cuda:3".
std::string wayText(const PlanCandidate& candidate) {
  switch (candidate.placement) {
    case Placement::kRow:
      return "row-wise (modulo)" + axesText(candidate.axes);
    case Placement::kRowBlock:
      return "row-wise (block)" + axesText(candidate.axes);
    case Placement::kColumn:
      return "column-wise" + axesText(candidate.axes);
    case Placement::kTable:
      return "table-wise on " + candidate.device;
    default:
      return "replicated";
  }
}

class Report {
 public:
  Report(const PlanRequest& request, const CostModel& model, const PackingSearch& search,
         const Packing& packing, const std::vector<std::vector<int>>& allowed)
      : request_(request), model_(model), search_(search), packing_(packing), allowed_(allowed) {}

  ShardingPlan run() {
    addDevices();
    for (std::size_t i = 0; i < request_.tables.size(); ++i) addTable(static_cast<int>(i));
    for (std::size_t rank = 0; rank < plan_.devices.size(); ++rank)  // all the rest
      plan_.devices[rank].bufferBytes = packing_.bytes[rank] - plan_.devices[rank].bytes();
    plan_.stepSeconds = stepOf(packing_);
    addTimes();
    addAssumptions();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const MemorySpace& spaceOf(int rank) const {
    return request_.hardware.spaces[at(model_.spaceOf(rank))];
  }

  void addDevices() {
    const TableCost dense = model_.denseCost();
    spaces_ = dense.spaces;
    for (int rank = 0; rank < model_.ranks(); ++rank) {
      const auto index = at(rank);
      DevicePlan device{
          .name = request_.hardware.devices[index].name,
          .memory = spaceOf(rank).name,
          .denseBytes = dense.devices[index].bytes,
          .vectorBytes = static_cast<std::int64_t>(dense.devices[index].vectorBytes),
          .gradientBytes = static_cast<std::int64_t>(dense.devices[index].gradientBytes)};
      device.denseBytes -= model_.bufferBytes(rank);
      if (request_.capacityBytes || spaceOf(rank).profile.memoryBytes > 0)
        device.capacityBytes = model_.capacity(rank);
      plan_.devices.push_back(std::move(device));
    }
  }

  void addTable(int index) {
    const TableRequest& table = request_.tables[at(index)];
    const int chosen = packing_.layoutOf[at(index)];
    const Layout& layout = model_.layouts()[at(chosen)];
    TableCost cost;
    model_.cost(table, layout, cost);
    TablePlan planned{.name = table.table.name,
                      .placement = layout.placement,
                      .axes = layout.axes,
                      .device = layout.device};
    planned.pinned = isPinned(table.table);
    for (int rank = 0; rank < model_.ranks(); ++rank) addPart(planned, table, rank, cost);
    for (std::size_t space = 0; space < spaces_.size(); ++space) {
      spaces_[space].compute += cost.spaces[space].compute;
      spaces_[space].exchange += cost.spaces[space].exchange;
      spaces_[space].update += cost.spaces[space].update;
    }
    addCandidates(planned, index, chosen);
    planned.reason = reason(planned, table);
    if (isCached(table, layout)) {
      hasCaches_ = true;
      planned.reason = cacheReason(planned.reason, table.cacheRows);
    }
    plan_.tables.push_back(std::move(planned));
  }

  /// Whether a device with memory of its own has fewer rows than those of its shard.
  [[nodiscard]] bool isCached(const TableRequest& table, const Layout& layout) const {
    const int shards = model_.sharesMemory() ? 1 : static_cast<int>(layout.owners.size());
    const std::int64_t rows =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, 0).rows;
    for (int rank = 0; rank < model_.ranks(); ++rank)
      if (table.rowsIn(model_.ownsMemory(model_.spaceOf(rank)), rows) < rows) return true;
    return false;
  }

  /// The shard of a table that a device has.
  void addPart(TablePlan& planned, const TableRequest& table, int rank, const TableCost& cost) {
    const TableCost::OfDevice& part = cost.devices[at(rank)];
    DevicePlan& device = plan_.devices[at(rank)];
    if (part.bytes > 0) {
      planned.devices.push_back(rank);
      planned.bytesOfDevice.push_back(part.bytes);
      planned.rowsReadOfDevice.push_back(part.rowsRead);
    }
    planned.bytes += part.bytes;
    const double cols = static_cast<double>(table.table.embeddingDim);
    const double weightShare = 4.0 * cols /
                               (cols * static_cast<double>(4 + table.slotBytesPerElement) +
                                static_cast<double>(table.bytesPerRow));
    const auto weight = static_cast<std::int64_t>(static_cast<double>(part.bytes) * weightShare);
    device.tableBytes += weight;
    device.slotBytes += part.bytes - weight;
    const auto ids = static_cast<std::int64_t>(part.idBytes);
    const auto vectors = static_cast<std::int64_t>(part.vectorBytes);
    const auto gradients = static_cast<std::int64_t>(part.gradientBytes);
    device.idBytes += ids;
    device.vectorBytes += vectors;
    device.gradientBytes += gradients;
    planned.trafficBytes += ids + vectors + gradients;
  }

  void addCandidates(TablePlan& planned, int index, int chosen) const {
    const int onDevice = search_.bestDevice(packing_, index);
    for (const int layout : allowed_[at(index)]) {
      const Layout& lies = model_.layouts()[at(layout)];
      if (lies.placement == Placement::kTable && layout != onDevice && layout != chosen) continue;
      const Packing with = search_.moved(packing_, index, layout);
      const std::int64_t most = search_.maxBytes(index, layout);
      planned.candidates.push_back({lies.placement, lies.axes, lies.device, most, stepOf(with),
                                    with.excess(model_) == 0, layout == chosen});
    }
  }

  [[nodiscard]] std::string reason(const TablePlan& planned, const TableRequest& table) const {
    if (model_.ranks() == 1) return "there is one device, and the table is on it";
    const PlanCandidate* chosen = nullptr;
    const PlanCandidate* next = nullptr;  // the best of the others that fit
    const PlanCandidate* replicated = nullptr;
    for (const PlanCandidate& candidate : planned.candidates) {
      if (candidate.chosen) chosen = &candidate;
      if (candidate.placement == Placement::kReplicated) replicated = &candidate;
      if (!candidate.chosen && candidate.fits && candidate.placement != planned.placement &&
          (next == nullptr || candidate.stepSeconds < next->stepSeconds))
        next = &candidate;
    }
    if (planned.pinned)
      return model_.sharesMemory()
                 ? "the document sets this placement; one memory has the table once under any"
                 : "the document sets this placement";
    std::string why = model_.sharesMemory() ? sharedMemoryReason()
                                            : placementReason(planned, table, *chosen, replicated);
    if (next != nullptr && next->stepSeconds > 1.01 * chosen->stepSeconds)
      why += fmt::format("; {} would take {} a step instead of {}", wayText(*next),
                         stepText(next->stepSeconds), stepText(chosen->stepSeconds));
    return why;
  }

  /// Why a table lies where it does, if the devices have caches of it.
  [[nodiscard]] std::string cacheReason(const std::string& why, std::int64_t rows) const {
    const std::string cache =
        fmt::format("a cache of {} row{}", formatCount(rows), rows == 1 ? "" : "s");
    return model_.ranks() == 1
               ? fmt::format(
                     "there is one device, with {} of the table, which lies in the host's memory",
                     cache)
               : fmt::format("{}; it lies in the host's memory, with {} for each shard", why,
                             cache);
  }

  [[nodiscard]] std::string sharedMemoryReason() const {
    return fmt::format(
        "all {} devices share one memory, which holds the table once under any placement: "
        "rows are read where they lie, and nothing is exchanged",
        model_.ranks());
  }

  [[nodiscard]] std::string placementReason(const TablePlan& planned, const TableRequest& table,
                                            const PlanCandidate& chosen,
                                            const PlanCandidate* replicated) const {
    const std::string whole = formatBytes(static_cast<std::uint64_t>(table.bytes()));
    if (planned.placement == Placement::kReplicated)
      return fmt::format(
          "{} fit on every device, so lookups are local and only gradients are sent{}", whole,
          table.addsWholeGradient ? ", of all rows: less than those of a batch" : "");
    const std::int64_t largest =
        planned.bytesOfDevice.empty() ? 0 : *std::ranges::max_element(planned.bytesOfDevice);
    const std::string part =
        fmt::format("{} of {}", formatBytes(static_cast<std::uint64_t>(largest)), whole);
    std::string why;
    if (replicated != nullptr && !replicated->fits)
      why = fmt::format("{} on every device do not fit", whole);
    else
      why = fmt::format("with {} on every device, gradients would be sent to all others", whole);
    switch (planned.placement) {
      case Placement::kTable:
        return why + fmt::format(
                         "; table-wise on {} all devices request its rows there, and its load "
                         "fits into the time that this device has to spare",
                         planned.device);
      case Placement::kColumn:
        return why +
               "; column-wise every device has some columns of every row, so that the load of "
               "hot rows is shared: " +
               part;
      default:
        return why + fmt::format("; {} every device holds {}", wayText(chosen), part);
    }
  }

  /// Once in a step for ids (unless they travelled before), vectors and gradients of a stack.
  [[nodiscard]] double exchangeLatency(const Packing& packing) const {
    const bool exchanges = std::ranges::any_of(packing.layoutOf, [this](int layout) {
      return model_.fetchesRows(model_.layouts()[at(layout)]);
    });
    if (!exchanges) return 0.0;
    const Hardware& hardware = request_.hardware;
    const bool oneHost = std::ranges::all_of(
        hardware.spaces, [&](const auto& space) { return space.host == hardware.spaces[0].host; });
    const double once = (oneHost ? hardware.withinHost : hardware.betweenHosts).latencySeconds;
    const auto collectives = request_.overlap ? 2.0 : 3.0;
    return collectives * once *
           (request_.stackTables ? 1.0 : static_cast<double>(request_.tables.size()));
  }

  [[nodiscard]] double stepOf(const Packing& packing) const {
    return packing.stepSeconds() + exchangeLatency(packing);
  }

  /// The times of a device are those of its memory space, whose cores its ranks share.
  void addTimes() {
    const double latency = exchangeLatency(packing_);
    for (int rank = 0; rank < model_.ranks(); ++rank) {
      const TableCost::OfSpace& space = spaces_[at(model_.spaceOf(rank))];
      DevicePlan& device = plan_.devices[at(rank)];
      device.computeSeconds = space.compute;
      device.exchangeSeconds = space.exchange + latency;
      device.updateSeconds = space.update;
      device.waitSeconds = std::max(0.0, plan_.stepSeconds - space.seconds() - latency);
    }
  }

  void addAssumptions() {
    std::vector<std::string> seen;
    for (const MemorySpace& space : request_.hardware.spaces) {
      const std::string line = space.profile.kind + ": " + space.profile.source;
      if (std::ranges::find(seen, line) == seen.end()) seen.push_back(line);
    }
    plan_.assumptions = seen;
    const auto even = std::ranges::count_if(
        request_.tables, [](const TableRequest& table) { return !table.distinct.isMeasured(); });
    if (even > 0)
      plan_.assumptions.push_back(fmt::format(
          "uniform access to the rows of {} is assumed: no data were available to count ids",
          even == static_cast<std::ptrdiff_t>(request_.tables.size())
              ? std::string("all tables")
              : fmt::format("{} tables", even)));
    if (hasCaches_)
      plan_.assumptions.emplace_back(
          "the rows of a step are in the caches of its devices; those that are not take the time "
          "of a copy from the host's memory");
  }

  const PlanRequest& request_;
  const CostModel& model_;
  const PackingSearch& search_;
  const Packing& packing_;
  const std::vector<std::vector<int>>& allowed_;
  ShardingPlan plan_;
  std::vector<TableCost::OfSpace> spaces_;
  bool hasCaches_ = false;
};

}  // namespace

ShardingPlan reportPlan(const PlanRequest& request, const CostModel& model,
                        const PackingSearch& search, const Packing& packing,
                        const std::vector<std::vector<int>>& allowed) {
  return Report(request, model, search, packing, allowed).run();
}

}  // namespace parapet::mesh
