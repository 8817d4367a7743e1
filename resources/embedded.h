// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace parapet::resources {

/// A file of the folder resources/, built into the program.
struct EmbeddedFile {
  std::string_view path;  ///< below resources/, e.g. "recipes/sample.json"
  std::string_view text;
};

/// Every file that CMakeLists.txt lists; the table is generated at build time.
std::span<const EmbeddedFile> embeddedFiles();

/// The text of a file; nullopt if it was not built in.
std::optional<std::string_view> embedded(std::string_view path);

}  // namespace parapet::resources
