// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/selftest/reference.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {

/// How the gradient comes.
enum class Form {
  kRows,      ///< distinct rows of a larger table
  kDense,     ///< every row
  kGrouped,   ///< rows that repeat, merged while they are applied
  kFactored,  ///< gradient rows, each a factor times a gathered row
};
inline constexpr std::pair<Form, const char*> kForms[] = {{Form::kRows, "rows"},
                                                          {Form::kDense, "dense"},
                                                          {Form::kGrouped, "grouped"},
                                                          {Form::kFactored, "factored"}};

/// A batch of gradients in one of the forms: what an op gets, and the gradient of each value.
struct Gradients {
  std::int64_t tableRows;
  std::vector<std::int32_t> rows, gathered;
  std::vector<float> grad, scale;
  std::vector<double> ofValue;

  Gradients(Shape shape, Form form);
  /// Merged by row, in order of first appearance.
  [[nodiscard]] reference::Merged merged(std::int64_t width) const;
};

/// Where PpGroupRows writes, in the memory of a device.
struct GroupsHere {
  DeviceInts rows, first, next, scratch;
  DeviceArray<std::int64_t> groups;

  GroupsHere(const tensor::Device& device, std::int64_t values);
  void run(const tensor::Device& device, const DeviceInts& values, std::int64_t tableRows,
           std::int32_t* indexOfRow);
  [[nodiscard]] std::int64_t count() const { return groups.read()[0]; }
};

/// Gradients in the memory of a device, as the target of an op.
class GradientsHere {
 public:
  GradientsHere(const tensor::Device& device, Gradients gradients, Form form);
  [[nodiscard]] tensor::UpdateTarget target(float* weight, std::int64_t width);
  /// The rows of the target, on the host; empty: every row of the table.
  [[nodiscard]] std::vector<std::int32_t> rows() const;

 private:
  tensor::Device device_;
  Gradients gradients_;
  Form form_;
  DeviceFloats grad_, scale_;
  DeviceInts rows_, gathered_;
  GroupsHere groups_;
};

}  // namespace parapet::selftest
