// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/table_update.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace parapet::nn {
namespace {

std::int64_t rowsIn(const Graph& graph, ParameterIndex table, const tensor::Device& device) {
  const ParameterSpec& spec = graph.parameters()[at(table)];
  return spec.rowsIn(device, spec.rows);
}

/// A line of memory for the number of groups, where the device reads it: not where the rows of
/// groups are written out or added up, of which the host knows how many there are.
std::int64_t countElements(const TableGradient& of, const Program& program, const Graph& graph,
                           const tensor::Device& device) {
  constexpr std::int64_t kLine = 64 / sizeof(std::int32_t);
  const bool isCounted = !experiment::clipsGradients(graph.parameters()[at(of.table)].optimizer) &&
                         program.capacity.batchesPerStep == 1;
  return !device.isHost() && (isCounted || of.wholeOffset >= 0) ? kLine : 0;
}

}  // namespace

TableUpdate::TableUpdate(TableGradient of, const Program& program, const Graph& graph,
                         const tensor::Device& device)
    : of_(std::move(of)), device_(device) {
  const tensor::Device& host = tensor::hostFor(device);
  std::int64_t ids = 0;
  std::int64_t firstRow = 0;
  for (const std::size_t lookup : of_.lookups) {
    ids += program.maxIds(graph.lookups()[lookup]);
    firstRows_.push_back(static_cast<std::int32_t>(firstRow));
    firstRow += program.maxRows(graph, graph.rowSpace(graph.lookups()[lookup].output));
  }
  capacity_ = ids;
  countElements_ = countElements(of_, program, graph, device);
  grouped_ = tensor::StagedArray<std::int32_t>(device, countElements_ + 3 * ids);
  scratch_ = tensor::Buffer<std::int32_t>(host, ids);
  if (!device.isHost()) {
    indexOfRow_ = tensor::Buffer<std::int32_t>(host, rowsIn(graph, of_.table, device));
    std::ranges::fill(indexOfRow_.host(), -1);
  }
  if (of_.lookups.size() == 1) return;
  ids_ = tensor::Buffer<std::int32_t>(host, ids);
  rowOfValue_ = tensor::StagedArray<std::int32_t>(device, ids);
  scales_ = tensor::StagedArray<float>(device, ids);
}

// The values of several lookups, one lookup after the other.
void TableUpdate::join(std::span<const LookupRows> lookups) {
  const bool scaled = std::ranges::any_of(
      of_.lookups, [&](std::size_t lookup) { return lookups[lookup].host().scales != nullptr; });
  std::int64_t end = 0;
  for (std::size_t i = 0; i < of_.lookups.size(); ++i) {
    const LookupRows& rows = lookups[of_.lookups[i]];
    const LookupRows::Arrays& arrays = rows.host();
    const auto count = static_cast<std::int64_t>(rows.ids().size());
    const std::int32_t firstRow = firstRows_[i];
    std::ranges::copy(rows.ids(), ids_.data() + end);
    std::int32_t* const rowOfValue = rowOfValue_.data() + end;
    if (arrays.rowOfValue)
      std::transform(arrays.rowOfValue, arrays.rowOfValue + count, rowOfValue,
                     [&](std::int32_t row) { return firstRow + row; });
    else
      std::iota(rowOfValue, rowOfValue + count, firstRow);
    if (scaled && arrays.scales)
      std::copy_n(arrays.scales, count, scales_.data() + end);
    else if (scaled)
      std::fill_n(scales_.data() + end, count, 1.0f);
    end += count;
  }
  values_ = end;
  rowOfValue_.upload(end);
  if (scaled) scales_.upload(end);
  gradRows_ = rowOfValue_.here();
  valueScales_ = scaled ? scales_.here() : nullptr;
}

void TableUpdate::group(ParameterShard& table, std::span<const LookupRows> lookups) {
  const LookupRows& lone = lookups[of_.lookups[0]];
  const std::int32_t* ids = lone.ids().data();
  values_ = static_cast<std::int64_t>(lone.ids().size());
  gradRows_ = lone.here().rowOfValue;
  valueScales_ = lone.here().scales;
  if (of_.lookups.size() > 1) {
    join(lookups);
    ids = ids_.data();
  }
  const bool readable = device_.isHost();
  std::int32_t* const rows = grouped_.data() + countElements_;
  tensor::run({&tensor::hostFor(device_), nullptr},
              PpGroupRows{.rows = ids,
                          .count = values_,
                          .tableRows = table.rowsHere,
                          .indexOfRow = readable ? table.indexOfRow.data() : indexOfRow_.data(),
                          .scratch = scratch_.data(),
                          .groupRows = rows,
                          .first = rows + capacity_,
                          .next = rows + 2 * capacity_,
                          .groupCount = &groups_});
  if (countElements_ > 0) grouped_.data()[0] = static_cast<std::int32_t>(groups_);
  upload();
}

// A copy costs as much as some thousand elements more.
void TableUpdate::upload() {
  constexpr std::int64_t kWorthACopy = 4096;
  const std::int64_t rows = countElements_, first = rows + capacity_, next = first + capacity_;
  const std::int64_t begins[] = {0, first, next},
                     ends[] = {rows + groups_, first + groups_, next + values_};
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < std::size(ends); ++i) {
    const bool isLast = i + 1 == std::size(ends);
    if (!isLast && begins[i + 1] - ends[i] < kWorthACopy) continue;
    grouped_.upload(begin, ends[i] - begin);
    if (!isLast) begin = begins[i + 1];
  }
}

tensor::UpdateTarget TableUpdate::target(ParameterShard& table, tensor::GatheredRows rows,
                                         const float* scale) const {
  const std::int32_t* const groupRows = grouped_.here() + countElements_;
  const bool isCounted = countElements_ > 0;
  return {.weight = table.weight.data(),
          .tableRows = table.rowsHere,
          .width = table.cols,
          .rows = groupRows,
          .count = isCounted ? std::min(capacity_, table.rowsHere) : groups_,
          .grad = rows.data,
          .first = groupRows + capacity_,
          .next = groupRows + 2 * capacity_,
          .scale = scale ? scale : valueScales_,
          .gradRows = rows.rows ? rows.rows : gradRows_,
          .terms = isCounted ? capacity_ : values_,
          .nonFinite = nullptr,
          .counted = isCounted ? grouped_.here() : nullptr};
}

}  // namespace parapet::nn
