// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
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
  std::optional<std::int64_t> k;
  bool fromStdin = false;
};

// Where the users come from: exactly one of the three.
Status checkSources(const RecommendArguments& arguments) {
  const int sources = static_cast<int>(!arguments.users.empty()) +
                      static_cast<int>(!arguments.usersFile.empty()) +
                      static_cast<int>(arguments.fromStdin);
  if (sources != 1)
    return wrongArgument(fmt::format(
        "{} of --user, --users-file and --stdin were given; accepted: exactly one", sources));
  for (const std::string& entry : arguments.context)
    if (entry.find('=') == std::string::npos)
      return wrongArgument(
          fmt::format("--context: \"{}\" is not accepted; accepted: NAME=VALUE", entry));
  return {};
}

Result<std::vector<std::string>> readUsers(const RecommendArguments& arguments) {
  std::vector<std::string> users;
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

// The features that read a context, joined; "" if there are none.
std::string contextsOf(const experiment::Experiment& experiment) {
  std::vector<std::string> contexts;
  for (const experiment::Feature& feature : experiment.features)
    if (experiment.dataset.roleOf(feature.column) == experiment::ColumnRole::kContext)
      contexts.push_back(feature.name);
  return join(contexts);
}

// Why no context can be given.
std::string reasonAgainstContext(const experiment::Experiment& experiment) {
  const std::string contexts = contextsOf(experiment);
  if (contexts.empty())
    return fmt::format("the model \"{}\" has no context features", experiment.name);
  return fmt::format(
      "the context ({}) of the model \"{}\" is that of the user's last training row; this version "
      "takes no other",
      contexts, experiment.name);
}

// A list longer than the catalogue is wrong for every user, so it is reported before unknown users.
Status checkLength(const retrieval::Recommender& recommender, std::int64_t k) {
  const std::int64_t items = recommender.model().candidateRows - 1;  // row 0 is out of vocabulary
  if (k > items)
    return wrongArgument(fmt::format(
        "-k {} is more than the {} items of the model; accepted: 1 to {}", k, items, items));
  return {};
}

Answer answerUsers(const retrieval::Recommender& recommender, const std::vector<std::string>& users,
                   std::int64_t k, retrieval::SeenItems seen, const ListOrigin& origin) {
  const auto lists = recommender.recommend(users, k, seen);
  if (!lists.ok()) return Answer::failed(lists.error());
  Json all = Json::array();
  std::string text;
  for (const retrieval::Recommendation& list : *lists) {
    all.push_back(recommendationJson(list, origin));
    text += (text.empty() ? "" : "\n") + recommendationText(list, origin);
  }
  return Answer::of(all.size() == 1 ? Json(all.front()) : std::move(all), std::move(text));
}

Answer recommend(Invocation& invocation, const RecommendArguments& arguments) {
  if (const Status sources = checkSources(arguments); !sources.ok())
    return Answer::failed(sources.error());
  const auto seen = parseSeen(arguments.excludeSeen);
  if (!seen.ok()) return Answer::failed(seen.error());
  const auto choice = parseCheckpoint(arguments.checkpoint);
  if (!choice.ok()) return Answer::failed(choice.error());
  std::vector<std::string> users;
  if (!arguments.fromStdin) {
    auto read = readUsers(arguments);
    if (!read.ok()) return Answer::failed(read.error());
    users = std::move(read).value();
  }

  const auto opened = invocation.workspace();
  if (!opened.ok()) return Answer::failed(opened.error());
  const auto experiment = (*opened)->experimentOf(arguments.run);
  if (!experiment.ok()) return Answer::failed(experiment.error());
  if (!arguments.context.empty())
    return Answer::failed(wrongArgument(fmt::format("--context {}: {}", arguments.context.front(),
                                                    reasonAgainstContext(*experiment))));
  ListOrigin origin;
  const auto recommender = (*opened)->recommender(arguments.run, *choice, &origin.warnings);
  if (const std::string contexts = contextsOf(*experiment); !contexts.empty())
    origin.warnings.push_back(fmt::format(
        "the context ({}) of a list is that of the user's last training row", contexts));
  printWarnings(origin.warnings);
  if (!recommender.ok()) return Answer::failed(recommender.error());
  origin.step = (*recommender)->model().step;
  const std::int64_t k = arguments.k.value_or(10);
  if (const Status length = checkLength(**recommender, k); !length.ok())
    return Answer::failed(length.error());
  return arguments.fromStdin ? answerLines(**recommender, k, *seen, origin)
                             : answerUsers(**recommender, users, k, *seen, origin);
}

}  // namespace

void addRecommend(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("recommend", "List the best items of a trained model for users");
  command->footer(
      "Examples: parapet-cli recommend latest --user 12,47 -k 5 --exclude-seen\n"
      "          printf '{\"user\": \"12\", \"k\": 3}\\n47\\n' | parapet-cli recommend latest "
      "--stdin");
  const auto arguments = std::make_shared<RecommendArguments>();
  command->add_option("RUN", arguments->run, "Run: an id, a unique prefix of one, or latest")
      ->required();
  command->add_option("--user", arguments->users, "User ids as in the source, separated by commas")
      ->type_name("ID,…");
  command->add_option("--users-file", arguments->usersFile, "File with one user id per line")
      ->type_name("FILE");
  command->add_flag(
      "--stdin", arguments->fromStdin,
      "Read users from stdin, a JSON object {\"user\", \"k\"} or a bare id per line, and "
      "answer each with one line of JSON");
  addInteger(*command, "-k,--k", arguments->k, 1, "Items per user [10]");
  addSeen(*command, arguments->excludeSeen);
  command
      ->add_option("--context", arguments->context,
                   "Value of a context feature, for models that have some; repeat for more")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Checkpoint: last, best or a step [last]")
      ->type_name("WHICH");
  onRun(*command, invocation,
        [&invocation, arguments] { return recommend(invocation, *arguments); });
}

}  // namespace parapet::cli
