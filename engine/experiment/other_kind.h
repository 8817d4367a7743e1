// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace parapet::experiment {

/// The treatment of changed settings of the old kind that the new one does not have.
enum class ForeignSettings {
  kDrop,  ///< with the others: what is edited stays a document without problems
  kKeep,  ///< the reader refuses them by name: nothing that was chosen is lost without a word
};

/// The object at a pointer of a document with another value of its selector ("kind", "source"). The
/// settings that stand at the default of the old kind go, so that those of the new kind have its own.
///
/// `document`   has an object at `at`; what is wrong in it elsewhere does not matter.
nlohmann::ordered_json ofOtherKind(const nlohmann::ordered_json& document,
                                   const nlohmann::ordered_json::json_pointer& at,
                                   const std::string& selector, const nlohmann::ordered_json& kind,
                                   ForeignSettings foreign);

}  // namespace parapet::experiment
