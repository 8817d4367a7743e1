// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/row_gradients.h"

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

GradientsHere::GradientsHere(const tensor::Device& device, Gradients gradients, Form form)
    : device_(device),
      gradients_(std::move(gradients)),
      form_(form),
      grad_(device, gradients_.grad),
      scale_(device, gradients_.scale) {}

UpdateTarget GradientsHere::target(float* weight, std::int64_t width) {
  if (form_ == Form::kDense)
    return tensor::everyRow(weight, gradients_.tableRows, width, grad_.data());
  UpdateTarget target =
      tensor::someRows(weight, gradients_.tableRows, width, gradients_.rows, grad_.data());
  static const std::int32_t kNone = 0;
  if (!target.rows) target.rows = &kNone;  // null would mean every row
  if (form_ == Form::kRows) return target;
  for (auto& group : groups_) group.resize(gradients_.rows.size() + 1);
  std::vector<std::int32_t> indexOfRow(static_cast<std::size_t>(gradients_.tableRows), -1);
  target.count = tensor::groupRows(
      {&device_}, gradients_.rows, gradients_.tableRows, indexOfRow.data(),
      {groups_[0].data(), groups_[1].data(), groups_[2].data(), groups_[3].data()});
  target.rows = groups_[0].data();
  target.first = groups_[1].data();
  target.next = groups_[2].data();
  if (form_ == Form::kFactored) {
    target.scale = scale_.data();
    target.gradRows = gradients_.gathered.data();
  }
  return target;
}

}  // namespace parapet::selftest
