// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/context_options.h"
#include "app/cli/commands/recommend_lines.h"
#include "app/cli/commands/recommendation_text.h"
#include "app/cli/output.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct RecommendArguments {
  std::string run, users, usersFile, checkpoint = "last", excludeSeen;
  std::vector<std::string> context;
  std::optional<std::string> history;
  std::optional<std::int64_t> k, random, seed;
  bool fromStdin = false;
};

// Where the users come from: exactly one of the four, or none beside a history of its own.
Status checkSources(const RecommendArguments& arguments) {
  const int sources =
      static_cast<int>(!arguments.users.empty()) + static_cast<int>(!arguments.usersFile.empty()) +
      static_cast<int>(arguments.fromStdin) + static_cast<int>(arguments.random.has_value());
  if (sources != 1 && !(sources == 0 && arguments.history))
    return wrongArgument(
        fmt::format("{} of --user, --users-file, --random and --stdin were given; accepted: "
                    "exactly one, or --history alone",
                    sources));
  if (arguments.seed && !arguments.random)
    return wrongArgument("--seed is for --random; accepted: both, or neither");
  return {};
}

Result<std::vector<std::string>> readUsers(const RecommendArguments& arguments) {
  std::vector<std::string> users;
  // A history of nobody in particular.
  if (arguments.users.empty() && arguments.usersFile.empty()) return std::vector<std::string>{""};
  if (arguments.usersFile.empty()) {
    for (const std::string_view field : splitFields(arguments.users, ',')) {
      users.emplace_back(trim(field));
      if (users.back().empty())
        return wrongArgument("--user: an id is empty; accepted: ids separated by commas");
    }
    return users;
  }
  PARAPET_ASSIGN(const std::string text, readFile(arguments.usersFile));
  for (const std::string_view line : splitFields(text, '\n'))
    if (const std::string_view id = trim(line); !id.empty()) users.emplace_back(id);
  if (users.empty())
    return wrongArgument(fmt::format("--users-file: {} names no user; accepted: one id per line",
                                     arguments.usersFile));
  return users;
}

// A list longer than the catalogue is wrong for every user, so it is reported before unknown users.
Status checkLength(const retrieval::Recommender& recommender, std::int64_t k) {
  const std::int64_t items = recommender.candidates();
  if (k > items)
    return wrongArgument(fmt::format(
        "-k {} is more than the {} items that the model can recommend; accepted: 1 to {}", k, items,
        items));
  return {};
}

Answer answerQueries(const retrieval::Recommender& recommender,
                     const std::vector<retrieval::Query>& queries, std::int64_t k,
                     retrieval::SeenItems seen, const ListOrigin& origin) {
  PARAPET_ASSIGN(const auto lists, recommender.recommend(queries, k, seen));
  Json all = Json::array();
  std::string text;
  for (const retrieval::Recommendation& list : lists) {
    printWarnings(list.warnings);
    all.push_back(recommendationJson(list, origin));
    text += (text.empty() ? "" : "\n") + recommendationText(list, origin);
  }
  return Answer::of(all.size() == 1 ? Json(all.front()) : std::move(all), std::move(text));
}

Answer recommend(Invocation& invocation, const RecommendArguments& arguments) {
  PARAPET_TRY(checkSources(arguments));
  PARAPET_ASSIGN(const auto seen, parseSeen(arguments.excludeSeen));
  PARAPET_ASSIGN(const auto choice, parseCheckpoint(arguments.checkpoint));
  PARAPET_ASSIGN(const auto contexts, parseContexts(arguments.context));
  if (arguments.fromStdin && contexts.size() > 1)
    return wrongArgument(
        "--context: with --stdin every line has one list; accepted: one value of each name");
  PARAPET_ASSIGN(const auto history, parseHistory(arguments.history));
  std::vector<std::string> users;
  if (!arguments.fromStdin && !arguments.random) {
    PARAPET_ASSIGN(auto read, readUsers(arguments));
    users = std::move(read);
  }

  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  ListOrigin origin;
  const auto recommender = opened->recommender(arguments.run, choice, &origin.warnings);
  printWarnings(origin.warnings);
  if (!recommender.ok()) return recommender.error();
  origin.step = (*recommender)->model().step;
  const std::int64_t k = arguments.k.value_or(10);
  PARAPET_TRY(checkLength(**recommender, k));
  if (arguments.fromStdin) {
    retrieval::Query usual("", contexts.front());
    usual.history = history;
    invocation.writesLines = true;
    return answerLines(**recommender, usual, k, seen, origin);
  }
  if (arguments.random)
    users = (*recommender)
                ->randomUsers(static_cast<std::uint64_t>(arguments.seed.value_or(0)),
                              static_cast<std::size_t>(*arguments.random));
  std::vector<retrieval::Query> queries;
  for (const std::string& user : users)
    for (const auto& context : contexts) queries.emplace_back(user, context).history = history;
  return answerQueries(**recommender, queries, k, seen, origin);
}

}  // namespace

void addRecommend(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("recommend", "List the best items of a trained model for users");
  command->footer(
      "Examples: parapet-cli recommend latest --user 12,47 -k 5 --exclude-seen\n"
      "          printf '{\"user\": \"12\", \"k\": 3}\\n47\\n' | parapet-cli recommend latest "
      "--stdin\n"
      "          parapet-cli recommend latest --user 12 --context weekday=monday,sunday\n"
      "          parapet-cli recommend latest --user 12 --history 50,181,172\n"
      "          parapet-cli recommend latest --history 50,181,172");
  const auto arguments = std::make_shared<RecommendArguments>();
  command->add_option("RUN", arguments->run, "Run: an id, a unique prefix of one, or latest")
      ->required();
  command->add_option("--user", arguments->users, "User ids as in the source, separated by commas")
      ->type_name("ID,…");
  command->add_option("--users-file", arguments->usersFile, "File with one user id per line")
      ->type_name("FILE");
  command->add_flag("--stdin", arguments->fromStdin,
                    "Read users from stdin, a JSON object {\"user\", \"k\", \"context\", "
                    "\"history\"} or a bare id per line, and answer each with one line of JSON");
  addInteger(*command, "--random", arguments->random, 1, "So many users, drawn at random");
  addInteger(*command, "--seed", arguments->seed, 0, "Of --random [0]");
  addInteger(*command, "-k,--k", arguments->k, 1, "Items per user [10]");
  addSeen(*command, arguments->excludeSeen);
  addContext(*command, arguments->context);
  addHistory(*command, arguments->history);
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Checkpoint: last, best or a step [last]")
      ->type_name("WHICH");
  onRun(*command, invocation,
        [&invocation, arguments] { return recommend(invocation, *arguments); });
}

}  // namespace parapet::cli
