// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/context_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/cli/json_lines.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

/// The ids of an option or of its file; nullopt if neither is given.
Result<std::optional<std::vector<std::string>>> idsOf(const std::string& ids,
                                                      const std::string& file,
                                                      const std::string& option) {
  using Ids = std::optional<std::vector<std::string>>;
  if (!ids.empty() && !file.empty())
    return wrongArgument(fmt::format("{0} and {0}-file were given; accepted: one of them", option));
  if (ids.empty() && file.empty()) return Ids();
  auto read = file.empty() ? parseIds(ids, option) : readIds(file, option + "-file");
  if (!read.ok()) return read.error();
  return Ids(std::move(*read));
}

constexpr std::string_view kAccepted =
    R"(accepted: {"user": "12", "k": 10, "context": {"weekday": "monday"}, "history": ["50"], )"
    R"("items": ["7"], "exclude": ["9"], "where": {"genres": ["Drama"]}} or a bare id)";

Error wrongLine(std::string_view found) {
  return wrongArgument(fmt::format("{}; {}", found, kAccepted));
}

Error wrongValue(std::string_view key, const Json& value) {
  return wrongLine(fmt::format("{}: {} is not accepted", printable(key), printable(value.dump())));
}

/// Gives a query a value in place of one it may have. False if the value is none.
bool give(retrieval::Query& query, const std::string& name, const Json& value) {
  const auto text = textOf(value);
  if (!text) return false;
  const auto given = std::ranges::find(query.context, name, &retrieval::ContextValue::name);
  if (given != query.context.end())
    given->value = *text;
  else
    query.context.push_back({name, *text, true});
  return true;
}

/// The ids of a list; an id is a text or a number.
Result<std::vector<std::string>> idsIn(std::string_view key, const Json& list) {
  if (!list.is_array()) return wrongValue(key, list);
  std::vector<std::string> ids;
  for (const Json& each : list) {
    auto id = textOf(each);
    if (!id) return wrongValue(key, each);
    ids.push_back(std::move(*id));
  }
  return ids;
}

/// {"genres": "Drama", "year": [1994, 1995]}
Result<std::vector<retrieval::AttributeCondition>> conditionsOf(const Json& object) {
  if (!object.is_object()) return wrongValue("\"where\"", object);
  std::vector<retrieval::AttributeCondition> conditions;
  for (const auto& [name, given] : object.items()) {
    const std::string key = fmt::format("where \"{}\"", name);
    PARAPET_ASSIGN(auto values, idsIn(key, given.is_array() ? given : Json::array({given})));
    if (values.empty()) return wrongValue(key, given);
    conditions.push_back({name, std::move(values)});
  }
  return conditions;
}

}  // namespace

void addContext(CLI::App& command, std::vector<std::string>& entries) {
  command
      .add_option(
          "--context", entries,
          "Values of a context that the model reads: a list for each, and for every "
          "combination of several names. Other values are those of the user's last training row")
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
                  "Items instead of the users' own history, oldest first, for a model that reads "
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

Result<std::vector<std::string>> parseIds(const std::string& text, std::string_view option) {
  std::vector<std::string> ids;
  for (const std::string_view field : splitFields(text, ','))
    if (ids.emplace_back(trim(field)); ids.back().empty())
      return wrongArgument(
          fmt::format("{}: an id is empty; accepted: ids separated by commas", option));
  return ids;
}

Result<std::vector<std::string>> readIds(const std::string& path, std::string_view option) {
  PARAPET_ASSIGN(const std::string text, readFile(path));
  std::vector<std::string> ids;
  for (const std::string_view line : splitFields(withoutByteOrderMark(text), '\n'))
    if (const std::string_view id = trim(line); !id.empty()) ids.emplace_back(id);
  if (ids.empty())
    return wrongArgument(fmt::format("{}: {} names none; accepted: one id per line", option, path));
  return ids;
}

void addCandidates(CLI::App& command, CandidateArguments& arguments) {
  command
      .add_option("--items", arguments.items,
                  "Rank only these items, in the order of the whole list")
      ->type_name("ID,…");
  command.add_option("--items-file", arguments.itemsFile, "As --items: a file with an id per line")
      ->type_name("FILE");
  command.add_option("--exclude", arguments.exclude, "Leave these items out")->type_name("ID,…");
  command
      .add_option("--exclude-file", arguments.excludeFile,
                  "As --exclude: a file with an id per line")
      ->type_name("FILE");
  command
      .add_option("--where", arguments.where,
                  "Rank only items that have one of the values of an attribute of the catalogue, "
                  "such as genres or title; all conditions hold")
      ->type_name("NAME=VALUE,…")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<retrieval::CandidateFilter> parseCandidates(const CandidateArguments& arguments) {
  retrieval::CandidateFilter filter;
  PARAPET_ASSIGN(filter.items, idsOf(arguments.items, arguments.itemsFile, "--items"));
  PARAPET_ASSIGN(auto exclude, idsOf(arguments.exclude, arguments.excludeFile, "--exclude"));
  if (exclude) filter.exclude = std::move(*exclude);
  for (const std::string& entry : arguments.where) {
    const std::size_t equals = entry.find('=');
    retrieval::AttributeCondition condition{std::string(trim(entry.substr(0, equals))), {}};
    bool isWrong = equals == std::string::npos || condition.name.empty();
    for (const std::string_view value : splitFields(
             isWrong ? std::string_view() : std::string_view(entry).substr(equals + 1), ','))
      condition.values.emplace_back(trim(value));
    isWrong = isWrong || std::ranges::count(condition.values, std::string()) > 0;
    if (isWrong)
      return wrongArgument(
          fmt::format("--where: \"{}\" is not accepted; accepted: NAME=VALUE, or several values "
                      "separated by commas (a value that has a comma: \"where\" of a line of "
                      "--stdin)",
                      printable(entry)));
    filter.where.push_back(std::move(condition));
  }
  return filter;
}

Status readQuestion(std::string_view text, const retrieval::CandidateFilter& usual,
                    Question& question) {
  if (text.starts_with('"') || text.starts_with('[')) {
    const Json quoted = Json::parse(text, nullptr, false);
    if (!quoted.is_string()) return wrongLine("not a JSON object");
    question.query.user = quoted.get<std::string>();
    return {};
  }
  if (!text.starts_with('{')) {
    question.query.user = text;
    return {};
  }
  auto value = objectOf(text);
  if (!value.ok()) return wrongLine(value.error().message);
  if (const auto user = value->find("user"); user != value->end()) {
    if (user->is_string())
      question.query.user = user->get<std::string>();
    else if (user->is_number_integer())
      question.query.user = user->dump();
    else if (user->is_null())  // as an answer to a history says it
      question.query.user.clear();
    else
      return wrongValue("\"user\"", *user);
  }
  const auto filter = [&]() -> retrieval::CandidateFilter& {
    if (!question.filter) question.filter = usual;
    return *question.filter;
  };
  for (const auto& [key, member] : value->items()) {
    const bool isOptional =
        key == "history" || key == "items" || key == "exclude" || key == "where";
    if (key == "user" || (isOptional && member.is_null())) {
      continue;  // an answer without a history says so, too
    } else if (key == "context" && member.is_object()) {
      for (const auto& [name, given] : member.items())
        if (!give(question.query, name, given))
          return wrongValue(fmt::format("context \"{}\"", name), given);
    } else if (key == "history") {
      PARAPET_ASSIGN(question.query.history, idsIn("\"history\"", member));
    } else if (key == "items") {
      PARAPET_ASSIGN(filter().items, idsIn("\"items\"", member));
    } else if (key == "exclude") {
      PARAPET_ASSIGN(filter().exclude, idsIn("\"exclude\"", member));
    } else if (key == "where") {
      PARAPET_ASSIGN(filter().where, conditionsOf(member));
    } else if (key == "k" && member.is_number_integer()) {
      question.k = member.get<std::int64_t>();
    } else {
      return wrongValue(fmt::format("\"{}\"", key), member);
    }
  }
  if (question.query.user.empty() && !question.query.history)
    return wrongLine("\"user\" is missing, and so is \"history\"");
  if (question.k < 1) return wrongLine(fmt::format("k is {}, which is less than 1", question.k));
  return {};
}

}  // namespace parapet::cli
