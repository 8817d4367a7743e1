// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/experiment.h"

namespace parapet::experiment::test {

/// The JSON of a recipe; cases change it at one place.
inline nlohmann::json recipeJson(std::string_view name) {
  return parseJson(findRecipe(name).value().text).value();
}

/// "pointer: message" of every finding, one a line.
inline std::string textOf(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems)
    text += problem.pointer + ": " + problem.message + " [" + problem.accepted + "]\n";
  return text;
}

inline bool names(const std::vector<Problem>& problems, const std::string& pointer,
                  const std::string& part) {
  for (const Problem& problem : problems)
    if (problem.pointer == pointer &&
        (problem.message + " [" + problem.accepted + "]").find(part) != std::string::npos)
      return true;
  return false;
}

}  // namespace parapet::experiment::test
