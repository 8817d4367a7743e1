// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint {

/// A safetensors file of others; tensors are views into the mapped file.
class SafetensorsFile {
 public:
  /// Errors   kNotFound, kIo; kData with the path and what parseSafetensors refuses.
  static Result<SafetensorsFile> open(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::vector<TensorView>& tensors() const { return tensors_; }
  /// Null if there is none of that name.
  [[nodiscard]] const TensorView* find(std::string_view name) const;
  /// See MappedFile::intact; asked once tensors have been read.
  [[nodiscard]] Status intact() const { return file_.intact(); }

 private:
  std::filesystem::path path_;
  MappedFile file_;
  std::vector<TensorView> tensors_;
};

/// Whether the elements of a tensor are numbers that readFloats takes: F32, F16 or BF16.
bool isFloat(ElementType type);
/// out = the elements of a tensor, exactly: f32 holds every f16 and bf16. InvalidArgument for other
/// types, or another count.
void readFloats(const TensorView& tensor, std::span<float> out);

}  // namespace parapet::checkpoint
