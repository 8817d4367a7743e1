// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/experiment.h"

namespace parapet::experiment::test {

/// The JSON of a recipe; cases change it at one place.
inline nlohmann::json recipeJson(std::string_view name) {
  return parseJson(findRecipe(name).value().text).value();
}

/// The experiment of a document; InternalError naming the first problem where it has one, so that a
/// test fails by its document and not by what follows from it.
inline Experiment parsedDocument(const nlohmann::json& document) {
  Parsed parsed = parse(document);
  if (!parsed.findings.problems.empty())
    throw InternalError(parsed.findings.problems.front().pointer + ": " +
                        parsed.findings.problems.front().message);
  return std::move(parsed.experiment);
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
