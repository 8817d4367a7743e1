// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/retrieval/recommender.h"

namespace parapet::cli {

/// --context NAME=VALUE[,VALUE…], as often as there are names.
void addContext(CLI::App& command, std::vector<std::string>& entries);
/// Every combination of the values, the last name fastest. Which names a model has is not known
/// here; a name that comes twice is an error.
Result<std::vector<std::vector<retrieval::ContextValue>>> parseContexts(
    const std::vector<std::string>& entries);

/// --history ID,…: items in place of the users' own.
void addHistory(CLI::App& command, std::optional<std::string>& ids);
/// The ids, oldest first; nullopt if the option was not given. An empty id is an error.
Result<std::optional<std::vector<std::string>>> parseHistory(const std::optional<std::string>& ids);

}  // namespace parapet::cli
