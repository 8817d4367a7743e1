// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint {

/// "F32", "I64", …: the type as safetensors files and manifests name it.
const char* elementName(ElementType type);
std::optional<ElementType> elementFromName(std::string_view name);
/// "<f4", "|u1", …: the type as .npy headers name it.
const char* npyDescription(ElementType type);

/// Π shape × bytes per element; nullopt for a negative extent or a product beyond 2^63 − 1.
std::optional<std::int64_t> tensorBytes(std::span<const std::int64_t> shape, ElementType type);

/// Throws InvalidArgument unless the bytes of the tensor are as many as shape and type say.
void requireConsistent(const TensorView& tensor);

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
