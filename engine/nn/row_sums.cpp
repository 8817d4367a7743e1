// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/row_sums.h"

#include <algorithm>

#include "engine/tensor/ops/ops.h"

namespace parapet::nn {

RowSums::RowSums(const tensor::Device& device, std::int64_t tableRows, std::int64_t width,
                 std::int64_t rowsOfBatch, std::int64_t rowsOfStep)
    : device_(device),
      width_(width),
      sums_(device, rowsOfStep * width),
      sumOfRow_(tensor::hostFor(device), tableRows),
      batchRows_(tensor::hostFor(device), device.isHost() ? 0 : rowsOfBatch),
      rows_(device, rowsOfStep),
      into_(device, rowsOfBatch) {
  std::ranges::fill(sumOfRow_.host(), -1);
}

void RowSums::add(const tensor::Launch& launch, const tensor::UpdateTarget& target) {
  if (target.count == 0) return;
  const std::int32_t* rows = target.rows;
  if (!device_.isHost()) {
    device_.copyOut(batchRows_.data(), target.rows,
                    static_cast<std::uint64_t>(target.count) * sizeof(std::int32_t));
    rows = batchRows_.data();
  }
  const std::int64_t before = count_;
  for (std::int64_t index = 0; index < target.count; ++index) {
    std::int32_t& sum = sumOfRow_.data()[rows[index]];
    if (sum < 0) {
      sum = static_cast<std::int32_t>(count_);
      rows_.data()[count_++] = rows[index];
    }
    into_.data()[index] = sum;
  }
  rows_.upload(before, count_ - before);
  into_.upload(target.count);
  tensor::run(launch, PpFill{sums_.data() + before * width_, (count_ - before) * width_, 0.0f});
  tensor::UpdateTarget sum = target;
  sum.weight = sums_.data();
  sum.tableRows = count_;
  sum.rows = into_.here();
  tensor::run(launch, PpSgd{.target = sum, .learningRate = -1.0f});
}

tensor::UpdateTarget RowSums::take(const tensor::Launch& launch, tensor::UpdateTarget target,
                                   float scale) {
  tensor::run(launch, PpScaleClamp{.values = sums_.data(),
                                   .count = count_ * width_,
                                   .factor = scale,
                                   .limit = tensor::kNoLimit});
  target.rows = rows_.here();
  target.grad = sums_.data();
  target.count = target.terms = count_;
  target.first = target.next = target.gradRows = nullptr;
  target.scale = nullptr;
  for (std::int64_t sum = 0; sum < count_; ++sum) sumOfRow_.data()[rows_.data()[sum]] = -1;
  count_ = 0;
  return target;
}

}  // namespace parapet::nn
