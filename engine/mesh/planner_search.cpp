// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner_search.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace parapet::mesh {
namespace {

using experiment::Placement;

// Among plans of equal length the one with less work in all is better, and shows the way to a
// shorter one.
constexpr double kWeightOfMean = 1e-3;
constexpr int kMaxPasses = 6;

}  // namespace

double Packing::stepSeconds() const {
  return *std::ranges::max_element(seconds);
}

std::int64_t Packing::excess(const CostModel& model) const {
  std::int64_t excess = 0;
  for (int rank = 0; rank < model.ranks(); ++rank)
    excess += std::max<std::int64_t>(0, bytes[at(rank)] - model.capacity(rank));
  return excess;
}

PackingSearch::PackingSearch(const PlanRequest& request, const CostModel& model,
                             std::vector<std::vector<int>> allowed)
    : request_(request), model_(model), allowed_(std::move(allowed)) {
  const TableCost cost = model.denseCost();
  dense_.layoutOf.assign(request.tables.size(), -1);
  footprints_.assign(request.tables.size(), std::vector<Footprint>(model.layouts().size()));
  for (int rank = 0; rank < model.ranks(); ++rank)
    dense_.bytes.push_back(cost.devices[at(rank)].bytes);
  for (const TableRequest& table : request.tables) stackBytes_.push_back(model.stackBytes(table));
  for (const TableCost::OfSpace& space : cost.spaces) dense_.seconds.push_back(space.seconds());
}

const PackingSearch::Footprint& PackingSearch::footprint(int table, int layout) const {
  const TableRequest& request = request_.tables[at(table)];
  const Layout& lies = model_.layouts()[at(layout)];
  Footprint& found =
      lies.placement == Placement::kTable ? onDevice_ : footprints_[at(table)][at(layout)];
  if (&found != &onDevice_ && !found.bytes.empty()) return found;
  model_.cost(request, lies, scratch_);
  found.bytes.clear();
  found.seconds.clear();
  for (const TableCost::OfDevice& device : scratch_.devices)
    found.bytes.push_back(device.bytes + device.bufferBytes);
  for (const TableCost::OfSpace& space : scratch_.spaces) found.seconds.push_back(space.seconds());
  return found;
}

std::int64_t PackingSearch::maxBytes(int table, int layout) const {
  const StackBytes& shared = stackBytes_[at(table)];
  return *std::ranges::max_element(footprint(table, layout).bytes) +
         (exchanges(at(table), layout) ? shared.merging + shared.grouping : 0);
}

bool PackingSearch::exchanges(std::size_t table, int layout) const {
  return model_.exchanges(request_.tables[table], model_.layouts()[at(layout)]);
}

/// What the table needs beyond what the others of its stack share already.
void PackingSearch::addShared(Packing& packing, int table, int layout, int sign) const {
  if (!exchanges(at(table), layout)) return;
  const auto cols = [&](std::size_t of) { return request_.tables[of].table.embeddingDim; };
  const auto self = at(table);
  StackBytes most;
  bool isFirst = true;
  for (std::size_t other = 0; other < packing.layoutOf.size(); ++other) {
    const int lies = packing.layoutOf[other];
    if (other == self || lies < 0 || !exchanges(other, lies)) continue;
    isFirst = false;
    if (!request_.stackTables || lies != layout || cols(other) != cols(self)) continue;
    most.merging = std::max(most.merging, stackBytes_[other].merging);
    most.grouping = std::max(most.grouping, stackBytes_[other].grouping);
  }
  const std::int64_t more = std::max<std::int64_t>(0, stackBytes_[self].merging - most.merging) +
                            std::max<std::int64_t>(0, stackBytes_[self].grouping - most.grouping);
  for (int rank = 0; rank < model_.ranks(); ++rank)
    packing.bytes[at(rank)] += sign * (more + (isFirst ? model_.aheadBytes(rank) : 0));
}

void PackingSearch::add(Packing& packing, int table, int layout, int sign) const {
  const Footprint& added = footprint(table, layout);
  for (std::size_t rank = 0; rank < packing.bytes.size(); ++rank)
    packing.bytes[rank] += sign * added.bytes[rank];
  for (std::size_t space = 0; space < packing.seconds.size(); ++space)
    packing.seconds[space] += sign * added.seconds[space];
  addShared(packing, table, layout, sign);
  packing.layoutOf[at(table)] = sign > 0 ? layout : -1;
}

Packing PackingSearch::moved(const Packing& packing, int table, int layout) const {
  Packing other = packing;
  const int before = packing.layoutOf[at(table)];
  if (before == layout) return other;
  if (before >= 0) add(other, table, before, -1);
  add(other, table, layout, +1);
  return other;
}

PackingSearch::Score PackingSearch::scoreWith(const Packing& packing) const {
  const double mean = std::accumulate(packing.seconds.begin(), packing.seconds.end(), 0.0) /
                      static_cast<double>(packing.seconds.size());
  return {packing.excess(model_), packing.stepSeconds() + kWeightOfMean * mean};
}

double PackingSearch::fullness(const Packing& packing) const {
  double fullest = 0.0;
  for (int rank = 0; rank < model_.ranks(); ++rank)
    fullest = std::max(fullest, static_cast<double>(packing.bytes[at(rank)]) /
                                    static_cast<double>(model_.capacity(rank)));
  return fullest;
}

/// The allowed layouts, of those on one device only the two that can be best: on the device with
/// the most room and on the one that works least.
std::vector<int> PackingSearch::worthTrying(const Packing& packing, int table) const {
  std::vector<int> layouts;
  int roomiest = -1, idlest = -1;
  std::int64_t mostRoom = 0;
  double leastSeconds = 0.0;
  for (const int layout : allowed_[at(table)]) {
    const Layout& lies = model_.layouts()[at(layout)];
    if (lies.placement != Placement::kTable) {
      layouts.push_back(layout);
      continue;
    }
    const int rank = lies.owners[0][0];
    const std::int64_t room = model_.capacity(rank) - packing.bytes[at(rank)];
    const double seconds = packing.seconds[at(model_.spaceOf(rank))];
    if (roomiest < 0 || room > mostRoom) roomiest = layout, mostRoom = room;
    if (idlest < 0 || seconds < leastSeconds) idlest = layout, leastSeconds = seconds;
  }
  if (idlest >= 0) layouts.push_back(idlest);
  if (roomiest >= 0 && roomiest != idlest) layouts.push_back(roomiest);
  return layouts;
}

int PackingSearch::bestDevice(const Packing& packing, int table) const {
  Packing without = packing;
  add(without, table, packing.layoutOf[at(table)], -1);
  int best = -1;
  Score bestScore;
  for (const int layout : worthTrying(without, table)) {
    if (model_.layouts()[at(layout)].placement != Placement::kTable) continue;
    const Score score = scoreWith(moved(without, table, layout));
    if (best < 0 || score < bestScore) best = layout, bestScore = score;
  }
  return best;
}

/// Tables with the largest weight first; those of one layout, which have no choice, before all.
std::vector<int> PackingSearch::tablesBy(const std::vector<double>& weight) const {
  std::vector<int> order(request_.tables.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    const auto left = at(a), right = at(b);
    const bool fixedLeft = allowed_[left].size() == 1, fixedRight = allowed_[right].size() == 1;
    if (fixedLeft != fixedRight) return fixedLeft;
    return weight[left] > weight[right];
  });
  return order;
}

Packing PackingSearch::bySize() const {
  std::vector<double> bytes;
  for (const TableRequest& table : request_.tables)
    bytes.push_back(static_cast<double>(table.bytes()));
  Packing packing = dense_;
  for (const int table : tablesBy(bytes)) {
    Packing best;
    double bestFullness = 0.0;
    for (const int layout : worthTrying(packing, table)) {
      Packing with = moved(packing, table, layout);
      const double full = fullness(with);
      const bool better =
          best.layoutOf.empty() || full < bestFullness ||
          (full == bestFullness && scoreWith(with).seconds < scoreWith(best).seconds);
      if (!better) continue;
      best = std::move(with);
      bestFullness = full;
    }
    packing = std::move(best);
  }
  return packing;
}

Packing PackingSearch::byWork() const {
  std::vector<double> work;
  std::int64_t bytesLeft = 0;
  for (const TableRequest& table : request_.tables) {
    work.push_back(table.idsPerExample * static_cast<double>(table.table.embeddingDim));
    bytesLeft += table.bytes();
  }
  std::int64_t capacity = 0;
  for (int rank = 0; rank < model_.ranks(); ++rank)
    capacity = sumOfCapacities(capacity, model_.capacity(rank));
  Packing packing = dense_;
  for (const int table : tablesBy(work)) {
    bytesLeft -= request_.tables[at(table)].bytes();
    Packing best;
    Score bestScore;
    for (const int layout : worthTrying(packing, table)) {
      Packing with = moved(packing, table, layout);
      Score score = scoreWith(with);
      // What is left needs room for one copy at least.
      const std::int64_t used =
          std::accumulate(with.bytes.begin(), with.bytes.end(), std::int64_t{0});
      score.excess += std::max<std::int64_t>(0, used + bytesLeft - capacity);
      if (!best.layoutOf.empty() && !(score < bestScore)) continue;
      best = std::move(with);
      bestScore = score;
    }
    packing = std::move(best);
  }
  return packing;
}

void PackingSearch::improve(Packing& packing) const {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool changed = false;
    for (int table = 0; table < static_cast<int>(request_.tables.size()); ++table) {
      if (allowed_[at(table)].size() == 1) continue;
      Score bestScore = scoreWith(packing);
      Packing without = packing;
      add(without, table, packing.layoutOf[at(table)], -1);
      for (const int layout : worthTrying(without, table)) {
        Packing with = moved(without, table, layout);
        const Score score = scoreWith(with);
        if (!(score < bestScore)) continue;
        // Sums of the same terms in another order differ in their last digits.
        const bool real =
            score.excess < bestScore.excess || score.seconds < bestScore.seconds * (1.0 - 1e-9);
        if (!real) continue;
        packing = std::move(with);
        bestScore = score;
        changed = true;
      }
    }
    if (!changed) return;
  }
}

Packing PackingSearch::run() {
  Packing first = byWork(), second = bySize();
  improve(first);
  improve(second);
  return scoreWith(second) < scoreWith(first) ? second : first;
}

}  // namespace parapet::mesh
