// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/result.h"

namespace parapet::data {

/// Bytes that come one after the other: what a packed file holds.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills as much of `into` as there is; 0 at the end, once what came before is known to be whole.
  ///
  /// Errors   Data, with the path, for packed bytes that are damaged; Io.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  /// How far it is and how far it goes, both in packed or both in unpacked bytes.
  [[nodiscard]] virtual std::int64_t done() const = 0;
  [[nodiscard]] virtual std::int64_t total() const = 0;
};

}  // namespace parapet::data
