// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"

namespace parapet::cli {
namespace {

/// A run with everything the store keeps about it. Paths of checkpoints are absolute.
struct StoredRun {
  store::RunRecord record;
  std::string experiment;  ///< name, "" if none
  std::vector<experiment::EpochSummary> epochs;
  std::vector<store::CheckpointRecord> checkpoints;
  std::vector<store::EventRecord> events;
  std::vector<store::RunSession> sessions;
};

Result<StoredRun> load(workspace::Workspace& workspace, const std::string& name) {
  const store::RunStore& store = workspace.store();
  StoredRun run;
  PARAPET_ASSIGN(run.record, store.find(name));
  run.experiment = experimentNameOf(store, run.record);
  PARAPET_ASSIGN(run.epochs, store.epochs(run.record.id));
  PARAPET_ASSIGN(run.checkpoints, store.checkpoints(run.record.id));
  PARAPET_ASSIGN(run.events, store.events(run.record.id));
  PARAPET_ASSIGN(run.sessions, store.sessions(run.record.id));
  const std::filesystem::path folder = std::filesystem::absolute(workspace.folder());
  for (store::CheckpointRecord& checkpoint : run.checkpoints)
    checkpoint.path = (folder / checkpoint.path).string();
  return run;
}

Json checkpointsJson(const std::vector<store::CheckpointRecord>& checkpoints) {
  Json list = Json::array();
  for (const store::CheckpointRecord& checkpoint : checkpoints)
    list.push_back(Json{{"step", checkpoint.step},
                        {"epoch", checkpoint.epoch},
                        {"path", checkpoint.path},
                        {"exists", !checkpoint.isGone({})},
                        {"bytes", checkpoint.bytes},
                        {"best", checkpoint.best},
                        {"created", formatUtc(checkpoint.createdMs)}});
  return list;
}

Json eventsJson(const std::vector<store::EventRecord>& events) {
  Json list = Json::array();
  for (const store::EventRecord& event : events)
    list.push_back(Json{{"time", formatUtc(event.wallMs)},
                        {"kind", event.kind},
                        {"message", event.message},
                        {"step", event.step}});
  return list;
}

Json sessionsJson(const std::vector<store::RunSession>& sessions) {
  Json list = Json::array();
  for (const store::RunSession& session : sessions)
    list.push_back(Json{{"first_step", session.firstStep},
                        {"began", formatUtc(session.beganMs)},
                        {"build", session.build},
                        {"instruction_set", session.instructionSet},
                        {"threads", session.threads}});
  return list;
}

Json showJson(const StoredRun& run) {
  Json json = runJson(run.record, run.experiment);
  json["epochs"] = epochsJson(run.epochs);
  json["checkpoints"] = checkpointsJson(run.checkpoints);
  json["events"] = eventsJson(run.events);
  json["sessions"] = sessionsJson(run.sessions);
  const Json started = storedJson(run.record.startedJson);
  json["baselines"] = started.is_object() && started.contains("baselines") ? started.at("baselines")
                                                                           : Json(nullptr);
  json["verdicts"] = experiment::toJson(experiment::lastVerdicts(run.epochs));
  json["verdict"] = experiment::lastSummaryJson(run.epochs);
  json["test"] = storedJson(run.record.testJson);
  json["document"] = storedJson(run.record.experimentJson);
  json["resolved"] = storedJson(run.record.resolvedJson);
  return json;
}

// While a run goes on, the training time of its unfinished epoch is not known yet.
std::string durationText(const store::RunRecord& run) {
  if (experiment::isTerminal(run.state))
    return fmt::format("{} ({} training)", formatDuration(run.seconds),
                       formatDuration(run.trainSeconds));
  return fmt::format("{} so far", formatDuration(run.seconds));
}

std::string placementOf(const Json& table) {
  std::string text = placementLabel(table.at("placement").get<std::string>());
  if (const auto axes = table.at("axes").get<std::vector<std::string>>(); !axes.empty())
    text += " over " + join(axes, " × ");
  return table.at("device").is_string() ? text + " on " + table.at("device").get<std::string>()
                                        : text;
}

// Where each table lay, and what each memory space held; "" of a run that kept none of it.
std::string resolvedText(const store::RunRecord& record) {
  const Json resolved = storedJson(record.resolvedJson);
  if (!resolved.is_object()) return {};
  const auto sizeOf = [](const Json& of, const char* key) {
    return formatBytes(of.at(key).get<std::uint64_t>());
  };
  TextTable tables({{"table"},
                    {"rows", Align::kRight},
                    {"columns", Align::kRight},
                    {"placement"},
                    {"devices", Align::kRight},
                    {"bytes", Align::kRight},
                    {"why"}});
  for (const Json& table : resolved.at("tables"))
    tables.add({table.at("name"), formatCount(table.at("rows").get<std::int64_t>()),
                formatCount(table.at("columns").get<std::int64_t>()), placementOf(table),
                formatCount(static_cast<std::int64_t>(table.at("devices").size())),
                sizeOf(table, "bytes"), table.at("reason")});
  TextTable spaces({{"memory space"},
                    {"devices"},
                    {"tables and layers", Align::kRight},
                    {"buffers of steps", Align::kRight},
                    {"of evaluation", Align::kRight}});
  for (const Json& space : resolved.at("spaces"))
    spaces.add({space.at("name"), join(space.at("devices").get<std::vector<std::string>>()),
                formatBytes(space.at("bytes").get<std::uint64_t>() -
                            space.at("buffer_bytes").get<std::uint64_t>()),
                sizeOf(space, "buffer_bytes"), sizeOf(space, "evaluation_buffer_bytes")});
  std::string text = "\n";
  if (const auto processes = resolved.value("processes", std::int64_t{1}); processes > 1)
    text += fmt::format(
        "On {} processes, whose devices have {}\n", processes,
        resolved.at("memory") == "separate" ? "a memory each" : "the memory of their process");
  return text + tables.text() + "\n" + spaces.text();
}

std::string describe(const StoredRun& run) {
  const store::RunRecord& record = run.record;
  const auto shown = [](const std::string& text) { return terminalText(text, LineEnds::kEscape); };
  std::string text = fmt::format(
      "Run {} \"{}\": {}\nCreated {}, {} of {}, {}, {}\n", record.id, shown(record.name),
      experiment::runStateName(record.state), formatUtc(record.createdMs), record.epochs,
      counted(record.totalEpochs, "epoch"), counted(record.steps, "step"), durationText(record));
  text += fmt::format(
      "Model {}, loss {}, data {}{}\n", record.model.empty() ? "?" : shown(record.model),
      record.loss.empty() ? "?" : shown(record.loss),
      record.data.empty() ? "?" : shown(record.data),
      run.experiment.empty() ? std::string() : ", from the experiment " + shown(run.experiment));
  if (!record.forkedFrom.empty())
    text += fmt::format("Forked from the checkpoint of step {} of run {}\n", record.forkedStep,
                        record.forkedFrom);
  for (const store::RunSession& session : run.sessions)
    text += fmt::format("{} by {}, {}\n",
                        session.firstStep == 0
                            ? std::string("Trained")
                            : fmt::format("From step {} on trained", session.firstStep),
                        shown(session.build), counted(session.threads, "thread"));
  if (record.rules != experiment::kMetricRules)
    text += fmt::format("Metrics measured by rules {}, those of this program are rules {}\n",
                        record.rules, experiment::kMetricRules);
  if (!record.group.empty()) text += fmt::format("Of the group {}\n", shown(record.group));
  for (const store::EventRecord& event : run.events)
    if (event.kind == "note") text += shown(event.message) + "\n";
  if (!record.error.empty()) text += "Ended by: " + shown(record.error) + "\n";
  text += resolvedText(record);
  if (!run.epochs.empty()) {
    const std::string headline = headlineOf(run.epochs, record.bestMetric);
    TextTable table({{"epoch", Align::kRight},
                     {"loss", Align::kRight},
                     {"val_loss", Align::kRight},
                     {headline, Align::kRight},
                     {"ms/step", Align::kRight}});
    const auto cell = [](const std::optional<double>& value) {
      return value ? shortNumber(*value) : std::string("–");
    };
    for (const experiment::EpochSummary& epoch : run.epochs)
      table.add({fmt::format("{}", epoch.epoch), shortNumber(epoch.loss),
                 cell(valueOf(epoch.metrics, "val_loss")), cell(valueOf(epoch.metrics, headline)),
                 shortNumber(epoch.msPerStep)});
    text += "\n" + table.text();
    if (const Json document = storedJson(record.experimentJson); document.is_object())
      text += experiment::scaledErrorsNote(experiment::parse(nlohmann::json(document)).experiment);
    text += deviceLines(run.epochs);
    if (const std::string verdict = experiment::lastVerdictText(run.epochs); !verdict.empty())
      text += verdict + "\n";
    else if (record.recipe == experiment::kRecoveredRecipe)
      text += fmt::format("{}\n", experiment::kNoVerdictOfRecovered);
  }
  for (const store::CheckpointRecord& checkpoint : run.checkpoints)
    text += fmt::format(
        "\nCheckpoint at step {} (epoch {}, {}){}{}: {}", checkpoint.step, checkpoint.epoch,
        formatBytes(checkpoint.bytes), checkpoint.best ? ", best" : "",
        checkpoint.isGone({}) ? ", gone (see `parapet-cli doctor`)" : "", shown(checkpoint.path));
  return run.checkpoints.empty() ? text : text + "\n";
}

Answer show(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto run, load(*opened, name));
  if (!run.record.documentFault.empty()) printWarning(run.record.documentFault);
  return Answer::of(showJson(run), describe(run));
}

}  // namespace

void addShow(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "show", "Show a run: epochs, checkpoints, events, baselines and its document");
  command->footer("Example: parapet-cli show latest");
  const auto run = std::make_shared<std::string>();
  addRunOrModel(*command, invocation, *run);
  onRun(*command, invocation, [&invocation, run] { return show(invocation, *run); });
}

}  // namespace parapet::cli
