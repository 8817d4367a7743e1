// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer.h"
#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/context_options.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/files.h"
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

/// {user, context: {name: value}, history: [ids], given: [names], items: [{id, title, score, rank}],
/// step, warnings}; `context` and `history` are null for models that read none, and what is not
/// among the given has its default.
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
                         {"rank", item.rank}});
  std::vector<std::string> warnings = origin.warnings;
  warnings.insert(warnings.end(), list.warnings.begin(), list.warnings.end());
  return Json{{"user", textOrNull(list.user)},
              {"context", contextJson(list.context)},
              {"history", list.history ? Json(list.history->items) : Json(nullptr)},
              {"given", givenJson(list.context, list.history)},
              {"items", std::move(items)},
              {"step", origin.step},
              {"warnings", std::move(warnings)}};
}

std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin) {
  TextTable table({{"rank", Align::kRight},
                   {"score", Align::kRight},
                   {"item", Align::kRight},
                   {"title"},
                   {""}});
  for (const retrieval::RecommendedItem& item : list.items)
    table.add({fmt::format("{}", item.rank), shortNumber(static_cast<double>(item.score)), item.id,
               item.title,
               item.heldOutHit  ? "held-out hit"
               : item.inHistory ? "in the history"
               : item.seen      ? "seen in training"
                                : ""});
  const std::string about = list.userTitle.empty() ? "" : fmt::format(" ({})", list.userTitle);
  const std::string user =
      list.user.empty() ? "No user" : "User " + terminalText(list.user + about, LineEnds::kEscape);
  return fmt::format("{}{}: best {} of {} items at step {}\n{}", user,
                     contextText(list.context, list.fromLastRow) + historyText(list.history),
                     list.items.size(), formatCount(list.candidates), origin.step, table.text());
}

/// Answers users as they arrive on stdin, one line of JSON per line read, until the input ends. A
/// line that cannot be answered gets `items: null` and an `error`; the others go on, and the exit
/// code is that of the most urgent failure. `usual`: context and history of lines that do not give
/// their own.
Answer answerLines(const retrieval::Recommender& recommender, const retrieval::Query& usual,
                   std::int64_t k, retrieval::SeenItems seen, const ListOrigin& origin);

struct Question {
  retrieval::Query query;
  std::int64_t k = 0;
};

constexpr std::string_view kAccepted =
    R"(accepted: {"user": "12", "k": 10, "context": {"weekday": "monday"}, "history": ["50"]} )"
    "or a bare id";

Error wrongLine(std::int64_t line, std::string_view found) {
  Error error = wrongArgument(fmt::format("stdin, line {}: {}; {}", line, found, kAccepted));
  error.line = line;
  return error;
}

// A text, or a number as it would stand in a file.
std::optional<std::string> textOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
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

/// Changes the question as a line says; the user is known even where the rest is wrong.
Status readQuestion(std::string_view text, std::int64_t line, Question& question) {
  if (!text.starts_with('{')) {
    question.query.user = text;
    return {};
  }
  // nlohmann keeps the last of two values of a name; which one was meant nobody knows.
  std::vector<std::vector<std::string>> keys;
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto key = parsed.get<std::string>();
    if (std::ranges::find(keys.back(), key) != keys.back().end()) repeated = key;
    keys.back().push_back(key);
    return true;
  };
  const Json value = Json::parse(text, watch, false);
  if (value.is_discarded()) return wrongLine(line, "not a JSON object");
  if (!repeated.empty())
    return wrongLine(line, fmt::format("\"{}\" is given twice", printable(repeated)));
  if (const auto user = value.find("user"); user != value.end()) {
    if (user->is_string())
      question.query.user = user->get<std::string>();
    else if (user->is_number_integer())
      question.query.user = user->dump();
    else if (user->is_null())  // as an answer to a history says it
      question.query.user.clear();
    else
      return wrongLine(line, fmt::format("\"user\": {} is not accepted", printable(user->dump())));
  }
  for (const auto& [key, member] : value.items()) {
    if (key == "user" || (key == "history" && member.is_null())) {
      continue;  // an answer without a history says so, too
    } else if (key == "context" && member.is_object()) {
      for (const auto& [name, given] : member.items())
        if (!give(question.query, name, given))
          return wrongLine(line, fmt::format("context \"{}\": {} is not accepted", printable(name),
                                             printable(given.dump())));
    } else if (key == "history" && member.is_array()) {
      question.query.history.emplace();
      for (const Json& given : member) {
        const auto item = textOf(given);
        if (!item)
          return wrongLine(line,
                           fmt::format("\"history\": {} is not accepted", printable(given.dump())));
        question.query.history->push_back(*item);
      }
    } else if (key == "k" && member.is_number_integer()) {
      question.k = member.get<std::int64_t>();
    } else {
      return wrongLine(line,
                       fmt::format("\"{}\": {} is not accepted", key, printable(member.dump())));
    }
  }
  if (question.query.user.empty() && !question.query.history)
    return wrongLine(line, "\"user\" is missing, and so is \"history\"");
  if (question.k < 1)
    return wrongLine(line, fmt::format("k is {}, which is less than 1", question.k));
  return {};
}

Result<Json> answer(const retrieval::Recommender& recommender, const Question& question,
                    retrieval::SeenItems seen, const ListOrigin& origin) {
  PARAPET_ASSIGN(const auto lists, recommender.recommend({&question.query, 1}, question.k, seen));
  printWarnings(lists.front().warnings);
  return recommendationJson(lists.front(), origin);
}

Answer answerLines(const retrieval::Recommender& recommender, const retrieval::Query& usualQuery,
                   std::int64_t defaultK, retrieval::SeenItems seen, const ListOrigin& origin) {
  const Question usual{usualQuery, defaultK};
  Answer result;
  result.written = true;
  LineReader lines(STDIN_FILENO);
  std::int64_t lineNumber = 0;
  while (const auto line = lines.next()) {
    ++lineNumber;
    const std::string_view text = trim(lineNumber == 1 ? withoutByteOrderMark(*line) : *line);
    if (text.empty()) continue;
    Question question = usual;
    const Status read = readQuestion(text, lineNumber, question);
    auto value =
        read.ok() ? answer(recommender, question, seen, origin) : Result<Json>(read.error());
    if (!value.ok()) {
      writeStderr("error: " + value.error().text());
      result.code = moreUrgent(result.code, exitCodeOf(value.error().code));
      const std::string& user = question.query.user;
      value = Json{{"user", read.ok() || !user.empty() ? Json(user) : Json(nullptr)},
                   {"context", nullptr},
                   {"history", nullptr},
                   {"given", Json::array()},
                   {"items", nullptr},
                   {"step", origin.step},
                   {"warnings", origin.warnings},
                   {"error", errorJson(value.error())}};
    }
    const Written written = writeStdout(jsonLine(*value));
    if (written == Written::kPipeClosed) return result;
    if (written == Written::kFailed) {
      writeStderr(
          fmt::format("error: cannot write the answer to stdout: {}", std::strerror(errno)));
      result.code = moreUrgent(result.code, ExitCode::kFailed);
      return result;
    }
  }
  if (stopRequested()) result.code = moreUrgent(result.code, ExitCode::kStopped);
  return result;
}

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
  for (const std::string_view line : splitFields(withoutByteOrderMark(text), '\n'))
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

  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  ListOrigin origin;
  const auto recommender =
      opened->recommender(arguments.run, choice, &origin.warnings, {{}, invocation.work().stop});
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
