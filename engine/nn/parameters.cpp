// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/nn/schedules.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

using experiment::Optimizer;
using experiment::OptimizerKind;
using experiment::Placement;

/// Rows of a table that lie side by side on a shard.
struct Run {
  std::int64_t row = 0, localRow = 0, count = 0;
};

template <class Body>
void forRuns(const mesh::Sharding& sharding, int shard, const Body& body) {
  const std::int64_t rows = sharding.shardRows(shard);
  if (sharding.placement() != Placement::kRow) {
    if (rows > 0) body(Run{sharding.globalRow(shard, 0), 0, rows});
    return;
  }
  for (std::int64_t localRow = 0; localRow < rows; ++localRow)
    body(Run{sharding.globalRow(shard, localRow), localRow, 1});
}

/// One array of a parameter, the weight or a slot, as it lies in the table and on a shard.
struct ArrayView {
  std::int64_t tableCols = 0;           ///< of the whole table
  std::int64_t firstCol = 0, cols = 0;  ///< of the shard
};

ArrayView viewOf(const Parameter& parameter, int shard, int slot) {
  const std::int64_t width = parameter.spec.cols;
  const std::int64_t tableCols =
      slot < 0 ? width
               : slotSpecs(parameter.spec.optimizer, width)[static_cast<std::size_t>(slot)].cols;
  // What is kept once a row is the same on every shard of columns.
  if (tableCols != width) return {tableCols, 0, tableCols};
  return {width, parameter.sharding.firstCol(shard), parameter.sharding.shardCols(shard)};
}

/// Calls body(offset in the table, offset in the shard, count) for the pieces of an array that lie
/// side by side in both.
template <class Body>
void forPieces(const mesh::Sharding& sharding, int shard, const ArrayView& view, const Body& body) {
  forRuns(sharding, shard, [&](const Run& run) {
    if (view.cols == view.tableCols)
      return body(run.row * view.cols, run.localRow * view.cols, run.count * view.cols);
    for (std::int64_t i = 0; i < run.count; ++i)
      body((run.row + i) * view.tableCols + view.firstCol, (run.localRow + i) * view.cols,
           view.cols);
  });
}

tensor::Buffer<float>& arrayOf(ParameterShard& shard, int slot) {
  return const_cast<tensor::Buffer<float>&>(nn::arrayOf(std::as_const(shard), slot));
}

/// Calls body(buffer, offset in the table, offset in the buffer, bytes) for the pieces of a shard of
/// an array.
template <class AnyParameter, class Body>
void forPiecesOf(AnyParameter& parameter, mesh::ShardCopy of, int slot, const Body& body) {
  auto& values = arrayOf(parameter.at(of), slot);
  forPieces(parameter.sharding, of.shard, viewOf(parameter, of.shard, slot),
            [&](std::int64_t inTable, std::int64_t inShard, std::int64_t count) {
              body(values, inTable, inShard, static_cast<std::uint64_t>(count) * sizeof(float));
            });
}

void requireElements(const Parameter& parameter, int slot, std::size_t elements) {
  const std::int64_t expected = parameter.elementsOf(slot);
  if (static_cast<std::int64_t>(elements) != expected)
    throw InvalidArgument(fmt::format("[nn.Parameter] {} elements for \"{}\"; {} are accepted",
                                      elements, parameter.spec.name, expected));
}

void readShard(const Parameter& parameter, mesh::ShardCopy of, int slot, std::span<float> out) {
  forPiecesOf(parameter, of, slot,
              [&](const tensor::Buffer<float>& values, std::int64_t inTable, std::int64_t inShard,
                  std::uint64_t bytes) {
                values.device()->copyOut(out.data() + inTable, values.data() + inShard, bytes);
              });
}

/// Made here and copied over a block at a time: a whole shard would fill the host's memory once
/// more.
void copyWeight(const Parameter& parameter, int shard, const InitialWeights& weights,
                tensor::Buffer<float>& weight) {
  constexpr std::int64_t kBlock = std::int64_t{16} << 20;  // 64 MiB
  const std::int64_t size = weight.size();
  std::vector<float> block(static_cast<std::size_t>(std::min(size, kBlock)));
  std::int64_t begin = 0, filled = 0;  // the block is [begin, begin + filled) of the shard
  const auto send = [&] {
    weight.device()->copyIn(weight.data() + begin, block.data(),
                            static_cast<std::uint64_t>(filled) * sizeof(float));
    begin += filled;
    filled = 0;
  };
  // Pieces come in the order of the shard and leave nothing out.
  forPieces(parameter.sharding, shard, viewOf(parameter, shard, -1),
            [&](std::int64_t inTable, std::int64_t, std::int64_t count) {
              for (std::int64_t done = 0, taken = 0; done < count; done += taken) {
                taken = std::min(count - done, kBlock - filled);
                weights(inTable + done, {block.data() + filled, static_cast<std::size_t>(taken)});
                filled += taken;
                if (filled == kBlock) send();
              }
            });
  send();
}

/// Writes initial weights in place on the host; for a device they are copied.
void fillWeight(const Parameter& parameter, int shard, const InitialWeights& weights,
                tensor::Buffer<float>& weight) {
  if (!weight.device()) return;  // of no rows
  if (!weight.device()->isHost()) return copyWeight(parameter, shard, weights, weight);
  forPieces(parameter.sharding, shard, viewOf(parameter, shard, -1),
            [&](std::int64_t inTable, std::int64_t inShard, std::int64_t count) {
              weights(inTable, {weight.data() + inShard, static_cast<std::size_t>(count)});
            });
}

bool hasSlots(const ParameterSpec& spec) {
  return spec.trainable && !spec.isState;
}

std::vector<SlotSpec> slotsOf(const ParameterSpec& spec, std::int64_t cols) {
  return hasSlots(spec) ? slotSpecs(spec.optimizer, cols) : std::vector<SlotSpec>{};
}

/// A buffer of so many elements; where there is no room for it, the message says what it is for.
tensor::Buffer<float> roomFor(std::string_view what, const ParameterSpec& spec,
                              const tensor::Device& device, std::int64_t rows, std::int64_t cols) {
  try {
    return tensor::Buffer<float>(device, rows * cols);
  } catch (const InternalError& full) {
    throw InternalError(fmt::format("{}, asked for the {} of {}: {} × {} elements", full.what(),
                                    what, spec.name, formatCount(rows), formatCount(cols)));
  }
}

// Elements that are made between two looks for a stop.
constexpr std::int64_t kElementsOfLook = 1 << 20;

/// Calls body(first, count) for so many elements, some at a time.
template <class Body>
void whileNotStopped(std::int64_t elements, const std::stop_token& stop, const Body& body) {
  for (std::int64_t first = 0; first < elements; first += kElementsOfLook) {
    if (stop.stop_requested()) throw data::PassStopped();
    body(first, std::min(kElementsOfLook, elements - first));
  }
}

void addSlots(const ParameterSpec& spec, const tensor::Device& device, ParameterShard& shard,
              const std::stop_token& stop) {
  const tensor::Launch launch{&device, nullptr};
  for (const SlotSpec& slot : slotSpecs(spec.optimizer, shard.cols)) {
    shard.slots.push_back(
        {slot.name, slot.cols, roomFor(slot.name, spec, device, shard.rowsHere, slot.cols)});
    float* const values = shard.slots.back().values.data();
    whileNotStopped(shard.rowsHere * slot.cols, stop, [&](std::int64_t first, std::int64_t count) {
      tensor::run(launch, PpFill{values + first, count, slot.start});
    });
  }
  if (!spec.sparse) return;
  shard.indexOfRow = tensor::Buffer<std::int32_t>(device, shard.rowsHere);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(shard.rowsHere), -1);
  device.copyIn(shard.indexOfRow.data(), none.data(), shard.indexOfRow.bytes());
}

/// The whole shard on the host, its slots as they begin.
void addCache(const ParameterSpec& spec, const tensor::Device& device, ParameterShard& shard) {
  if (shard.rowsHere == shard.rows) return;
  std::vector<RowCache::Array> arrays{{shard.weight.data(), shard.cols}};
  for (Slot& slot : shard.slots) arrays.push_back({slot.values.data(), slot.cols});
  shard.cache = std::make_unique<RowCache>(device, shard.rows, shard.rowsHere, std::move(arrays));
  const std::vector<SlotSpec> specs = slotSpecs(spec.optimizer, shard.cols);
  for (std::size_t slot = 0; slot < shard.slots.size(); ++slot)
    std::ranges::fill(shard.cache->table(slot + 1).host(), specs[slot].start);
}

}  // namespace

std::optional<CacheCounts> Parameter::takeCacheCounts() {
  std::optional<CacheCounts> counts;
  for (const ParameterShard& shard : shards) {
    if (!shard.cache) continue;
    if (!counts) counts.emplace();
    counts->add(shard.cache->takeCounts());
  }
  return counts;
}

std::int64_t Parameter::elementsOf(int slot) const {
  return spec.rows * viewOf(*this, 0, slot).tableCols;
}

ParameterShard& Parameter::whole(int copy) {
  return const_cast<ParameterShard&>(std::as_const(*this).whole(copy));
}

const ParameterShard& Parameter::whole(int copy) const {
  if (sharding.shards() != 1)
    throw InvalidArgument(
        fmt::format("[nn.Parameter] \"{}\" lies in {} shards", spec.name, sharding.shards()));
  if (copy != kHere) return shards[static_cast<std::size_t>(copy)];
  const auto here = std::ranges::find(shards, false, &ParameterShard::isElsewhere);
  if (here == shards.end())
    throw InvalidArgument(fmt::format("[nn.Parameter] \"{}\" lies elsewhere", spec.name));
  return *here;
}

const tensor::Buffer<float>& arrayOf(const ParameterShard& shard, int slot) {
  if (shard.cache) return shard.cache->table(static_cast<std::size_t>(slot + 1));
  return slot < 0 ? shard.weight : shard.slots[static_cast<std::size_t>(slot)].values;
}

std::vector<SlotSpec> slotSpecs(const Optimizer& optimizer, std::int64_t cols) {
  const auto accumulated = static_cast<float>(optimizer.initialAccumulator);
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      if (optimizer.momentum == 0.0) return {};
      return {{"velocity", cols, 0.0f}};
    case OptimizerKind::kAdagrad:
      return {{"accumulator", cols, accumulated}};
    case OptimizerKind::kRowwiseAdagrad:
      return {{"accumulator", 1, accumulated}};
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      return {{"moment", cols, 0.0f}, {"variance", cols, 0.0f}};
    case OptimizerKind::kFtrl:
      return {{"accumulator", cols, accumulated}, {"linear", cols, 0.0f}};
  }
  return {};
}

std::int64_t cachedColumns(const ParameterSpec& spec) {
  std::int64_t columns = spec.cols;
  if (!hasSlots(spec)) return columns;
  for (const SlotSpec& slot : slotSpecs(spec.optimizer, spec.cols)) columns += slot.cols;
  return columns;
}

ParameterBytes parameterBytes(const ParameterSpec& spec, int columnShards) {
  const auto rows = static_cast<std::uint64_t>(spec.rows);
  const auto shards = static_cast<std::uint64_t>(columnShards);
  ParameterBytes bytes;
  bytes.weight = rows * static_cast<std::uint64_t>(spec.cols) * sizeof(float);
  if (!hasSlots(spec)) return bytes;
  for (const SlotSpec& slot : slotSpecs(spec.optimizer, spec.cols))
    bytes.slots += rows * static_cast<std::uint64_t>(slot.cols) * sizeof(float) *
                   (slot.cols == spec.cols ? 1 : shards);
  if (spec.sparse) bytes.scratch = rows * sizeof(std::int32_t) * shards;
  return bytes;
}

Result<Parameter> makeParameter(const ParameterSpec& spec, const mesh::Sharding& sharding,
                                const std::vector<tensor::Device>& devices, std::uint64_t seed,
                                const InitialVectors& vectors, const std::stop_token& stop) {
  const auto shards = static_cast<std::size_t>(sharding.shards());
  if (devices.empty() || devices.size() % shards != 0 || sharding.rows() != spec.rows ||
      sharding.cols() != spec.cols)
    throw InvalidArgument(
        fmt::format("[nn.makeParameter] \"{}\" [{}, {}]: {} devices for {} shards "
                    "of [{}, {}]",
                    spec.name, spec.rows, spec.cols, devices.size(), sharding.shards(),
                    sharding.rows(), sharding.cols()));
  PARAPET_ASSIGN(const InitialWeights made,
                 initialWeights(spec.initializer, seed, spec.name, spec.rows, spec.cols, vectors));
  const InitialWeights weights = [&](std::int64_t begin, std::span<float> out) {
    whileNotStopped(std::ssize(out), stop, [&](std::int64_t first, std::int64_t count) {
      made(begin + first, {out.data() + first, static_cast<std::size_t>(count)});
    });
  };
  Parameter parameter{spec, sharding, {}, 0};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto shard = static_cast<int>(i / (devices.size() / shards));
    const tensor::Device& device = devices[i];
    ParameterShard part;
    part.rows = sharding.shardRows(shard);
    part.cols = sharding.shardCols(shard);
    part.rowsHere = spec.rowsIn(device, part.rows);
    part.isElsewhere = device.isElsewhere();
    if (part.isElsewhere) {
      for (const SlotSpec& slot : slotsOf(spec, part.cols))
        part.slots.push_back({slot.name, slot.cols, {}});
      parameter.shards.push_back(std::move(part));
      continue;
    }
    part.weight = roomFor("weights", spec, device, part.rowsHere, part.cols);
    if (hasSlots(spec)) addSlots(spec, device, part, stop);
    addCache(spec, device, part);
    fillWeight(parameter, shard, weights, part.cache ? part.cache->table(0) : part.weight);
    parameter.shards.push_back(std::move(part));
  }
  return parameter;
}

void gatherRows(const Parameter& parameter, int slot, std::span<float> out) {
  requireElements(parameter, slot, out.size());
  for (int shard = 0; shard < parameter.sharding.shards(); ++shard) {
    int copy = 0;
    while (copy < parameter.copies() && parameter.at({shard, copy}).isElsewhere) ++copy;
    if (copy == parameter.copies())
      throw InvalidArgument(fmt::format("[nn.Parameter] shard {} of \"{}\" lies elsewhere", shard,
                                        parameter.spec.name));
    readShard(parameter, {shard, copy}, slot, out);
  }
}

void gatherRowsHere(const Parameter& parameter, int slot, std::span<float> out) {
  requireElements(parameter, slot, out.size());
  for (int shard = 0; shard < parameter.sharding.shards(); ++shard)
    if (!parameter.at({shard, 0}).isElsewhere) readShard(parameter, {shard, 0}, slot, out);
}

void scatterRows(Parameter& parameter, int slot, std::span<const float> in) {
  requireElements(parameter, slot, in.size());
  for (int shard = 0; shard < parameter.sharding.shards(); ++shard)
    for (int copy = 0; copy < parameter.copies(); ++copy)
      if (!parameter.at({shard, copy}).isElsewhere)
        forPiecesOf(parameter, {shard, copy}, slot,
                    [&](tensor::Buffer<float>& values, std::int64_t inTable, std::int64_t inShard,
                        std::uint64_t bytes) {
                      values.device()->copyIn(values.data() + inShard, in.data() + inTable, bytes);
                    });
  for (ParameterShard& shard : parameter.shards)
    if (shard.cache) shard.cache->forget();
}

UpdateRates ratesAt(const Optimizer& optimizer, std::int64_t step, std::int64_t slotsSince) {
  const double rate = optimizer.schedule
                          ? learningRateAt(*optimizer.schedule, optimizer.learningRate, step - 1)
                          : optimizer.learningRate;
  UpdateRates rates{static_cast<float>(rate * optimizer.weightDecay), static_cast<float>(rate)};
  if (optimizer.kind != OptimizerKind::kAdam && optimizer.kind != OptimizerKind::kAdamW)
    return rates;
  const auto factorsOf = optimizer.epsilonMode == experiment::AdamEpsilon::kCorrected
                             ? tensor::AdamFactors::corrected
                             : tensor::AdamFactors::uncorrected;
  const tensor::AdamFactors factors =
      factorsOf(rate, optimizer.beta1, optimizer.beta2, step - slotsSince);
  rates.rate = factors.stepSize;
  rates.rootScale = factors.rootScale;
  return rates;
}

void updateShard(const tensor::Launch& launch, const Optimizer& optimizer, ParameterShard& shard,
                 const tensor::UpdateTarget& target, const UpdateRates& rates,
                 const UpdateReads& reads) {
  const auto moved = optimizer.sparseUpdate == experiment::SparseUpdate::kDense
                         ? tensor::RowsMoved::kEveryRow
                         : tensor::RowsMoved::kGradientRows;
  const auto slot = [&](std::size_t index) {
    return shard.slots.empty() ? nullptr : shard.slots[index].values.data();
  };
  const auto number = [](double value) { return static_cast<float>(value); };
  const tensor::Rate decay{rates.decay, reads.rates},
      rate{rates.rate, reads.rates ? reads.rates + 1 : nullptr};
  const float epsilon = number(optimizer.epsilon);
  const std::int32_t insideRoot = optimizer.epsilonInsideRoot ? 1 : 0;
  if (optimizer.weightDecay != 0.0) tensor::run(launch, tensor::decayOf(target, decay, moved));
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      return tensor::run(launch, PpSgd{.target = target,
                                       .learningRate = rate.value,
                                       .momentum = number(optimizer.momentum),
                                       .velocity = slot(0),
                                       .everyRow = numberOf(moved),
                                       .indexOfRow = shard.indexOfRow.data(),
                                       .rates = rate.here});
    case OptimizerKind::kAdagrad:
      return tensor::run(launch, PpAdagrad{.target = target,
                                           .learningRate = rate.value,
                                           .epsilon = epsilon,
                                           .epsilonInsideRoot = insideRoot,
                                           .accumulator = slot(0),
                                           .rates = rate.here});
    case OptimizerKind::kRowwiseAdagrad:
      return tensor::run(launch, PpRowwiseAdagrad{.target = target,
                                                  .learningRate = rate.value,
                                                  .epsilon = epsilon,
                                                  .epsilonInsideRoot = insideRoot,
                                                  .accumulator = slot(0),
                                                  .meanSquares = reads.meanSquares,
                                                  .rates = rate.here});
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      return tensor::run(launch, PpAdam{.target = target,
                                        .stepSize = rate.value,
                                        .rootScale = rate.here ? 0.0f : rates.rootScale,
                                        .beta1 = number(optimizer.beta1),
                                        .beta2 = number(optimizer.beta2),
                                        .epsilon = epsilon,
                                        .moment = slot(0),
                                        .variance = slot(1),
                                        .everyRow = numberOf(moved),
                                        .indexOfRow = shard.indexOfRow.data(),
                                        .rates = rate.here});
    case OptimizerKind::kFtrl:
      // The rule divides by the rate: a step of no length leaves everything as it is.
      if (!(rates.rate > 0.0f)) return;
      return tensor::run(launch, PpFtrl{.target = target,
                                        .learningRate = rate.value,
                                        .learningRatePower = number(optimizer.learningRatePower),
                                        .l1 = number(optimizer.l1),
                                        .l2 = number(optimizer.l2),
                                        .beta = number(optimizer.beta),
                                        .accumulator = slot(0),
                                        .linear = slot(1),
                                        .rates = rate.here});
  }
}

}  // namespace parapet::nn
