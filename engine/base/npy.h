// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file_ranges.h"
#include "engine/base/result.h"

namespace parapet {

/// An array of a NumPy file (.npy), read a range at a time.
///
/// Source   NumPy, "The .npy format" (NEP 1), versions 1.0 to 3.0.
class NpyFile {
 public:
  /// Opens an array of little-endian f32 in C order.
  ///
  /// Errors   kIo, or kData with the path, what was found and what is accepted: no NumPy file, a
  ///          header that cannot be read, another type or order, fewer bytes than the shape has.
  static Result<NpyFile> openFloats(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// out = the elements from `first` on, in C order. The range is within the array.
  ///
  /// Errors   those of FileReader::read.
  Status read(std::int64_t first, std::span<float> out) const;

 private:
  explicit NpyFile(FileReader file) : file_(std::move(file)) {}
  FileReader file_;
  std::size_t dataOffset_ = 0;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 0;
};

/// Writes an array as .npy version 1.0, in one piece or not at all. `type` is as NumPy names it:
/// "<f4", "<f8", "<i4", "<i8", "|u1".
///
/// Errors   InvalidArgument for more than 32 axes; kIo.
Status writeNpy(const std::filesystem::path& path, std::string_view type,
                std::span<const std::int64_t> shape, std::span<const std::byte> bytes);

}  // namespace parapet
