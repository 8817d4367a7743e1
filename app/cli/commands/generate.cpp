// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/generate.h"

#include <fmt/format.h>

#include <array>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct GenerateArguments {
  std::string kind, out;
  std::optional<std::int64_t> users, items, events, seed;
};

Answer generate(Session& session, const GenerateArguments& arguments) {
  const std::array<std::string, 1> kinds{"movies"};
  if (arguments.kind != kinds[0])
    return Answer::failed(
        wrongArgument(fmt::format("KIND \"{}\" is unknown{}; accepted: {}", arguments.kind,
                                  didYouMean(arguments.kind, kinds), join(kinds))));
  experiment::Generator settings;
  settings.users = arguments.users.value_or(settings.users);
  settings.items = arguments.items.value_or(settings.items);
  settings.events = arguments.events.value_or(settings.events);
  if (arguments.seed) settings.seed = static_cast<std::uint64_t>(*arguments.seed);

  const auto report = data::generateMovies(settings, arguments.out, session.work());
  if (!report.ok()) return Answer::failed(report.error());
  Json json{{"path", arguments.out},
            {"rows", report->rows},
            {"bytes", report->bytes},
            {"seconds", number(report->seconds)}};
  return Answer::of(
      std::move(json),
      fmt::format("{} ratings, {}, written to {} in {}.\n", formatCount(report->rows),
                  formatBytes(report->bytes), arguments.out, formatDuration(report->seconds)));
}

}  // namespace

void addGenerate(CLI::App& program, Session& session) {
  const experiment::Generator defaults;
  CLI::App* command = program.add_subcommand("generate", "Write a generated data set");
  command->footer(
      "Example: parapet-cli generate movies --out ratings --users 1000 --events 100000\n"
      "The folder has the layout of MovieLens-100K: train on it with "
      "`train movielens-retrieval --data ratings`.");
  const auto arguments = std::make_shared<GenerateArguments>();
  command->add_option("KIND", arguments->kind, "What to generate: movies")->required();
  command->add_option("--out", arguments->out, "Folder to write; new, or empty")
      ->required()
      ->type_name("PATH");
  addInteger(*command, "--users", arguments->users, 1, fmt::format("Users [{}]", defaults.users));
  addInteger(*command, "--items", arguments->items, 1, fmt::format("Items [{}]", defaults.items));
  addInteger(*command, "--events", arguments->events, 1,
             fmt::format("Ratings [{}]", defaults.events));
  addInteger(*command, "--seed", arguments->seed, 0,
             fmt::format("Seed; the same seed writes the same bytes [{}]", defaults.seed));
  onRun(*command, session, [&session, arguments] { return generate(session, *arguments); });
}

}  // namespace parapet::cli
