// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace parapet::experiment {

/// An object with another value of its selector, and the settings that were changed from the default of
/// the old kind and that the new one does not have: they are not in it.
struct OtherKind {
  nlohmann::ordered_json object;
  std::vector<std::string> lost;
};

/// The object at a pointer of a document with another value of its selector ("kind", "source"). The
/// settings that stand at the default of the old kind go, so that those of the new kind have its own.
///
/// `document`   has an object at `at`; what is wrong in it elsewhere does not matter.
OtherKind ofOtherKind(const nlohmann::ordered_json& document,
                      const nlohmann::ordered_json::json_pointer& at, const std::string& selector,
                      const nlohmann::ordered_json& kind);

}  // namespace parapet::experiment
