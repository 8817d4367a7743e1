// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/record/problem.h"
#include "engine/base/text.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;
using experiment::Table;

using record::documentError;

/// Position of an axis on the mesh.
Result<std::size_t> findAxis(const std::vector<std::string>& axes, const std::string& name,
                             const std::string& pointer) {
  const auto found = std::ranges::find(axes, name);
  if (found == axes.end())
    return documentError(pointer, fmt::format("the mesh has no axis \"{}\"{}; it has {}", name,
                                              didYouMean(name, axes), join(axes)));
  return static_cast<std::size_t>(found - axes.begin());
}

/// The axes that split a table, in its order; all of the mesh if it names none.
Result<std::vector<std::size_t>> splitAxes(const Table& table, const DeviceMesh& mesh,
                                           const std::string& pointer) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    const std::string axisPointer = fmt::format("{}/axes/{}", pointer, i);
    PARAPET_ASSIGN(const std::size_t axis, findAxis(mesh.axes(), table.axes[i], axisPointer));
    if (std::ranges::find(axes, axis) != axes.end())
      return documentError(
          axisPointer, fmt::format("axis \"{}\" again; a table names an axis once", table.axes[i]));
    axes.push_back(axis);
  }
  if (axes.empty())
    for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) axes.push_back(axis);
  return axes;
}

/// [shard][group]: ranks by their position along the axes and along the others.
std::vector<std::vector<int>> holdersAlong(const std::vector<std::size_t>& axes,
                                           const DeviceMesh& mesh) {
  std::int64_t shards = 1;
  for (const std::size_t axis : axes) shards *= mesh.shape()[axis];
  std::vector<std::vector<int>> owners(static_cast<std::size_t>(shards));
  // Ranks ascend, so the positions along the other axes come row-major by themselves.
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    const std::vector<std::int64_t> at = mesh.coordinates(rank);
    std::int64_t shard = 0;
    for (const std::size_t axis : axes) shard = shard * mesh.shape()[axis] + at[axis];
    owners[static_cast<std::size_t>(shard)].push_back(rank);
  }
  return owners;
}

Result<int> rankOf(const Table& table, const DeviceMesh& mesh, const std::string& pointer) {
  if (!table.device) return 0;
  const std::vector<std::string> names = mesh.deviceNames();
  const auto found = std::ranges::find(names, *table.device);
  if (found == names.end())
    return documentError(pointer + "/device",
                         fmt::format("the mesh has no device \"{}\"{}; it has {}", *table.device,
                                     didYouMean(*table.device, names), join(names)));
  return static_cast<int>(found - names.begin());
}

}  // namespace

Result<Sharding> placeTable(const Table& table, const DeviceMesh& mesh, std::int64_t rows,
                            const std::string& pointer) {
  const std::int64_t cols = table.embeddingDim;
  const bool whole =
      table.placement == Placement::kReplicated || table.placement == Placement::kTable;
  if (table.placement == Placement::kAuto)
    return documentError(pointer + "/placement",
                         "placement \"auto\" of a table that was not planned");
  if (whole && !table.axes.empty())
    return documentError(pointer + "/axes",
                         "axes of a table that is not split; accepted is an empty list");
  if (table.device && table.placement != Placement::kTable)
    return documentError(pointer + "/device",
                         "a device for a table that is not on one; accepted is null");
  if (table.placement == Placement::kReplicated)
    return Sharding::replicated(rows, cols, mesh.ranks());
  if (table.placement == Placement::kTable) {
    PARAPET_ASSIGN(const int rank, rankOf(table, mesh, pointer));
    return Sharding(table.placement, rows, cols, {{rank}});
  }
  PARAPET_ASSIGN(const std::vector<std::size_t> axes, splitAxes(table, mesh, pointer));
  std::vector<std::vector<int>> owners = holdersAlong(axes, mesh);
  if (table.placement == Placement::kColumn && static_cast<std::int64_t>(owners.size()) > cols)
    return documentError(pointer + "/placement",
                         fmt::format("{} columns on {} shards; accepted are at most as many shards "
                                     "as columns",
                                     cols, owners.size()));
  return Sharding(table.placement, rows, cols, std::move(owners));
}

Sharding heldSharding(const Sharding& placed, const DeviceMesh& mesh) {
  const auto spaces = static_cast<int>(mesh.spaces().size());
  const Sharding whole = Sharding::replicated(placed.rows(), placed.cols(), spaces);
  std::vector<std::vector<int>> owners;
  std::set<int> taken;
  bool overlap = false;
  for (int shard = 0; shard < placed.shards(); ++shard) {
    std::set<int> held;
    for (const int rank : placed.owners(shard)) held.insert(mesh.spaceOf(rank));
    std::vector<int> ordered(held.begin(), held.end());
    if (std::ranges::find(owners, ordered) != owners.end()) continue;
    for (const int space : ordered) overlap = !taken.insert(space).second || overlap;
    overlap = overlap || (!owners.empty() && owners[0].size() != ordered.size());
    owners.push_back(std::move(ordered));
  }
  if (overlap) {
    owners.clear();
    for (int space = 0; space < spaces; ++space) owners.push_back({space});
  }
  const bool isEverywhere = owners.size() == 1 && static_cast<int>(owners[0].size()) == spaces;
  const bool isTooNarrow = placed.placement() == Placement::kColumn &&
                           static_cast<std::int64_t>(owners.size()) > placed.cols();
  if (isEverywhere || isTooNarrow) return whole;
  return Sharding(placed.placement(), placed.rows(), placed.cols(), std::move(owners));
}

std::vector<tensor::Device> devicesOf(const Sharding& held, const DeviceMesh& mesh) {
  std::vector<tensor::Device> devices;
  for (int shard = 0; shard < held.shards(); ++shard)
    for (const int space : held.owners(shard)) devices.push_back(mesh.spaceDevice(space));
  return devices;
}

}  // namespace parapet::mesh
