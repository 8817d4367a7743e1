// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment_name.h"
#include "engine/experiment/renamed_keys.h"

namespace parapet::cli {
namespace {

using store::ExperimentRecord;
using store::Experiments;

Json recordJson(const ExperimentRecord& record) {
  return Json{{"name", record.name},
              {"title", record.title},
              {"id", record.id},
              {"origin", textOrNull(record.origin)},
              {"created", formatUtc(record.createdMs)},
              {"modified", formatUtc(record.modifiedMs)},
              {"revision", record.revision},
              {"runs", record.runs},
              {"trashed", record.trashed}};
}

/// "Möbel 2026 (Moebel-2026)"; a title that is the name stands alone.
std::string shownName(const ExperimentRecord& record) {
  return record.title == record.name ? record.name
                                     : fmt::format("{} ({})", record.title, record.name);
}

Answer changed(const Result<ExperimentRecord>& record, std::string_view done) {
  if (!record.ok()) return record.error();
  return Answer::of(recordJson(*record), fmt::format("{} {}.\n", done, shownName(*record)));
}

Answer listExperiments(Invocation& invocation, Experiments::Trash trash) {
  PARAPET_ASSIGN(const auto opened, invocation.workspaceToList());
  std::vector<ExperimentRecord> records;
  if (opened) {
    PARAPET_ASSIGN(records, opened->store().experiments().list(trash));
  }
  Json list = Json::array();
  TextTable table({{"experiment"}, {"title"}, {"edited"}, {"runs", Align::kRight}, {"from"}});
  for (const ExperimentRecord& record : records) {
    list.push_back(recordJson(record));
    table.add({record.name, record.title == record.name ? "–" : record.title,
               formatUtc(record.modifiedMs), formatCount(record.runs),
               record.origin.empty() ? "–" : record.origin});
  }
  if (!records.empty()) return Answer::of(std::move(list), table.text());
  return Answer::of(std::move(list),
                    trash == Experiments::Trash::kOnly
                        ? "The trash holds no experiments.\n"
                        : "No experiments yet. Make one: parapet-cli experiments new sample\n");
}

std::string describe(const ExperimentRecord& record, const experiment::Parsed& parsed,
                     const std::vector<store::RunRecord>& runs) {
  const auto shown = [](const std::string& text) { return terminalText(text, LineEnds::kEscape); };
  std::string text =
      fmt::format("Experiment {}\nEdited {}, created {}{}\n", shown(shownName(record)),
                  formatUtc(record.modifiedMs), formatUtc(record.createdMs),
                  record.origin.empty() ? std::string() : ", from " + shown(record.origin));
  if (!record.draft.empty()) text += "Its text is not finished: the last edit is no JSON yet.\n";
  const std::size_t problems = parsed.findings.problems.size();
  text += problems == 0
              ? "The document is valid.\n"
              : fmt::format("The document has {} problem{}; see parapet-cli validate {}\n",
                            problems, problems == 1 ? "" : "s", record.name);
  if (runs.empty()) return text + fmt::format("\nNo runs yet: parapet-cli train {}\n", record.name);
  TextTable table({{"run"}, {"state"}, {"created"}, {"epochs", Align::kRight}});
  for (const store::RunRecord& run : runs)
    table.add({run.id, experiment::runStateName(run.state), formatUtc(run.createdMs),
               fmt::format("{}/{}", run.epochs, run.totalEpochs)});
  return text + "\n" + table.text();
}

experiment::Parsed parseStored(const Json& document) {
  nlohmann::json current(document);
  experiment::useCurrentNames(current);
  return experiment::parse(current);
}

Answer showExperiment(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  const Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(const auto record, experiments.find(name));
  PARAPET_ASSIGN(const auto all, opened->store().runs());
  std::vector<store::RunRecord> runs;
  for (const store::RunRecord& run : all)
    if (run.experimentId == record.id) runs.push_back(run);
  const Json document = storedJson(record.document);
  const experiment::Parsed parsed = parseStored(document);
  Json json = recordJson(record);
  json["document"] = document;
  json["draft"] = textOrNull(record.draft);
  json["problems"] = problemsJson(parsed.findings.problems);
  json["run_ids"] = Json::array();
  for (const store::RunRecord& run : runs) json["run_ids"].push_back(run.id);
  return Answer::of(std::move(json), describe(record, parsed, runs));
}

// The document alone, for a file: parapet-cli experiments document NAME > mine.json
Answer printDocument(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  const Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(const auto record, experiments.find(name));
  if (!record.draft.empty())
    printWarning("the last edit is no JSON yet; this is the last state that was");
  Json document = storedJson(record.document);
  std::string text = document.dump(2) + "\n";
  return Answer::of(std::move(document), std::move(text));
}

/// The title of a new experiment: that of its document, or of its file where the document has no name of its own.
std::string titleOf(const LoadedDocument& loaded) {
  const std::string& name = loaded.experiment.name;
  const bool ownName = loaded.document.is_object() && loaded.document.contains("name") &&
                       !name.empty() && !experiment::findRecipe(name).ok();
  const std::filesystem::path file(loaded.file);
  if (ownName || loaded.file.empty() || file.parent_path() == "/dev") return name;
  return file.stem().string();
}

Answer makeExperiment(Invocation& invocation, const DocumentArguments& arguments,
                      const std::string& name) {
  if (!name.empty()) PARAPET_TRY(experiment::checkExperimentTitle(name));
  PARAPET_ASSIGN(const auto loaded, loadDocument(invocation, arguments));
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  Experiments& experiments = opened->store().experiments();
  if (!name.empty() && experiments.find(name).ok())
    return wrongArgument(fmt::format(
        "--name {0}: there is an experiment of that name; see parapet-cli experiments show {1}",
        name, shellWord(name)));
  const std::string wanted = name.empty() ? titleOf(loaded) : name;
  return changed(experiments.create(
                     {wanted, experiment::toJson(loaded.experiment).dump(2), {}, loaded.origin}),
                 "Made the experiment");
}

Answer renameExperiment(Invocation& invocation, const std::string& name, const std::string& to) {
  PARAPET_TRY(experiment::checkExperimentTitle(to));
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(const auto record, experiments.find(name));
  return changed(experiments.rename(record.id, to), "The experiment is now");
}

Answer duplicateExperiment(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(const auto record, experiments.find(name));
  return changed(experiments.duplicate(record.id), "Made the experiment");
}

Answer deleteExperiment(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(auto record, experiments.find(name));
  PARAPET_TRY(experiments.trash(record.id));
  PARAPET_ASSIGN(record, experiments.byId(record.id));
  return Answer::of(recordJson(record), fmt::format("Moved {} to the trash; its runs stay.\n"
                                                    "Undo: parapet-cli experiments restore {}\n",
                                                    shownName(record), shellWord(record.name)));
}

Answer restoreExperiment(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  Experiments& experiments = opened->store().experiments();
  PARAPET_ASSIGN(const auto record, experiments.findTrashed(name));
  return changed(experiments.restore(record.id), "Restored the experiment");
}

Answer eraseExperiment(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  Experiments& experiments = opened->store().experiments();
  const auto record = experiments.findTrashed(name);
  // An erased experiment cannot be had back, so it takes two steps.
  if (!record.ok() && experiments.find(name).ok())
    return wrongArgument(fmt::format(
        "{0} is not in the trash; accepted: parapet-cli experiments delete {0} before", name));
  if (!record.ok()) return record.error();
  PARAPET_TRY(experiments.erase(record->id));
  return Answer::of(
      recordJson(*record),
      fmt::format("Erased the experiment {} for good; its runs stay.\n", shownName(*record)));
}

constexpr NameArgument kExperiment{"NAME", "A name that `experiments` lists, or the exact title"};

void addRename(CLI::App& experiments, Invocation& invocation) {
  CLI::App* command = experiments.add_subcommand("rename", "Give an experiment another name");
  const auto names = std::make_shared<std::pair<std::string, std::string>>();
  command->add_option(kExperiment.name, names->first, kExperiment.help)->required();
  command->add_option("NEW", names->second, "Its new title, any text; the name is derived from it")
      ->required();
  onRun(*command, invocation,
        [&invocation, names] { return renameExperiment(invocation, names->first, names->second); });
}

void addNew(CLI::App& experiments, Invocation& invocation) {
  CLI::App* command = experiments.add_subcommand(
      "new", "Make an experiment from a file, a recipe or another experiment");
  command->footer("Example: parapet-cli experiments new dlrm --name clicks --epochs 3");
  struct NewArguments {
    DocumentArguments document;
    std::string name;
  };
  const auto arguments = std::make_shared<NewArguments>();
  arguments->document.addTo(*command);
  command
      ->add_option("--name", arguments->name,
                   "Its title, any text [the document's or the file's, with a number if taken]")
      ->type_name("TITLE");
  onRun(*command, invocation, [&invocation, arguments] {
    return makeExperiment(invocation, arguments->document, arguments->name);
  });
}

}  // namespace

void addExperiments(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "experiments", "List the experiments of the workspace; show, rename, delete … one");
  command->footer(
      "Examples: parapet-cli experiments\n"
      "          parapet-cli experiments new sample --name first\n"
      "          parapet-cli experiments show first\n"
      "          parapet-cli train first");
  command->require_subcommand(0, 1);
  const auto trash = std::make_shared<bool>(false);
  command->add_flag("--trash", *trash, "List the experiments in the trash");
  addNew(*command, invocation);
  addVerb(*command, invocation, "show",
          "Show when an experiment was edited, its problems and its runs", kExperiment,
          showExperiment);
  addVerb(*command, invocation, "document", "Print its document", kExperiment, printDocument)
      ->footer("Example: parapet-cli experiments document first > first.json");
  addRename(*command, invocation);
  addVerb(*command, invocation, "duplicate", "Make a copy under the next free name", kExperiment,
          duplicateExperiment);
  addVerb(*command, invocation, "delete", "Move it to the trash; its runs stay", kExperiment,
          deleteExperiment);
  addVerb(*command, invocation, "restore", "Bring it back from the trash", kExperiment,
          restoreExperiment);
  addVerb(*command, invocation, "erase", "Delete one in the trash for good", kExperiment,
          eraseExperiment);
  // CLI11 calls this after the callback of a verb, which has the word then.
  command->callback([&invocation, trash, command] {
    if (!command->get_subcommands().empty()) return;
    invocation.action = [&invocation, trash] {
      return listExperiments(invocation,
                             *trash ? Experiments::Trash::kOnly : Experiments::Trash::kLeaveOut);
    };
  });
}

}  // namespace parapet::cli
