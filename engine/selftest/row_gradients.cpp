// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/row_gradients.h"

#include <iterator>

#include <numeric>

namespace parapet::selftest {

using tensor::UpdateTarget;

Gradients::Gradients(Shape shape, Form form)
    : tableRows(form == Form::kDense  ? shape.rows
                : form == Form::kRows ? shape.rows + 6
                                      : shape.rows / 3 + 6),
      grad(exactSamples(4, shape.size())) {
  const bool repeat = form == Form::kGrouped || form == Form::kFactored;
  rows = repeat ? sampleRows(5, shape.rows, tableRows) : distinctRows(5, shape.rows, tableRows);
  if (form == Form::kDense) std::iota(rows.begin(), rows.end(), 0);
  ofValue = toDouble(grad);
  if (form != Form::kFactored) return;
  const auto cols = static_cast<std::size_t>(shape.width);
  gathered = sampleRows(6, shape.rows, shape.rows);
  scale = exactSamples(7, shape.rows);
  for (std::size_t i = 0; i < ofValue.size(); ++i)
    ofValue[i] =
        static_cast<double>(scale[i / cols]) *
        static_cast<double>(grad[static_cast<std::size_t>(gathered[i / cols]) * cols + i % cols]);
}

reference::Merged Gradients::merged(std::int64_t width) const {
  return reference::mergeRows(rows, ofValue, width);
}

GroupsHere::GroupsHere(const tensor::Device& device, std::int64_t values)
    : rows(DeviceInts::unset(device, values)),
      first(DeviceInts::unset(device, values)),
      next(DeviceInts::unset(device, values)),
      scratch(DeviceInts::unset(device, values)),
      groups(DeviceArray<std::int64_t>::unset(device, 1)) {}

void GroupsHere::run(const tensor::Device& device, const DeviceInts& values, std::int64_t tableRows,
                     std::int32_t* indexOfRow) {
  tensor::run({&device}, PpGroupRows{.rows = values.data(),
                                     .count = std::ssize(values.span()),
                                     .tableRows = tableRows,
                                     .indexOfRow = indexOfRow,
                                     .scratch = scratch.data(),
                                     .groupRows = rows.data(),
                                     .first = first.data(),
                                     .next = next.data(),
                                     .groupCount = groups.data()});
}

GradientsHere::GradientsHere(const tensor::Device& device, Gradients gradients, Form form)
    : device_(device),
      gradients_(std::move(gradients)),
      form_(form),
      grad_(device, gradients_.grad),
      scale_(device, gradients_.scale),
      rows_(device, gradients_.rows),
      gathered_(device, gradients_.gathered),
      groups_(device, static_cast<std::int64_t>(gradients_.rows.size())) {}

UpdateTarget GradientsHere::target(float* weight, std::int64_t width) {
  if (form_ == Form::kDense)
    return tensor::everyRow(weight, gradients_.tableRows, width, grad_.data());
  UpdateTarget target =
      tensor::someRows(weight, gradients_.tableRows, width, rows_.span(), grad_.data());
  if (form_ == Form::kRows) return target;
  DeviceInts indexOfRow(
      device_, std::vector<std::int32_t>(static_cast<std::size_t>(gradients_.tableRows), -1));
  groups_.run(device_, rows_, gradients_.tableRows, indexOfRow.data());
  target.count = groups_.count();
  target.rows = groups_.rows.data();
  target.first = groups_.first.data();
  target.next = groups_.next.data();
  if (form_ == Form::kFactored) {
    target.scale = scale_.data();
    target.gradRows = gathered_.data();
  }
  return target;
}

std::vector<std::int32_t> GradientsHere::rows() const {
  if (form_ == Form::kDense) return {};
  return form_ == Form::kRows ? gradients_.rows : groups_.rows.read();
}

}  // namespace parapet::selftest
