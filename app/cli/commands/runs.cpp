// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/workspace/run_differences.h"

namespace parapet::cli {
namespace {

constexpr std::size_t kMaxShownSettings = 3;
constexpr const char* kNoRuns = "No runs yet. Start one: parapet-cli train sample\n";

struct RunsArguments {
  std::optional<std::int64_t> limit;
  std::string experiment, group;
};

/// Names of experiments by id, those in the trash included: a run keeps saying what it was made from.
Result<std::map<std::string, std::string>> experimentNames(const store::Experiments& experiments) {
  std::map<std::string, std::string> names;
  for (const auto trash :
       {store::Experiments::Trash::kOnly, store::Experiments::Trash::kLeaveOut}) {
    PARAPET_ASSIGN(const auto records, experiments.list(trash));
    for (const store::ExperimentRecord& record : records) names[record.id] = record.name;
  }
  return names;
}

Json differencesJson(const std::vector<workspace::RunSetting>& settings) {
  Json list = Json::array();
  for (const workspace::RunSetting& setting : settings)
    list.push_back(Json{{"pointer", setting.pointer}, {"value", setting.value}});
  return list;
}

Result<std::vector<store::RunRecord>> readRuns(const store::RunStore& store,
                                               const RunsArguments& arguments) {
  if (!arguments.group.empty()) {
    PARAPET_ASSIGN(auto any, store.runs({.limit = 1, .group = arguments.group}));
    if (any.empty())
      return Error{ErrorCode::kNotFound,
                   fmt::format("no run is of the group {}; `sweep` and `runs --json` name groups",
                               printable(arguments.group))};
  }
  if (arguments.experiment.empty())
    return store.runs({.limit = arguments.limit.value_or(0), .group = arguments.group});
  PARAPET_ASSIGN(const auto experiment, store.experiments().find(arguments.experiment));
  PARAPET_ASSIGN(auto runs, store.runs({.group = arguments.group}));
  std::erase_if(runs,
                [&](const store::RunRecord& run) { return run.experimentId != experiment.id; });
  if (arguments.limit && static_cast<std::int64_t>(runs.size()) > *arguments.limit)
    runs.resize(static_cast<std::size_t>(*arguments.limit));
  return runs;
}

Answer listRuns(Invocation& invocation, const RunsArguments& arguments) {
  if (arguments.limit && *arguments.limit < 1)
    return wrongArgument(
        fmt::format("--limit: {} is not accepted; accepted: 1 or more", *arguments.limit));
  const bool isNarrowed = !arguments.experiment.empty() || !arguments.group.empty();
  PARAPET_ASSIGN(const auto opened,
                 isNarrowed ? invocation.existingWorkspace() : invocation.workspaceToList());
  if (!opened) return Answer::of(Json::array(), kNoRuns);
  const store::RunStore& store = opened->store();
  PARAPET_ASSIGN(const auto runs, readRuns(store, arguments));
  PARAPET_ASSIGN(const auto names, experimentNames(store.experiments()));
  PARAPET_ASSIGN(const auto differences, workspace::runDifferences(store, runs));

  Json list = Json::array();
  TextTable table({{"run"},
                   {"name"},
                   {"state"},
                   {"created"},
                   {"epochs", Align::kRight},
                   {"best"},
                   {"data"},
                   {"model / loss"},
                   {"differs in"}});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const store::RunRecord& run = runs[i];
    const std::vector<workspace::RunSetting>& settings = differences[i];
    const auto name = names.find(run.experimentId);
    Json json = runJson(run, name == names.end() ? std::string() : name->second);
    json["differs"] = i < workspace::kMaxComparedRuns ? differencesJson(settings) : Json(nullptr);
    list.push_back(std::move(json));
    table.add({run.id, run.name, experiment::runStateName(run.state), formatUtc(run.createdMs),
               fmt::format("{}/{}", run.epochs, run.totalEpochs),
               run.best ? fmt::format("{} {} (epoch {})", run.bestMetric,
                                      formatValue(run.best->value, 4), run.best->epoch)
                        : std::string("–"),
               workspace::dataNameOf(run), workspace::modelNameOf(run),
               workspace::differenceText(settings, kMaxShownSettings)});
  }
  if (runs.empty())
    return Answer::of(
        std::move(list),
        arguments.experiment.empty()
            ? std::string(kNoRuns)
            : fmt::format("No runs yet. Start one: parapet-cli train {}\n", arguments.experiment));
  return Answer::of(std::move(list), table.text());
}

Answer exportArchive(Invocation& invocation, const std::string& run, const std::string& out,
                     bool force) {
  PARAPET_TRY(checkOut(out, force, "the archive"));
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_TRY(opened->exportArchive(run, out, invocation.work()));
  return Answer::of(
      Json{{"files", Json::array({out})}},
      fmt::format("Wrote {}. Another workspace takes it: parapet-cli runs import {}\n",
                  terminalText(out, LineEnds::kEscape), terminalText(out, LineEnds::kEscape)));
}

Answer importArchive(Invocation& invocation, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Error{.code = ErrorCode::kNotFound,
                 .message = fmt::format("{}: no such file", file),
                 .path = file};
  const bool isNew = !invocation.hasWorkspace();
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  const auto run = opened->importArchive(file, invocation.work());
  if (!run) {
    if (isNew) invocation.takeBackWorkspace();
    return run.error();
  }
  return Answer::of(Json{{"run_id", *run}}, fmt::format("Took run {} from {}.\n", *run,
                                                        terminalText(file, LineEnds::kEscape)));
}

void addArchives(CLI::App& runs, Invocation& invocation) {
  CLI::App* command = runs.add_subcommand(
      "export", "Write a run with its checkpoints and data as one file, for another workspace");
  struct Arguments {
    std::string run, out;
    bool force = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "Run: an id, a unique prefix of one, or latest")
      ->required();
  command->add_option("--out", arguments->out, "File to write, a zip archive")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", arguments->force, "Replace a file that is there");
  onRun(*command, invocation, [&invocation, arguments] {
    return exportArchive(invocation, arguments->run, arguments->out, arguments->force);
  });
  addVerb(runs, invocation, "import", "Import the run of such a file into the workspace",
          {"FILE", "A file that `runs export` wrote"}, importArchive);
}

}  // namespace

void addRuns(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("runs", "List the runs of the workspace; export or import one");
  command->require_subcommand(0, 1);
  addArchives(*command, invocation);
  command->footer(
      "Examples: parapet-cli runs --limit 20 --json\n"
      "          parapet-cli runs --experiment my-clicks\n"
      "          parapet-cli runs export latest --out run.zip\n"
      "\"differs in\" tells the newest 200 runs of one name apart.");
  const auto arguments = std::make_shared<RunsArguments>();
  command->add_option("--limit", arguments->limit,
                      "List only the N newest runs; default: all of them");
  command
      ->add_option("--experiment", arguments->experiment, "List only the runs of this experiment")
      ->type_name("NAME");
  command
      ->add_option("--group", arguments->group, "List only the runs of this group, as of a sweep")
      ->type_name("GROUP");
  // CLI11 calls this after the callback of a verb, which has the word then.
  command->callback([&invocation, arguments, command] {
    if (!command->get_subcommands().empty()) return;
    invocation.action = [&invocation, arguments] { return listRuns(invocation, *arguments); };
  });
}

}  // namespace parapet::cli
