// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"

namespace parapet::cli {
namespace {

struct VerifyArguments {
  DocumentArguments document;
  std::string devices, against;
  std::optional<std::int64_t> steps, threads;
};

Result<workspace::VerifyOptions> readOptions(const VerifyArguments& arguments) {
  workspace::VerifyOptions options;
  options.steps = arguments.steps.value_or(options.steps);
  options.threads = static_cast<int>(arguments.threads.value_or(0));
  if (!arguments.devices.empty()) {
    PARAPET_ASSIGN(options.devices, parseDevices(arguments.devices));
  }
  if (!arguments.against.empty()) {
    PARAPET_ASSIGN(options.against, parseDevices(arguments.against));
  }
  return options;
}

// A document if there is a file or recipe of that name, else a run.
Result<experiment::Parsed> load(workspace::Workspace& workspace,
                                const DocumentArguments& arguments) {
  if (arguments.source.empty() || namesDocument(arguments.source)) return loadDocument(arguments);
  if (!arguments.settings.empty() || !arguments.data.empty())
    return wrongArgument(fmt::format(
        "--set and --data change documents, and \"{}\" is no file or recipe", arguments.source));
  auto run = workspace.experimentOf(arguments.source);
  if (!run.ok() && run.error().code == ErrorCode::kNotFound)
    return run.error().wrap(
        fmt::format("\"{}\" is no file, no recipe and no run", arguments.source));
  if (!run.ok()) return run.error();
  return experiment::Parsed{std::move(run).value(), {}};
}

Json verificationJson(const workspace::Verification& result) {
  Json tensors = Json::array();
  for (const workspace::TensorDifference& tensor : result.tensors)
    tensors.push_back(Json{{"name", tensor.name},
                           {"max_abs_diff", number(tensor.maxAbs)},
                           {"identical", tensor.identical}});
  return Json{{"passed", result.passed},
              {"identical", result.identical},
              {"tolerance", number(result.tolerance)},
              {"max_abs_diff", number(result.maxAbsDiff)},
              {"loss_max_abs_diff", number(result.lossMaxAbsDiff)},
              {"tensors", std::move(tensors)}};
}

std::string describe(const workspace::Verification& result) {
  TextTable table({{"tensor"}, {"largest difference", Align::kRight}, {""}});
  for (const workspace::TensorDifference& tensor : result.tensors)
    table.add({tensor.name, fmt::format("{:.3g}", tensor.maxAbs),
               tensor.identical ? "same bits" : "differs"});
  const std::string wanted = result.tolerance > 0
                                 ? fmt::format("within {:g} relative", result.tolerance)
                                 : "the same bits";
  return fmt::format("{}: {} wanted; largest difference {:.3g}, of the loss {:.3g}\n\n{}",
                     result.passed ? "Passed" : "Did not pass", wanted, result.maxAbsDiff,
                     result.lossMaxAbsDiff, table.text());
}

Answer verify(Session& session, const VerifyArguments& arguments) {
  const auto options = readOptions(arguments);
  if (!options.ok()) return Answer::failed(options.error());
  const auto opened = session.workspace();
  if (!opened.ok()) return Answer::failed(opened.error());
  const auto parsed = load(**opened, arguments.document);
  if (!parsed.ok()) return Answer::failed(parsed.error());
  if (!parsed->findings.problems.empty()) return Answer::refused(parsed->findings.problems);
  const auto preflight = (*opened)->preflight(parsed->experiment);
  if (!preflight.findings.problems.empty()) return Answer::refused(preflight.findings.problems);
  const auto result = (*opened)->verify(parsed->experiment, *options, session.work());
  if (!result.ok()) return Answer::failed(result.error());
  Answer answer = Answer::of(verificationJson(*result), describe(*result));
  if (!result->passed) {
    Error error{ErrorCode::kDevice,
                fmt::format("the two trainings differ by {:.3g}; accepted: {}", result->maxAbsDiff,
                            result->tolerance > 0 ? fmt::format("{:g} relative", result->tolerance)
                                                  : std::string("the same bits"))};
    answer.failure = Failure{std::move(error)};
    answer.code = ExitCode::kFailed;
  }
  return answer;
}

}  // namespace

void addVerify(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand(
      "verify", "Train a few steps twice and compare every tensor: same devices, same bits");
  command->footer(
      "Examples: parapet-cli verify sample\n"
      "          parapet-cli verify sample --devices 'cpu*4' --against cpu:0");
  const auto arguments = std::make_shared<VerifyArguments>();
  command
      ->add_option("SOURCE", arguments->document.source,
                   "Document or run: a file, a recipe, a run id, the start of one, or latest")
      ->required();
  arguments->document.addChangesTo(*command);
  command
      ->add_option("--devices", arguments->devices,
                   "Devices of the first training [the document's]")
      ->type_name("LIST");
  command
      ->add_option("--against", arguments->against,
                   "Devices of the second training [the same]; others must agree within 1e-5")
      ->type_name("LIST");
  addInteger(*command, "--steps", arguments->steps, 1, "Steps to train [20]");
  addInteger(*command, "--threads", arguments->threads, 1, "Workers of this process [all cores]");
  onRun(*command, session, [&session, arguments] { return verify(session, *arguments); });
}

}  // namespace parapet::cli
