// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Numbers that an op is given and that change from step to step: a value, or where the number is
/// in the memory of the op's device (`here`, with value 0): so an op of a Recording has the same
/// arguments in each step.
namespace parapet::tensor {

/// A number of an optimizer, such as its learning rate.
struct Rate {
  float value;
  const float* here;
  Rate(float number = 0.0f, const float* inMemory = nullptr)
      : value(inMemory ? 0.0f : number), here(inMemory) {}
};

/// The key of random draws.
struct DrawKey {
  std::uint64_t value;
  const std::uint64_t* here;
  DrawKey(std::uint64_t number = 0, const std::uint64_t* inMemory = nullptr)
      : value(inMemory ? 0 : number), here(inMemory) {}
};

}  // namespace parapet::tensor
