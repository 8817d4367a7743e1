// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"

namespace parapet::cli {
namespace {

Answer listRuns(Invocation& invocation, std::optional<std::int64_t> limit) {
  if (limit && *limit < 1)
    return Answer::failed(
        wrongArgument(fmt::format("--limit: {} is not accepted; accepted: 1 or more", *limit)));
  const auto opened = invocation.workspace();
  if (!opened.ok()) return Answer::failed(opened.error());
  const auto runs = (*opened)->store().runs({.limit = limit.value_or(0)});
  if (!runs.ok()) return Answer::failed(runs.error());

  Json list = Json::array();
  TextTable table({{"run"}, {"name"}, {"state"}, {"created"}, {"epochs", Align::kRight}, {"best"}});
  for (const store::RunRecord& run : *runs) {
    list.push_back(runJson(run));
    table.add({run.id, run.name, experiment::runStateName(run.state), formatUtc(run.createdMs),
               fmt::format("{}/{}", run.epochs, run.totalEpochs),
               run.best ? fmt::format("{} {:.4f} (epoch {})", run.bestMetric, run.best->value,
                                      run.best->epoch)
                        : std::string("–")});
  }
  if (runs->empty())
    return Answer::of(std::move(list), "No runs yet. Start one: parapet-cli train sample\n");
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addRuns(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("runs", "List the runs of the workspace");
  command->footer("Example: parapet-cli runs --limit 20 --json");
  const auto limit = std::make_shared<std::optional<std::int64_t>>();
  command->add_option("--limit", *limit, "List only the N newest runs; default: all of them");
  onRun(*command, invocation, [&invocation, limit] { return listRuns(invocation, *limit); });
}

}  // namespace parapet::cli
