// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"

namespace parapet::cli {
namespace {

Answer listRuns(Session& session) {
  const auto opened = session.workspace();
  if (!opened.ok()) return Answer::failed(opened.error());
  const store::RunStore& store = (*opened)->store();
  const auto runs = store.runs();
  if (!runs.ok()) return Answer::failed(runs.error());

  Json list = Json::array();
  TextTable table({{"run"}, {"name"}, {"state"}, {"created"}, {"epochs", Align::kRight}, {"best"}});
  for (const store::RunRecord& run : *runs) {
    const auto epochs = store.epochs(run.id);
    if (!epochs.ok()) return Answer::failed(epochs.error());
    list.push_back(runJson(run, *epochs));
    const auto best = bestOf(run, *epochs);
    table.add({run.id, run.name, experiment::runStateName(run.state), formatUtc(run.createdMs),
               fmt::format("{}/{}", run.epochs, run.totalEpochs),
               best ? fmt::format("{} {:.4f} (epoch {})", best->metric, best->value, best->epoch)
                    : std::string("–")});
  }
  if (runs->empty())
    return Answer::of(std::move(list), "No runs yet. Start one: parapet-cli train sample\n");
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addRuns(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand("runs", "List the runs of the workspace");
  command->footer("Example: parapet-cli runs --json");
  onRun(*command, session, [&session] { return listRuns(session); });
}

}  // namespace parapet::cli
