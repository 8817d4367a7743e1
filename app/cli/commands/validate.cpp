// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/experiment/fixes.h"

namespace parapet::cli {
namespace {

// Findings of the document alone, and of its data, devices and sizes. A workspace that cannot be
// opened does not make the document wrong.
workspace::Preflight inspect(Invocation& invocation, const experiment::Parsed& parsed) {
  workspace::Preflight result;
  result.findings = parsed.findings;
  const auto opened = invocation.workspaceToAsk();
  if (!parsed.findings.problems.empty()) {
    if (opened.ok() && (*opened)->findSizes(parsed.experiment, invocation.work()))
      (*opened)->narrowOffers(parsed.experiment, result.findings);
    return result;
  }
  if (!opened.ok()) {
    result.findings.warnings.push_back(
        {"", "data and sizes were not checked: " + opened.error().text(), ""});
    return result;
  }
  // Data that were imported before tell the sizes, and the findings that depend on them; nothing is
  // imported here.
  (void)(*opened)->findSizes(parsed.experiment, invocation.work());
  workspace::Preflight seen = (*opened)->preflight(parsed.experiment);
  seen.findings.warnings.insert(seen.findings.warnings.begin(), parsed.findings.warnings.begin(),
                                parsed.findings.warnings.end());
  return seen;
}

/// Every fix is tried on the whole document, so that those of thousands of findings, or of a document
/// of thousands of entries, would take minutes; who has fixed the first ones asks again.
std::size_t fixedFindings(const experiment::Experiment& experiment) {
  constexpr std::size_t kMaxFindings = 32, kMaxTriedEntries = 16'000;
  const std::size_t entries =
      experiment.tables.size() + experiment.features.size() + experiment.dataset.columns.size();
  return std::min(kMaxFindings, kMaxTriedEntries / std::max<std::size_t>(1, entries));
}

/// The edits that take each of the findings away; what a window would ask is no edit.
std::vector<std::vector<experiment::Fix>> editsOf(const std::vector<experiment::Problem>& findings,
                                                  const experiment::Fixes& fixes,
                                                  std::size_t fixed) {
  std::vector<std::vector<experiment::Fix>> edits;
  for (const experiment::Problem& finding : findings) {
    edits.emplace_back();
    if (edits.size() > fixed) continue;
    edits.back() = fixes.of(finding);
    std::erase_if(edits.back(), [](const experiment::Fix& fix) {
      return fix.kind != experiment::FixKind::kEdit;
    });
  }
  return edits;
}

/// Problems or warnings, each with the edits that take it away.
Json findingsJson(const std::vector<experiment::Problem>& findings,
                  const std::vector<std::vector<experiment::Fix>>& edits) {
  Json all = problemsJson(findings);
  for (std::size_t index = 0; index < findings.size(); ++index) {
    Json offered = Json::array();
    for (const experiment::Fix& fix : edits[index])
      offered.push_back(Json{{"label", fix.label}, {"patch", fix.patch}});
    all[index]["fixes"] = std::move(offered);
  }
  return all;
}

/// The options that make an edit: "--set /optimizer/kind=adam". An option gives a setting a value, so
/// a list with another entry, or without one, is given as a whole and a key that goes its default.
std::string optionsOf(const experiment::Fix& fix, const nlohmann::json& document) {
  const nlohmann::json changed = document.patch(fix.patch);
  const auto defaults = experiment::toJson(experiment::parse(changed).experiment);
  std::string options;
  for (const nlohmann::json& change : fix.patch) {
    nlohmann::json::json_pointer pointer(change.at("path").get<std::string>());
    if (changed.contains(pointer.parent_pointer()) &&
        changed.at(pointer.parent_pointer()).is_array())
      pointer = pointer.parent_pointer();
    const nlohmann::ordered_json::json_pointer sameOrdered(pointer.to_string());
    nlohmann::json value;
    if (changed.contains(pointer))
      value = changed.at(pointer);
    else if (defaults.contains(sameOrdered))
      value = defaults.at(sameOrdered);
    // Text stands as it is unless it would be read as JSON: the name "5".
    const bool plain =
        value.is_string() && !nlohmann::json::accept(value.get_ref<const std::string&>());
    const std::string text = plain ? value.get<std::string>() : value.dump();
    options += fmt::format(" --set {}", shellWord(fmt::format("{}={}", pointer.to_string(), text)));
  }
  return options;
}

/// "fix: In-batch softmax: --set …", a line for every edit of a finding. A list that is given as a whole may
/// be longer than anyone reads.
std::vector<std::string> linesOf(const std::vector<experiment::Fix>& edits,
                                 const nlohmann::json& document) {
  constexpr std::size_t kMaxOptions = 160;
  std::vector<std::string> lines;
  for (const experiment::Fix& fix : edits)
    if (const std::string options = optionsOf(fix, document); options.size() <= kMaxOptions)
      lines.push_back(fmt::format("fix: {}:{}", fix.label, options));
    else
      lines.push_back(fmt::format("fix: {}, in the file; --json has the patch", fix.label));
  return lines;
}

// Tables whose vocabularies the data decide; no total counts them.
std::vector<std::string> unsizedTables(const workspace::Preflight& preflight) {
  std::vector<std::string> names;
  for (const workspace::TableEstimate& table : preflight.tables)
    if (table.rows < 0) names.push_back(table.name);
  return names;
}

Json estimatesJson(const workspace::Preflight& preflight) {
  Json tables = Json::array();
  for (const workspace::TableEstimate& table : preflight.tables)
    tables.push_back(Json{
        {"name", table.name},
        {"rows", table.rows < 0 ? Json(nullptr) : Json(table.rows)},
        {"embedding_dim", table.dim},
        {"bytes", table.rows < 0 ? Json(nullptr) : Json(table.weightBytes + table.slotBytes)}});
  Json ranks = Json::array();
  for (const workspace::RankEstimate& rank : preflight.ranks)
    ranks.push_back(Json{{"device", rank.device},
                         {"coordinates", rank.coordinates},
                         {"batch_rows", rank.batchRows},
                         {"memory", rank.memory},
                         {"activation_bytes", rank.activationBytes}});
  return Json{{"ranks", std::move(ranks)},
              {"batch_rows", countOrNull(preflight.batchRows)},
              {"data_parallel", preflight.dataParallel},
              {"learning_rate", preflight.learningRate},
              {"total_bytes", countOrNull(static_cast<std::int64_t>(preflight.totalBytes))},
              {"tables_without_size", unsizedTables(preflight)},
              {"tables", std::move(tables)}};
}

std::string describe(const workspace::Preflight& preflight,
                     const experiment::Experiment& experiment) {
  TextTable table(
      {{"table"}, {"rows", Align::kRight}, {"dim", Align::kRight}, {"memory", Align::kRight}});
  for (const workspace::TableEstimate& row : preflight.tables) {
    const bool known = row.rows >= 0;
    table.add({row.name, known ? formatCount(row.rows) : "after import", formatCount(row.dim),
               known ? formatBytes(row.weightBytes + row.slotBytes) : "–"});
  }
  std::string text = "The document is valid.\n";
  if (std::ranges::find(preflight.findings.warnings, "/dataset/path",
                        &experiment::Problem::pointer) != preflight.findings.warnings.end())
    text += "It cannot run before it has data: --data PATH.\n";
  if (!preflight.tables.empty()) text += "\n" + table.text();
  if (!preflight.dataParallel.empty()) text += "\n" + preflight.dataParallel + "\n";
  if (experiment.optimizer.scaleWithDevices)
    text += fmt::format("\nLearning rate: {:g}, that of the document times {} devices.\n",
                        preflight.learningRate, preflight.ranks.size());
  const std::vector<std::string> unsized = unsizedTables(preflight);
  if (preflight.totalBytes > 0)
    text += fmt::format("\n{}: {}, on {} device{}{}.\n",
                        unsized.empty() ? "Memory in all" : "Memory of what is known",
                        formatBytes(preflight.totalBytes), preflight.ranks.size(),
                        preflight.ranks.size() == 1 ? "" : "s",
                        preflight.cachedTableBytes == 0
                            ? std::string()
                            : fmt::format("; of it {} in the host's memory",
                                          formatBytes(preflight.cachedTableBytes)));
  if (!unsized.empty())
    text += fmt::format("Not counted, because {} size is known only after import: {}.\n",
                        unsized.size() == 1 ? "its" : "their",
                        terminalText(join(unsized), LineEnds::kEscape));
  return text;
}

Answer validate(Invocation& invocation, const DocumentArguments& arguments) {
  const auto parsed = loadDocument(invocation, arguments);
  if (!parsed.ok()) {
    if (parsed.error().code != ErrorCode::kInvalidDocument) return parsed.error();
    const experiment::Problem problem{parsed.error().pointer, parsed.error().text(), ""};
    return Answer(
        parsed.error(),
        Json{{"valid", false}, {"problems", problemsJson({problem})}, {"warnings", Json::array()}});
  }
  const workspace::Preflight preflight = inspect(invocation, *parsed);
  const auto& [problems, warnings] = preflight.findings;
  // With its defaults filled in, unless what could not be read would be lost with them.
  nlohmann::json document(experiment::toJson(parsed->experiment));
  if (experiment::parse(document).findings.problems != parsed->findings.problems)
    document = parsed->document;
  const experiment::Fixes fixes(document);
  const std::size_t fixed = fixedFindings(parsed->experiment);
  const auto problemEdits = editsOf(problems, fixes, fixed),
             warningEdits = editsOf(warnings, fixes, fixed);
  std::vector<std::vector<std::string>> warningLines;
  for (const std::vector<experiment::Fix>& edits : warningEdits)
    warningLines.push_back(linesOf(edits, document));
  printWarnings(warnings, warningLines);
  const experiment::Dataset& data = parsed->experiment.dataset;
  const auto& path = data.path;
  if (problems.empty() && path && data.source != experiment::SourceKind::kGenerated &&
      !dataExist(*path)) {
    const experiment::Problem gone{"/dataset/path", *path + " does not exist",
                                   "data that are there, as by --data PATH"};
    Answer answer = Answer::refused({gone}, Json{{"valid", false},
                                                 {"problems", problemsJson({gone})},
                                                 {"warnings", findingsJson(warnings, warningEdits)},
                                                 {"estimates", nullptr}});
    answer.failure->error.code = ErrorCode::kData;
    answer.code = ExitCode::kFailed;
    return answer;
  }
  Json json{{"valid", problems.empty()},
            {"problems", findingsJson(problems, problemEdits)},
            {"warnings", findingsJson(warnings, warningEdits)},
            {"estimates", problems.empty() ? estimatesJson(preflight) : Json(nullptr)}};
  if (problems.empty()) return Answer::of(std::move(json), describe(preflight, parsed->experiment));
  Answer answer = Answer::refused(problems, std::move(json));
  for (const std::vector<experiment::Fix>& edits : problemEdits)
    answer.failure->fixes.push_back(linesOf(edits, document));
  return answer;
}

}  // namespace

void addValidate(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "validate", "Show every problem of a document, and the memory that a run would need");
  command->footer("Example: parapet-cli validate sample --set /tables/0/embedding_dim=64");
  const auto arguments = std::make_shared<DocumentArguments>();
  arguments->addTo(*command);
  onRun(*command, invocation,
        [&invocation, arguments] { return validate(invocation, *arguments); });
}

}  // namespace parapet::cli
