// SPDX-License-Identifier: Apache-2.0
#include "resources/embedded.h"

namespace parapet::resources {

std::optional<std::string_view> embedded(std::string_view path) {
  for (const EmbeddedFile& file : embeddedFiles())
    if (file.path == path) return file.text;
  return std::nullopt;
}

}  // namespace parapet::resources
