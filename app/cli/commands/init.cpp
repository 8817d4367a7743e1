// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/atomic_file.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/workspace/proposal_race.h"

namespace parapet::cli {
namespace {

constexpr int kIndent = 1;

struct InitArguments {
  std::string file, out;
  bool force = false, noRace = false;
};

/// Known before the file is read, which may take long.
Status checkTarget(const InitArguments& arguments) {
  if (arguments.file.empty())
    return wrongArgument("FILE is missing; accepted: a text or Parquet file with a row per event");
  if (arguments.out.empty()) return {};
  PARAPET_TRY(checkOut(arguments.out, arguments.force, "the document"));
  const auto folder = std::filesystem::path(arguments.out).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    return Error{
        .code = ErrorCode::kIo,
        .message = fmt::format("{} does not exist; --out accepts a path in a folder that does",
                               folder.string()),
        .path = folder.string()};
  return {};
}

std::string reasonsText(const workspace::Proposal& proposal) {
  std::string text;
  for (const workspace::ProposalReason& each : proposal.reasons)
    text += fmt::format("{}: {}\n", each.pointer, each.reason);
  return text;
}

Answer init(Invocation& invocation, const InitArguments& arguments) {
  PARAPET_TRY(checkTarget(arguments));
  const WorkContext work = invocation.work();
  PARAPET_ASSIGN(auto proposal, workspace::proposeExperiment(arguments.file, work));
  if (!arguments.noRace) {
    // Ctrl-C ends the race, and the rule's proposal is written.
    invocation.interrupts->takeOver();
    proposal = workspace::raceProposal(std::move(proposal), work);
  }
  Json document = workspace::documentOf(proposal);
  const std::string text =
      document.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string answer = text;
  if (!arguments.out.empty()) {
    PARAPET_TRY(writeFileAtomically(arguments.out, text));
    answer = fmt::format("{}\nWritten to {}. ", reasonsText(proposal), arguments.out);
    answer +=
        proposal.commandBefore.empty()
            ? fmt::format("Train with: parapet-cli train {}\n", shellWord(arguments.out))
            : fmt::format("Train the vocabulary, then the model:\n  {}\n  parapet-cli train {}\n",
                          proposal.commandBefore, shellWord(arguments.out));
  } else if (!invocation.json) {
    writeStderr(reasonsText(proposal), LineEnds::kKeep);
  }
  document["reasons"] = Json::array();
  for (const workspace::ProposalReason& each : proposal.reasons)
    document["reasons"].push_back(Json{{"pointer", each.pointer}, {"reason", each.reason}});
  return Answer::of(std::move(document), std::move(answer));
}

}  // namespace

void addInit(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "init",
      "Propose a whole document for a file of rows or a corpus, with a reason for each setting");
  command->footer(
      "Roles come from names and cells; split, model, loss, rate and the rest from what the rows "
      "are like.\n"
      "Example: parapet-cli init ratings.csv --out mine.json && parapet-cli train mine.json");
  const auto arguments = std::make_shared<InitArguments>();
  command->add_option(
      "FILE", arguments->file,
      "Text (.csv, .tsv), JSON lines or Parquet with a row per event, packed (.gz, .zst) or not, a "
      "MovieLens folder, a folder with files of training and test rows, or a corpus");
  command->add_option("--out", arguments->out, "Where to write the document [stdout]")
      ->type_name("DOC");
  command->add_flag("--force", arguments->force, "Replace a file that is there");
  command->add_flag("--no-race", arguments->noRace,
                    "Propose by rules only, without short trainings that compare variants on "
                    "validation rows");
  onRun(*command, invocation, [&invocation, arguments] { return init(invocation, *arguments); });
}

}  // namespace parapet::cli
