// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/predict.h"

#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/atomic_file.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct PredictArguments {
  std::string run, input, out, checkpoint = "last";
};

std::string csvOf(const std::vector<workspace::RowScore>& scores) {
  std::string text = "row,score\n";
  for (const workspace::RowScore& each : scores)
    text += fmt::format("{},{}\n", each.row, each.score);
  return text;
}

void warnOf(const workspace::RowScores& scores) {
  printWarnings(scores.warnings);
  for (const workspace::UnknownIds& unknown : scores.unknown)
    printWarning(
        fmt::format("column \"{}\": {} unknown to the run, such as \"{}\"; read as the row "
                    "of unknown ids",
                    unknown.column, counted(unknown.ids, "id"), printable(unknown.example)));
  if (scores.rejectedLines.empty()) return;
  const data::RejectedLine& first = scores.rejectedLines.front();
  printWarning(fmt::format("{} rejected, the first at {}:{}: {}", counted(scores.rejected, "line"),
                           first.path, first.line, first.reason));
}

Answer predict(Invocation& invocation, const PredictArguments& arguments) {
  const auto choice = parseCheckpoint(arguments.checkpoint);
  if (!choice.ok()) return Answer::failed(choice.error(), Json::object());
  const auto opened = invocation.workspace();
  if (!opened.ok()) return Answer::failed(opened.error());
  const auto scores =
      (*opened)->predict(arguments.run, {arguments.input, *choice}, invocation.work());
  if (!scores.ok()) return Answer::failed(scores.error());
  warnOf(*scores);
  if (!arguments.out.empty())
    if (const Status written = writeFileAtomically(arguments.out, csvOf(scores->scores));
        !written.ok())
      return Answer::failed(written.error());
  Json list = Json::array();
  for (const workspace::RowScore& each : scores->scores)
    list.push_back(Json{{"row", each.row}, {"score", number(static_cast<double>(each.score))}});
  if (!arguments.out.empty())
    return Answer::of(std::move(list),
                      fmt::format("{} scored with the checkpoint of step {}: {}\n",
                                  counted(std::ssize(scores->scores), "row"), scores->step,
                                  terminalText(arguments.out, LineEnds::kEscape)));
  TextTable table({{"row", Align::kRight}, {"score", Align::kRight}});
  for (const workspace::RowScore& each : scores->scores)
    table.add({fmt::to_string(each.row), fmt::format("{}", each.score)});
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addPredict(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("predict", "Score the rows of a file with a trained model");
  command->footer(
      "Example: parapet-cli predict latest --input impressions.csv --out scores.csv\n"
      "The file has the columns that the model reads, and user and item, named as in its data.");
  const auto arguments = std::make_shared<PredictArguments>();
  command->add_option("RUN", arguments->run, "Run: an id, a unique prefix of one, or latest")
      ->required();
  command->add_option("--input", arguments->input, "Rows to score: a text or Parquet file")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", arguments->out, "Write row and score as CSV")->type_name("FILE");
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Checkpoint: last, best or a step [last]")
      ->type_name("WHICH");
  onRun(*command, invocation, [&invocation, arguments] { return predict(invocation, *arguments); });
}

}  // namespace parapet::cli
