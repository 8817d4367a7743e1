// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer.h"
#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/context_options.h"
#include "app/cli/json_lines.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/retrieval/recommender.h"

namespace parapet::cli {
namespace {

/// The checkpoint that lists come from.
struct ListOrigin {
  std::int64_t step = 0;
  /// Newer checkpoints that are not used, and why; the context of the lists.
  std::vector<std::string> warnings{};
};

/// {user, context: {name: value}, history: [ids], given: [names], candidates, fallback,
/// items: [{id, title, score, training_rows, rank}], step, warnings}; `context` and `history` are null
/// for models that read none, and what is not among the given has its default.
Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin);
/// {name: value}, and the names of those that were given, "history" among them.
Json contextJson(const std::vector<retrieval::ContextValue>& context);
Json givenJson(const std::vector<retrieval::ContextValue>& context,
               const std::optional<retrieval::QueryHistory>& history);
/// The list with ranks, scores and titles, for people.
std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin);

/// ", weekday monday, is_organic 1 (as in the last row)"; of a user without rows "(the usual value)"
std::string contextText(const std::vector<retrieval::ContextValue>& context, bool fromLastRow) {
  std::string text;
  for (const retrieval::ContextValue& value : context)
    text +=
        fmt::format(", {} {}{}", terminalText(value.name, LineEnds::kEscape),
                    value.value.empty() ? "unknown" : terminalText(value.value, LineEnds::kEscape),
                    value.given   ? ""
                    : fromLastRow ? " (as in the last row)"
                                  : " (the usual value)");
  return text;
}

/// ", history 50, 181", ", 20 items of its history"
std::string historyText(const std::optional<retrieval::QueryHistory>& history) {
  if (!history) return {};
  const std::size_t count = history->items.size();
  if (!history->given)
    return fmt::format(", {} item{} of its history", count, count == 1 ? "" : "s");
  return fmt::format(", history {}",
                     count == 0 ? "empty" : terminalText(join(history->items), LineEnds::kEscape));
}

Json contextJson(const std::vector<retrieval::ContextValue>& context) {
  if (context.empty()) return nullptr;
  Json object = Json::object();
  for (const retrieval::ContextValue& value : context) object[value.name] = value.value;
  return object;
}

Json givenJson(const std::vector<retrieval::ContextValue>& context,
               const std::optional<retrieval::QueryHistory>& history) {
  Json names = Json::array();
  for (const retrieval::ContextValue& value : context)
    if (value.given) names.push_back(value.name);
  if (history && history->given) names.push_back("history");
  return names;
}

Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin) {
  Json items = Json::array();
  for (const retrieval::RecommendedItem& item : list.items)
    items.push_back(Json{{"id", item.id},
                         {"title", textOrNull(item.title)},
                         {"score", number(static_cast<double>(item.score))},
                         {"training_rows", item.popularity},
                         {"rank", item.rank}});
  std::vector<std::string> warnings = origin.warnings;
  warnings.insert(warnings.end(), list.warnings.begin(), list.warnings.end());
  return Json{{"user", textOrNull(list.user)},
              {"context", contextJson(list.context)},
              {"history", list.history ? Json(list.history->items) : Json(nullptr)},
              {"given", givenJson(list.context, list.history)},
              {"candidates", list.candidates},
              {"fallback", list.isMostPopular ? Json("most_popular") : Json(nullptr)},
              {"items", std::move(items)},
              {"step", origin.step},
              {"warnings", std::move(warnings)}};
}

/// How the user knows an item. A history has held-out rows too, whose items --exclude-seen keeps.
std::string_view knownBy(const retrieval::Recommendation& list,
                         const retrieval::RecommendedItem& item) {
  if (item.heldOutHit) return "held-out hit";
  if (!item.inHistory) return item.seen ? "seen in training" : "";
  return item.seen || list.history->given ? "in the history" : "in the history by a held-out row";
}

std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin) {
  TextTable table({{"rank", Align::kRight},
                   {list.isMostPopular ? "training rows" : "score", Align::kRight},
                   {"item", Align::kRight},
                   {"title"},
                   {""}});
  for (const retrieval::RecommendedItem& item : list.items)
    table.add({fmt::format("{}", item.rank),
               list.isMostPopular ? formatCount(item.popularity)
                                  : shortNumber(static_cast<double>(item.score)),
               item.id, item.title, std::string(knownBy(list, item))});
  const std::string about = list.userTitle.empty() ? "" : fmt::format(" ({})", list.userTitle);
  const std::string user =
      list.user.empty() ? "No user" : "User " + terminalText(list.user + about, LineEnds::kEscape);
  return fmt::format("{}{}: {} {} of {} items at step {}\n{}", user,
                     contextText(list.context, list.fromLastRow) + historyText(list.history),
                     list.isMostPopular ? "most popular" : "best", list.items.size(),
                     formatCount(list.candidates), origin.step, table.text());
}

/// Common to the questions of a call.
struct Asked {
  const retrieval::Recommender& recommender;
  retrieval::SeenItems seen;
  retrieval::UnknownUsers unknown;
  const ListOrigin& origin;
};

Result<Json> answer(const Asked& asked, Question& question) {
  if (question.filter) {
    PARAPET_ASSIGN(question.query.candidates, asked.recommender.candidatesOf(*question.filter));
  }
  PARAPET_ASSIGN(const auto lists, asked.recommender.recommend({&question.query, 1}, question.k,
                                                               asked.seen, asked.unknown));
  printWarnings(lists.front().warnings);
  return recommendationJson(lists.front(), asked.origin);
}

/// Answers users as they arrive on stdin. A line that cannot be answered gets `items: null` and an
/// `error`, and the others go on. `usual`: what lines do not give themselves, `filter` that of its
/// candidates.
Answer answerUsers(const Asked& asked, const Question& usual,
                   const retrieval::CandidateFilter& filter) {
  return answerLines([&](std::string_view text, std::int64_t line) {
    Question question = usual;
    const Status read = readQuestion(text, filter, question);
    auto value = read.ok() ? answer(asked, question) : Result<Json>(read.error());
    if (value.ok()) return std::move(*value);
    const Error error = ofLine(value.error(), line);
    writeStderr("error: " + error.text());
    const std::string& user = question.query.user;
    return Json{{"user", read.ok() || !user.empty() ? Json(user) : Json(nullptr)},
                {"context", nullptr},
                {"history", nullptr},
                {"given", Json::array()},
                {"candidates", nullptr},
                {"fallback", nullptr},
                {"items", nullptr},
                {"step", asked.origin.step},
                {"warnings", asked.origin.warnings},
                {"error", errorJson(error)}};
  });
}

struct RecommendArguments {
  std::string run, users, usersFile, checkpoint = "last", excludeSeen, fallback;
  CandidateArguments candidates;
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
  // A history of nobody in particular.
  if (arguments.users.empty() && arguments.usersFile.empty()) return std::vector<std::string>{""};
  return arguments.usersFile.empty() ? parseIds(arguments.users, "--user")
                                     : readIds(arguments.usersFile, "--users-file");
}

/// "popular" or "none"; a service that reads lines must answer, so that is its default.
Result<retrieval::UnknownUsers> parseFallback(const RecommendArguments& arguments) {
  using enum retrieval::UnknownUsers;
  if (arguments.fallback == "popular") return kPopular;
  if (arguments.fallback == "none") return kRefuse;
  if (arguments.fallback.empty()) return arguments.fromStdin ? kPopular : kRefuse;
  return wrongArgument(fmt::format("--fallback: \"{}\" is not accepted; accepted: popular, none",
                                   printable(arguments.fallback)));
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

Answer answerQueries(const Asked& asked, const std::vector<retrieval::Query>& queries,
                     std::int64_t k) {
  PARAPET_ASSIGN(const auto lists,
                 asked.recommender.recommend(queries, k, asked.seen, asked.unknown));
  Json all = Json::array();
  std::string text;
  for (const retrieval::Recommendation& list : lists) {
    printWarnings(list.warnings);
    all.push_back(recommendationJson(list, asked.origin));
    text += (text.empty() ? "" : "\n") + recommendationText(list, asked.origin);
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
  PARAPET_ASSIGN(const auto unknown, parseFallback(arguments));
  PARAPET_ASSIGN(const auto filter, parseCandidates(arguments.candidates));
  std::vector<std::string> users;
  if (!arguments.fromStdin && !arguments.random) {
    PARAPET_ASSIGN(auto read, readUsers(arguments));
    users = std::move(read);
  }

  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  if (seen == retrieval::SeenItems::kExcludeAll && workspace::Workspace::isModel(opened->folder()))
    return wrongArgument(
        "--exclude-seen=all: a model lacks the rows that were held out; accepted: --exclude-seen");
  ListOrigin origin;
  const auto recommender =
      opened->recommender(arguments.run, choice, &origin.warnings, {{}, invocation.work().stop});
  printWarnings(origin.warnings);
  if (!recommender.ok()) return recommender.error();
  origin.step = (*recommender)->model().step;
  const std::int64_t k = arguments.k.value_or(10);
  PARAPET_TRY(checkLength(**recommender, k));
  PARAPET_ASSIGN(const auto candidates, (*recommender)->candidatesOf(filter));
  const Asked asked{**recommender, seen, unknown, origin};
  if (arguments.fromStdin) {
    Question usual{retrieval::Query("", contexts.front()), k};
    usual.query.history = history;
    usual.query.candidates = candidates;
    invocation.writesLines = true;
    return answerUsers(asked, usual, filter);
  }
  if (arguments.random)
    users = (*recommender)
                ->randomUsers(static_cast<std::uint64_t>(arguments.seed.value_or(0)),
                              static_cast<std::size_t>(*arguments.random));
  std::vector<retrieval::Query> queries;
  for (const std::string& user : users)
    for (const auto& context : contexts) {
      queries.emplace_back(user, context).history = history;
      queries.back().candidates = candidates;
    }
  return answerQueries(asked, queries, k);
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
      "          parapet-cli recommend latest --history 50,181,172\n"
      "          parapet-cli recommend latest --user 12 --where genres=Drama,Comedy --exclude 50\n"
      "Scores of a list of most popular items are null: it is no model's.");
  const auto arguments = std::make_shared<RecommendArguments>();
  addRunOrModel(*command, invocation, arguments->run);
  command->add_option("--user", arguments->users, "User ids as in the source, separated by commas")
      ->type_name("ID,…");
  command->add_option("--users-file", arguments->usersFile, "File with one user id per line")
      ->type_name("FILE");
  command->add_flag("--stdin", arguments->fromStdin,
                    "Read users from stdin, a JSON object {\"user\", \"k\", \"context\", "
                    "\"history\", \"items\", \"exclude\", \"where\"} or a bare id per line, and "
                    "answer each with one line of JSON; keys of a line replace options");
  addInteger(*command, "--random", arguments->random, 1, "Number of users, drawn at random");
  addInteger(*command, "--seed", arguments->seed, 0, "Seed of --random [0]");
  addInteger(*command, "-k,--k", arguments->k, 1, "Items per user [10]");
  addSeen(*command, arguments->excludeSeen);
  addContext(*command, arguments->context);
  addHistory(*command, arguments->history);
  addCandidates(*command, arguments->candidates);
  command
      ->add_option("--fallback", arguments->fallback,
                   "Answer to a user that is not in the data, without a context or a history: "
                   "popular (the most popular items) or none (an error) [none; of --stdin popular]")
      ->type_name("WHICH");
  addCheckpoint(*command, arguments->checkpoint);
  onRun(*command, invocation,
        [&invocation, arguments] { return recommend(invocation, *arguments); });
}

}  // namespace parapet::cli
