// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint {

/// Where the data begin in a file that we write, so that mapped tables can be read by vector loads.
inline constexpr std::size_t kDataAlignment = 64;
/// Bytes of the little-endian length of the header, which a file begins with.
inline constexpr std::size_t kLengthBytes = 8;

/// A safetensors file before its data: the eight length bytes with the JSON header, and the tensors
/// in the order in which their data follow.
struct SafetensorsPlan {
  std::string header;
  std::vector<const TensorView*> order;  ///< wide element types first, so that each is aligned
};

/// Throws InvalidArgument for a tensor without a name, names that are there twice or no UTF-8, the
/// reserved name "__metadata__", and bytes that do not fit the shape.
SafetensorsPlan planSafetensors(std::span<const TensorView> tensors,
                                const std::map<std::string, std::string>& metadata);

}  // namespace parapet::checkpoint
