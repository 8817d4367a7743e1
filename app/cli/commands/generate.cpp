// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "engine/base/text.h"
#include "engine/workspace/generate.h"

namespace parapet::cli {
namespace {

using experiment::GeneratorKind;
using workspace::GeneratedFormat;

struct GenerateArguments {
  std::string kind, out, format, layout;
  std::optional<std::int64_t> users, items, events, seed;
  std::string contextStrength, orderStrength;
  bool force = false;
};

Error unknownWord(std::string_view what, const std::string& word,
                  std::span<const std::string> accepted) {
  return wrongArgument(fmt::format("{} \"{}\" is unknown{}; accepted: {}", what, word,
                                   didYouMean(word, accepted), join(accepted)));
}

Result<GeneratorKind> parseKind(const std::string& word) {
  const std::array<std::string, 3> kinds{"movies", "clicks", "events"};
  if (word == kinds[0]) return GeneratorKind::kMovies;
  if (word == kinds[1]) return GeneratorKind::kClicks;
  if (word == kinds[2]) return GeneratorKind::kEvents;
  return unknownWord("KIND", word, kinds);
}

// The format of --format, else of the extension of --out; movies without either are a folder.
Result<GeneratedFormat> parseFormat(const GenerateArguments& arguments, GeneratorKind kind) {
  const std::array<std::string, 3> formats{"csv", "parquet", "columns"};
  std::string word = arguments.format;
  if (word.empty() && kind == GeneratorKind::kMovies && !arguments.layout.empty())
    return GeneratedFormat::kMovieFolder;
  if (word.empty()) {
    const std::string ending = std::filesystem::path(arguments.out).extension().string();
    if (ending == ".csv" || ending == ".parquet") word = ending.substr(1);
  }
  if (word == formats[0]) return GeneratedFormat::kCsv;
  if (word == formats[1]) return GeneratedFormat::kParquet;
  if (word == formats[2]) return GeneratedFormat::kColumns;
  if (!word.empty()) return unknownWord("--format", word, formats);
  if (kind == GeneratorKind::kMovies) return GeneratedFormat::kMovieFolder;
  return wrongArgument(
      fmt::format("--out {} does not name the format; accepted: a path that ends with .csv or "
                  ".parquet, or --format csv, parquet or columns",
                  arguments.out));
}

Status checkLayout(const GenerateArguments& arguments, GeneratorKind kind) {
  const std::array<std::string, 1> layouts{"100k"};
  if (arguments.layout.empty()) return {};
  if (arguments.layout != layouts[0]) return unknownWord("--layout", arguments.layout, layouts);
  if (kind != GeneratorKind::kMovies)
    return wrongArgument("--layout is a setting of movies; clicks and events have a --format");
  if (!arguments.format.empty())
    return wrongArgument("--layout and --format both choose the format; accepted: one of them");
  return {};
}

Status takeStrength(const char* option, const std::string& text, double& strength) {
  if (text.empty()) return {};
  const std::optional<double> found = parseDouble(text);
  if (!found || !(*found >= 0.0 && *found <= 1.0))
    return wrongArgument(fmt::format("{} {}; accepted: a number from 0 to 1", option, text));
  strength = *found;
  return {};
}

Result<experiment::Generator> settingsOf(const GenerateArguments& arguments, GeneratorKind kind) {
  experiment::Generator settings;
  settings.kind = kind;
  settings.users = arguments.users.value_or(settings.users);
  settings.items = arguments.items.value_or(settings.items);
  settings.events = arguments.events.value_or(settings.events);
  if (arguments.seed) settings.seed = static_cast<std::uint64_t>(*arguments.seed);
  if (!arguments.contextStrength.empty() && kind == GeneratorKind::kMovies)
    return wrongArgument("--context-strength is a setting of clicks and events");
  if (!arguments.orderStrength.empty() && kind != GeneratorKind::kEvents)
    return wrongArgument("--order-strength is a setting of events");
  PARAPET_TRY(
      takeStrength("--context-strength", arguments.contextStrength, settings.contextStrength));
  PARAPET_TRY(takeStrength("--order-strength", arguments.orderStrength, settings.orderStrength));
  return settings;
}

const char* rowsOf(GeneratorKind kind) {
  switch (kind) {
    case GeneratorKind::kMovies:
      return "ratings";
    case GeneratorKind::kClicks:
      return "impressions";
    case GeneratorKind::kEvents:
      return "events";
  }
  return "rows";
}

Result<workspace::GenerateReport> generated(Invocation& invocation,
                                            const GenerateArguments& arguments,
                                            GeneratorKind kind) {
  PARAPET_TRY(checkLayout(arguments, kind));
  PARAPET_ASSIGN(const GeneratedFormat format, parseFormat(arguments, kind));
  PARAPET_ASSIGN(const experiment::Generator settings, settingsOf(arguments, kind));
  return workspace::generate(settings,
                             {.path = arguments.out, .format = format, .replace = arguments.force},
                             invocation.work());
}

// Adds to the error of a file that is there already how to go on.
Error withHint(Error error, const GenerateArguments& arguments) {
  std::error_code ignored;
  if (!arguments.force && error.path == arguments.out &&
      std::filesystem::is_regular_file(arguments.out, ignored))
    error.message += " (--force)";
  return error;
}

Answer generate(Invocation& invocation, const GenerateArguments& arguments) {
  PARAPET_ASSIGN(const auto kind, parseKind(arguments.kind));
  const auto report = generated(invocation, arguments, kind);
  if (!report.ok()) return withHint(report.error(), arguments);
  Json json{{"path", arguments.out},
            {"rows", report->rows},
            {"bytes", report->bytes},
            {"seconds", number(report->seconds)}};
  return Answer::of(
      std::move(json),
      fmt::format("{} {}, {}, written to {} in {}.\n", formatCount(report->rows), rowsOf(kind),
                  formatBytes(report->bytes), arguments.out, formatDuration(report->seconds)));
}

}  // namespace

void addGenerate(CLI::App& program, Invocation& invocation) {
  const experiment::Generator defaults;
  CLI::App* command = program.add_subcommand("generate", "Write a generated data set");
  command->footer(
      "movies   ratings of movies. A folder in the layout of MovieLens-100K, or a table.\n"
      "clicks   impressions with hour, device, position, categories and a click label.\n"
      "events   listening events, shaped as in Yambda, sorted by user and time.\n"
      "The best result that a model can reach is known for all three: see "
      "engine/data/generate/README.md.\n\n"
      "Examples: parapet-cli generate movies --out ratings --users 1000 --events 100000\n"
      "          parapet-cli generate events --out events.parquet --users 10000 --items 100000 "
      "--events 10000000\n"
      "Train on a folder of movies with `train movielens-retrieval --data ratings`.");
  const auto arguments = std::make_shared<GenerateArguments>();
  command->add_option("KIND", arguments->kind, "What to generate: movies, clicks or events")
      ->required();
  command
      ->add_option("--out", arguments->out,
                   "Where to write: a file that ends with .csv or .parquet, or a folder, new or "
                   "empty")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--format", arguments->format,
                   "csv, parquet or columns (a folder of arrays) [as PATH ends]")
      ->type_name("WORD");
  command->add_option("--layout", arguments->layout, "100k: movies as a MovieLens-100K folder")
      ->type_name("WORD");
  addInteger(*command, "--users", arguments->users, 1, fmt::format("Users [{}]", defaults.users));
  addInteger(*command, "--items", arguments->items, 1, fmt::format("Items [{}]", defaults.items));
  addInteger(*command, "--events", arguments->events, 1,
             fmt::format("Rows: ratings, impressions or events [{}]", defaults.events));
  addInteger(*command, "--seed", arguments->seed, 0,
             fmt::format("Seed; the same seed writes the same values [{}]", defaults.seed));
  command
      ->add_option("--context-strength", arguments->contextStrength,
                   fmt::format("How much the context of a row decides, 0 to 1; clicks and events "
                               "[{}]",
                               defaults.contextStrength))
      ->type_name("NUMBER");
  command
      ->add_option("--order-strength", arguments->orderStrength,
                   fmt::format("Share of the listens that follow the one before, 0 to 1; events "
                               "[{}]",
                               defaults.orderStrength))
      ->type_name("NUMBER");
  command->add_flag("--force", arguments->force, "Replace a file that is there");
  onRun(*command, invocation,
        [&invocation, arguments] { return generate(invocation, *arguments); });
}

}  // namespace parapet::cli
