// SPDX-License-Identifier: Apache-2.0
// Weights and slots as the named tensors of a checkpoint, and back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/train/session_state.h"

namespace parapet::train {
namespace {

/// The weight of a parameter or one of its slots.
struct ParameterArray {
  std::string name;
  int slot;  ///< −1: the weight
  std::int64_t cols;
  std::span<const float> whole;  ///< of a parameter in one piece that the host can read
};

std::vector<ParameterArray> arraysOf(const nn::Parameter& parameter) {
  const nn::ParameterShard& first = parameter.shards[0];
  const auto wholeOf = [&](int slot) {
    const tensor::Buffer<float>& values = nn::arrayOf(first, slot);
    const bool readable =
        parameter.sharding.shards() == 1 && (!values.device() || values.device()->isHost());
    return readable ? values.host() : std::span<const float>{};
  };
  std::vector<ParameterArray> arrays{{"weight", -1, parameter.spec.cols, wholeOf(-1)}};
  const auto specs = nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols);
  for (std::size_t slot = 0; slot < first.slots.size(); ++slot)
    arrays.push_back({specs[slot].name, static_cast<int>(slot), specs[slot].cols,
                      wholeOf(static_cast<int>(slot))});
  return arrays;
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
        nn::gatherRows(parameter, array.slot, s.gathered.back());
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
    nn::scatterRows(*copy.into, copy.slot,
                    {reinterpret_cast<const float*>(copy.from->bytes.data()),
                     copy.from->bytes.size() / sizeof(float)});
  PARAPET_TRY(checkpoint.intact());
  state_->isLoaded = true;
  state_->restoreSlotsSince(checkpoint.manifest());
  return {};
}

bool Session::weightsFinite() const {
  return std::all_of(
      state_->parameters.begin(), state_->parameters.end(), [](const nn::Parameter& parameter) {
        return std::ranges::all_of(parameter.shards, [](const nn::ParameterShard& shard) {
          return std::ranges::all_of(tensor::readBack(nn::arrayOf(shard, -1)),
                                     [](float value) { return std::isfinite(value); });
        });
      });
}

}  // namespace parapet::train
