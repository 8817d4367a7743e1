// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/mesh/sharding_plan.h"

namespace parapet::cli {
namespace {

Answer verifyCheckpoints(Invocation& invocation, const std::string& run) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
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

// A document if there is a file, recipe or experiment of that name, else a run.
Result<experiment::Parsed> load(Invocation& invocation, const DocumentArguments& arguments) {
  if (arguments.source.empty() || namesDocument(invocation, arguments.source)) {
    PARAPET_ASSIGN(LoadedDocument loaded, loadDocument(invocation, arguments));
    return experiment::Parsed(std::move(loaded));
  }
  if (!arguments.settings.empty() || !arguments.data.empty())
    return wrongArgument(fmt::format(
        "--set and --data change documents, and \"{}\" is no file, recipe or experiment",
        arguments.source));
  const auto opened = invocation.existingWorkspace();
  auto run = opened ? (*opened)->experimentOf(arguments.source)
                    : Result<experiment::Experiment>(opened.error());
  if (!run.ok() && run.error().code == ErrorCode::kNotFound)
    return run.error().wrap(
        fmt::format("\"{}\" is no file, no recipe, no experiment and no run", arguments.source));
  if (!run.ok()) return run.error();
  return experiment::Parsed{std::move(run).value(), {}};
}

Json meshJson(const workspace::VerifiedMesh& mesh) {
  Json tables = Json::array();
  for (const workspace::VerifiedMesh::Table& table : mesh.tables)
    tables.push_back(Json{{"name", table.name},
                          {"placement", mesh::placementName(table.placement)},
                          {"shards", table.shards},
                          {"groups", table.groups}});
  return Json{{"devices", mesh.devices},
              {"shape", mesh.shape},
              {"axes", mesh.axes},
              {"tables", std::move(tables)}};
}

std::string describe(const workspace::VerifiedMesh& mesh) {
  std::string text = mesh.devices.size() == 1
                         ? std::string("1 device")
                         : fmt::format("{} devices", fmt::join(mesh.shape, " × "));
  for (const workspace::VerifiedMesh::Table& table : mesh.tables) {
    text += fmt::format("\n  {}: {}", table.name, mesh::placementName(table.placement));
    if (table.shards > 1) text += fmt::format(", {} shards", table.shards);
    if (table.shards > 1 && table.groups > 1)
      text += fmt::format(" on {} devices each", table.groups);
  }
  return text;
}

Json verificationJson(const workspace::Verification& result) {
  Json tensors = Json::array();
  for (const workspace::TensorDifference& tensor : result.tensors)
    tensors.push_back(Json{{"name", tensor.name},
                           {"max_abs_diff", number(tensor.maxAbs)},
                           {"relative_diff", number(tensor.relative)},
                           {"rms_relative_diff", number(tensor.rmsRelative)},
                           {"accepted_relative_diff", number(tensor.accepted)},
                           {"last_bit_relative_diff",
                            tensor.lastBitRelative ? number(*tensor.lastBitRelative) : Json()},
                           {"gradient_relative_diff",
                            tensor.gradientRelative ? number(*tensor.gradientRelative) : Json()},
                           {"without_effect", tensor.withoutEffect},
                           {"identical", tensor.identical}});
  return Json{{"passed", result.passed},
              {"by_step", result.byStep},
              {"identical", result.identical},
              {"tolerance", number(result.tolerance)},
              {"max_abs_diff", number(result.maxAbsDiff)},
              {"loss_max_abs_diff", number(result.lossMaxAbsDiff)},
              {"max_relative_diff", number(result.maxRelativeDiff)},
              {"first", meshJson(result.first)},
              {"second", meshJson(result.second)},
              {"tensors", std::move(tensors)}};
}

// Tensors that differ without effect, in a sentence; "" if there are none.
std::string withoutEffect(const workspace::Verification& result) {
  std::vector<std::string> names;
  for (const workspace::TensorDifference& tensor : result.tensors)
    if (tensor.withoutEffect) names.push_back(tensor.name);
  if (names.empty()) return {};
  return fmt::format(
      "Differ without effect on a loss: {}. The gradient of these weights is 0 but for rounding, "
      "of which the optimizer makes whole steps; moving statistics follow them. All gradients "
      "agree.\n",
      fmt::join(names, ", "));
}

std::string describe(const workspace::Verification& result) {
  const bool gradients = std::ranges::any_of(
      result.tensors, [](const auto& tensor) { return tensor.gradientRelative.has_value(); });
  std::vector<TextTable::Column> columns{{"tensor"},
                                         {"largest difference", Align::kRight},
                                         {"relative", Align::kRight},
                                         {"accepted", Align::kRight}};
  if (gradients) columns.push_back({"gradients", Align::kRight});
  columns.push_back({""});
  TextTable table(std::move(columns));
  for (const workspace::TensorDifference& tensor : result.tensors) {
    std::vector<std::string> cells{
        tensor.name, fmt::format("{:.3g}", tensor.maxAbs), fmt::format("{:.3g}", tensor.relative),
        result.tolerance > 0 ? fmt::format("{:.3g}", tensor.accepted) : "0"};
    if (gradients) cells.push_back(fmt::format("{:.3g}", tensor.gradientRelative.value_or(NAN)));
    cells.emplace_back(tensor.identical       ? "same bits"
                       : tensor.withoutEffect ? "no effect"
                                              : "differs");
    table.add(std::move(cells));
  }
  const std::string accepted =
      result.tolerance > 0
          ? fmt::format("at most {:g}, single elements of tensors as below", result.tolerance)
          : "the same bits";
  const std::string meshes =
      result.first == result.second
          ? "Both on " + describe(result.first)
          : "First on " + describe(result.first) + "\nSecond on " + describe(result.second);
  return fmt::format(
      "{}. Largest relative difference {:.3g}; accepted: {}.\nLargest absolute difference {:.3g}, "
      "of the loss {:.3g}.\n{}{}\n{}\n\n{}",
      result.byStep   ? "Passed step by step"
      : result.passed ? "Passed"
                      : "Did not pass",
      result.maxRelativeDiff, accepted, result.maxAbsDiff, result.lossMaxAbsDiff,
      result.byStep ? "These are of the whole trainings, in which the optimizer magnifies "
                      "rounding: weights that begin one last bit apart differ alike. Each step by "
                      "itself, from the same weights, is within what is accepted.\n"
                    : "",
      withoutEffect(result), meshes, table.text());
}

/// "; 2 of 6 tensors differ by more: tables/item/weight (2.3e-05), …", the worst first.
std::string refusedTensors(const workspace::Verification& result) {
  constexpr std::size_t kNamed = 3;
  std::vector<const workspace::TensorDifference*> refused;
  for (const workspace::TensorDifference& tensor : result.tensors)
    if (result.tolerance > 0 ? !(tensor.relative <= tensor.accepted) && !tensor.withoutEffect
                             : !tensor.identical)
      refused.push_back(&tensor);
  if (refused.empty()) return "";
  std::ranges::stable_sort(refused, std::greater{}, &workspace::TensorDifference::relative);
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kNamed, refused.size()); ++i)
    named.push_back(fmt::format("{} ({:.3g})", refused[i]->name, refused[i]->relative));
  return fmt::format("; {} of {} tensors differ by more: {}{}", refused.size(),
                     result.tensors.size(), fmt::join(named, ", "),
                     refused.size() > kNamed ? ", …" : "");
}

/// Whether the devices of a mesh are of other kinds than those of the other.
bool haveOtherKinds(const workspace::VerifiedMesh& a, const workspace::VerifiedMesh& b) {
  const auto kindsOf = [](const workspace::VerifiedMesh& mesh) {
    std::set<std::string> kinds;
    for (const std::string& device : mesh.devices) kinds.insert(device.substr(0, device.find(':')));
    return kinds;
  };
  return kindsOf(a) != kindsOf(b);
}

/// Why a verification did not pass. An optimizer that divides by what it has seen magnifies the rounding
/// of other kernels; SGD does not.
Error refusalOf(const workspace::Verification& result, const experiment::Experiment& of) {
  std::string text =
      result.tolerance > 0
          ? fmt::format("the two trainings differ by {:.3g} relative; accepted: {:g}",
                        result.maxRelativeDiff, result.tolerance)
          : fmt::format("the two trainings differ by {:.3g}; accepted: the same bits",
                        result.maxAbsDiff);
  text += refusedTensors(result);
  if (result.magnifiesRounding)
    text +=
        "; weights that begin one last bit apart would not pass either, so fewer --steps tell more";
  if (haveOtherKinds(result.first, result.second) &&
      of.optimizer.kind != experiment::OptimizerKind::kSgd)
    text +=
        "; between kinds of device the strict comparison is that of SGD: --set "
        "'/optimizer={\"kind\":\"sgd\",\"learning_rate\":0.05}'";
  return {ErrorCode::kDevice, std::move(text)};
}

Answer verify(Invocation& invocation, const VerifyArguments& arguments) {
  PARAPET_ASSIGN(const auto options, readOptions(arguments));
  PARAPET_ASSIGN(const auto parsed, load(invocation, arguments.document));
  if (!parsed.findings.problems.empty()) return Answer::refused(parsed.findings.problems);
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  const auto preflight = opened->preflight(parsed.experiment);
  if (!preflight.findings.problems.empty()) return Answer::refused(preflight.findings.problems);
  PARAPET_ASSIGN(const auto result, opened->verify(parsed.experiment, options, invocation.work()));
  Answer answer = Answer::of(verificationJson(result), describe(result));
  if (!result.passed) {
    answer.failure = Failure{refusalOf(result, parsed.experiment)};
    answer.code = ExitCode::kFailed;
  }
  return answer;
}

}  // namespace

void addVerifyCheckpoint(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "verify-checkpoint", "Read every checkpoint of a run and compare it with its hashes");
  command->footer("Example: parapet-cli verify-checkpoint latest\nExit code 1 if one is damaged.");
  const auto run = std::make_shared<std::string>();
  addRunOrModel(*command, invocation, *run);
  onRun(*command, invocation, [&invocation, run] {
    return verifyCheckpoints(invocation, *run).orKnown(Json{{"checkpoints", Json::array()}});
  });
}

void addVerify(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "verify", "Train a few steps twice and compare every tensor: same devices, same bits");
  command->footer(
      "Examples: parapet-cli verify sample\n"
      "          parapet-cli verify sample --devices 'cpu*4' --against cpu:0");
  const auto arguments = std::make_shared<VerifyArguments>();
  command
      ->add_option(
          "SOURCE", arguments->document.source,
          "Document or run: a file, a recipe, an experiment, a run id, the start of one, or latest")
      ->required();
  arguments->document.addChangesTo(*command);
  command
      ->add_option("--devices", arguments->devices,
                   "Devices of the first training [the document's]")
      ->type_name("LIST");
  command
      ->add_option("--against", arguments->against,
                   "Devices of the second training [the same]; others must agree within 1e-5 of "
                   "the largest element of a table, or of all layers")
      ->type_name("LIST");
  addInteger(*command, "--steps", arguments->steps, 1, "Steps to train [20]");
  addThreads(*command, arguments->threads);
  onRun(*command, invocation, [&invocation, arguments] { return verify(invocation, *arguments); });
}

}  // namespace parapet::cli
