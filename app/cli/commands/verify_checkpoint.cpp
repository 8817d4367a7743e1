// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/text_table.h"

namespace parapet::cli {
namespace {

Answer verifyCheckpoints(Invocation& invocation, const std::string& run) {
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  PARAPET_ASSIGN(const auto checks, opened->verifyCheckpoints(run, invocation.work()));
  Json list = Json::array();
  TextTable table({{"step", Align::kRight}, {"state"}, {"message"}});
  std::int64_t damaged = 0;
  for (const workspace::CheckpointCheck& check : checks) {
    list.push_back(Json{{"step", check.step}, {"ok", check.ok}, {"message", check.message}});
    table.add({fmt::to_string(check.step), check.ok ? "ok" : "damaged", check.message});
    damaged += check.ok ? 0 : 1;
  }
  Answer answer = Answer::of(Json{{"checkpoints", std::move(list)}},
                             checks.empty() ? "The run has no checkpoints.\n" : table.text());
  if (damaged == 0) return answer;
  answer.code = ExitCode::kFailed;
  answer.failure =
      Failure{{ErrorCode::kData, fmt::format("{} of {} damaged", damaged,
                                             counted(std::ssize(checks), "checkpoint"))}};
  return answer;
}

}  // namespace

void addVerifyCheckpoint(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "verify-checkpoint", "Read every checkpoint of a run and compare it with its hashes");
  command->footer("Example: parapet-cli verify-checkpoint latest\nExit code 1 if one is damaged.");
  const auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "Run: an id, a unique prefix of one, or latest")->required();
  onRun(*command, invocation, [&invocation, run] {
    return verifyCheckpoints(invocation, *run).orKnown(Json{{"checkpoints", Json::array()}});
  });
}

}  // namespace parapet::cli
