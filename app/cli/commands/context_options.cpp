// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/context_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "engine/base/text.h"

namespace parapet::cli {

void addContext(CLI::App& command, std::vector<std::string>& entries) {
  command
      .add_option("--context", entries,
                  "Values of a context that the model reads: a list for each, and for every "
                  "combination of several names. What is not given is as in the user's last "
                  "training row")
      ->type_name("NAME=VALUE,…")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<std::vector<std::vector<retrieval::ContextValue>>> parseContexts(
    const std::vector<std::string>& entries) {
  std::vector<std::pair<std::string, std::vector<std::string>>> valuesByName;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    const std::string name(trim(entry.substr(0, equals)));
    if (equals == std::string::npos || name.empty())
      return wrongArgument(
          fmt::format("--context: \"{}\" is not accepted; accepted: NAME=VALUE", printable(entry)));
    for (const auto& [other, values] : valuesByName)
      if (other == name)
        return wrongArgument(fmt::format(
            "--context: \"{}\" is given twice; accepted: once, with its values separated by commas",
            printable(name)));
    std::vector<std::string> values;
    for (const std::string_view value :
         splitFields(std::string_view(entry).substr(equals + 1), ',')) {
      if (trim(value).empty())
        return wrongArgument(fmt::format(
            "--context: \"{}\" has an empty value; accepted: NAME=VALUE", printable(entry)));
      if (std::ranges::find(values, trim(value)) != values.end())
        return wrongArgument(
            fmt::format("--context: \"{}\" has the value \"{}\" twice; accepted: once",
                        printable(entry), printable(trim(value))));
      values.emplace_back(trim(value));
    }
    valuesByName.emplace_back(name, std::move(values));
  }
  return retrieval::combinations(valuesByName);
}

void addHistory(CLI::App& command, std::optional<std::string>& ids) {
  command
      .add_option("--history", ids,
                  "Items in place of the users' own history, oldest first, for a model that reads "
                  "one; an id that has a comma stands in the \"history\" of a line of --stdin. "
                  "Without it: the history at the end of the data")
      ->type_name("ID,…");
}

Result<std::optional<std::vector<std::string>>> parseHistory(
    const std::optional<std::string>& ids) {
  if (!ids) return std::optional<std::vector<std::string>>();
  std::vector<std::string> items;
  for (const std::string_view field : splitFields(*ids, ','))
    if (items.emplace_back(trim(field)); items.back().empty())
      return wrongArgument(
          "--history: an id is empty; accepted: ids of items separated by commas (ids that have "
          "commas: \"history\" of a line of --stdin)");
  return std::optional(std::move(items));
}

}  // namespace parapet::cli
