// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// Values of --items, --exclude, their files and --where.
struct CandidateArguments {
  std::string items, itemsFile, exclude, excludeFile;
  std::vector<std::string> where;
};
void addCandidates(CLI::App& command, CandidateArguments& arguments);
/// An option and its file together, an empty id, a file without ids and a condition that is not
/// NAME=VALUE[,VALUE…] are errors.
Result<retrieval::CandidateFilter> parseCandidates(const CandidateArguments& arguments);
/// "12,47": ids separated by commas, none of which is empty.
Result<std::vector<std::string>> parseIds(const std::string& text, std::string_view option);
/// A file with one id per line, at least one; blank lines do not count.
Result<std::vector<std::string>> readIds(const std::string& path, std::string_view option);

/// A line of `recommend --stdin`, or of a file of queries.
struct Question {
  retrieval::Query query;
  std::int64_t k = 0;
  std::optional<retrieval::CandidateFilter> filter{};  ///< in place of the candidates of the query
};

/// Changes the question as a line says, a JSON object or a bare id; the user is known even where the
/// rest is wrong. `usual`: the filter of lines that do not give their own.
///
/// Errors   kInvalidDocument with what is accepted.
Status readQuestion(std::string_view text, const retrieval::CandidateFilter& usual,
                    Question& question);

}  // namespace parapet::cli
