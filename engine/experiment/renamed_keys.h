// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::experiment {

/// Version of the documents that this program writes, "parapet" in a document; one without it is of
/// version 1. Documents of all versions up to this one are read, those of a newer one refused by name
/// (see parse). A change that an older program would read wrongly raises it.
inline constexpr std::int64_t kDocumentVersion = 1;

/// A key that documents of earlier versions have and that is refused with its new name.
struct RenamedKey {
  const char* object;  ///< JSON pointer of the object that has the key; "*" stands for any index
  const char* oldKey;
  const char* newKey;
};
std::span<const RenamedKey> renamedKeys();

/// The renamed keys of one object, old to new, for its record.
std::map<std::string, std::string> renamesOf(std::string_view object);

/// The current name of a published curve whose name has changed.
std::optional<std::string> renamedCurve(std::string_view name);

/// Replaces old keys and names in a document that an earlier version stored, so that its runs and
/// drafts stay readable. What people write is not replaced but refused (see parse), and a document of a
/// newer version stays as it is: its names may have another meaning.
void useCurrentNames(nlohmann::json& document);

/// parseJson and useCurrentNames.
Result<nlohmann::json> parseStoredJson(std::string_view text);

}  // namespace parapet::experiment
