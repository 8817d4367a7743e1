// SPDX-License-Identifier: Apache-2.0
// Weights and slots as the named tensors of a checkpoint, and back.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "engine/train/session_state.h"

namespace parapet::train {
namespace {

/// The weight of a parameter or one of its slots.
struct ParameterArray {
  std::string name;
  int slot;  ///< −1: the weight
  std::int64_t cols;
  std::span<const float> whole;  ///< a parameter that is not split and that the host can read
};

std::vector<ParameterArray> arraysOf(const nn::Parameter& parameter) {
  const nn::ParameterShard& first = parameter.shards[0];
  const auto isHere = [](const nn::ParameterShard& shard) { return !shard.isElsewhere; };
  const bool isWhole =
      parameter.sharding.shards() == 1 && std::ranges::any_of(parameter.shards, isHere);
  const auto wholeOf = [&](int slot) -> std::span<const float> {
    if (!isWhole) return {};
    const tensor::Buffer<float>& values = nn::arrayOf(parameter.whole(), slot);
    const bool readable = !values.device() || values.device()->isHost();
    return readable ? values.host() : std::span<const float>{};
  };
  std::vector<ParameterArray> arrays{{"weight", -1, parameter.spec.cols, wholeOf(-1)}};
  const auto specs = nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols);
  for (std::size_t slot = 0; slot < first.slots.size(); ++slot)
    arrays.push_back({specs[slot].name, static_cast<int>(slot), specs[slot].cols,
                      wholeOf(static_cast<int>(slot))});
  return arrays;
}

// NaN and ±Inf are those whose exponent has all bits set.
bool allFinite(std::span<const float> values, Workers& workers) {
  constexpr std::size_t kBlock = 1 << 18;
  constexpr std::uint32_t kExponent = 0x7F800000U;
  std::atomic<bool> finite{true};
  const auto blocks = static_cast<std::int64_t>((values.size() + kBlock - 1) / kBlock);
  workers.parallelFor(blocks, [&](std::int64_t block) {
    const std::size_t first = static_cast<std::size_t>(block) * kBlock;
    std::uint32_t largest = 0;
    for (const float value : values.subspan(first, std::min(kBlock, values.size() - first)))
      largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & kExponent);
    if (largest == kExponent) finite = false;
  });
  return finite;
}

}  // namespace

std::vector<checkpoint::TensorView> Session::tensors() {
  State& s = *state_;
  s.gathered.clear();
  std::vector<checkpoint::TensorView> out;
  for (const nn::Parameter& parameter : s.parameters)
    for (const ParameterArray& array : arraysOf(parameter)) {
      std::span<const float> values = array.whole;
      if (values.empty() && parameter.spec.rows > 0) {
        s.gathered.emplace_back(static_cast<std::size_t>(parameter.spec.rows * array.cols));
        gatherRows(parameter, array.slot, s.gathered.back());
        values = s.gathered.back();
      }
      out.push_back({parameter.spec.name + "/" + array.name,
                     checkpoint::ElementType::kF32,
                     {parameter.spec.rows, array.cols},
                     std::as_bytes(values)});
    }
  s.vocabularies.appendTo(out);
  return out;
}

Status Session::load(const checkpoint::Checkpoint& checkpoint) {
  struct Copy {
    const checkpoint::TensorView* from;
    nn::Parameter* into;
    int slot;
  };
  std::vector<Copy> copies;
  for (nn::Parameter& parameter : state_->parameters)
    for (const ParameterArray& array : arraysOf(parameter)) {
      const std::string full = parameter.spec.name + "/" + array.name;
      const checkpoint::TensorView* found = checkpoint.find(full);
      const std::vector<std::int64_t> shape{parameter.spec.rows, array.cols};
      // Nothing that is asked reads a slot; a model that was exported has none.
      if (!found && array.slot >= 0 && !state_->trainRunner) continue;
      if (!found)
        return Error{ErrorCode::kData,
                     fmt::format("the checkpoint has no tensor {}", full),
                     {},
                     checkpoint.folder().string()};
      if (found->type != checkpoint::ElementType::kF32 || found->shape != shape)
        return Error{ErrorCode::kData,
                     fmt::format("tensor {} is [{}] in the checkpoint, the model needs [{}] f32",
                                 full, fmt::join(found->shape, ", "), fmt::join(shape, ", ")),
                     {},
                     checkpoint.folder().string()};
      copies.push_back({found, &parameter, array.slot});
    }
  for (const Copy& copy : copies)
    scatterRows(*copy.into, copy.slot,
                {reinterpret_cast<const float*>(copy.from->bytes.data()),
                 copy.from->bytes.size() / sizeof(float)});
  PARAPET_TRY(checkpoint.intact());
  state_->isLoaded = true;
  state_->restoreSlotsSince(checkpoint.manifest());
  return {};
}

std::string Session::nonFiniteTensor() {
  State& s = *state_;
  s.require(LookForNonFinite{});
  const auto isFinite = [&](const tensor::Buffer<float>& values) {
    const bool readable = !values.device() || values.device()->isHost();
    return readable ? allFinite(values.host(), *s.workers)
                    : allFinite(tensor::readBack(values), *s.workers);
  };
  std::vector<std::string> names;
  std::vector<std::int32_t> broken;  // how many parts of it are
  for (const nn::Parameter& parameter : s.parameters)
    for (const ParameterArray& array : arraysOf(parameter)) {
      names.push_back(parameter.spec.name + "/" + array.name);
      broken.push_back(
          static_cast<std::int32_t>(std::ranges::count_if(parameter.shards, [&](const auto& shard) {
            return !shard.isElsewhere && !isFinite(nn::arrayOf(shard, array.slot));
          })));
    }
  s.addUp(broken);
  const auto first = std::ranges::find_if(broken, [](std::int32_t parts) { return parts > 0; });
  return first == broken.end() ? std::string()
                               : names[static_cast<std::size_t>(first - broken.begin())];
}

}  // namespace parapet::train
