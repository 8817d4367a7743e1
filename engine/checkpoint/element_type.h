// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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

}  // namespace parapet::checkpoint
