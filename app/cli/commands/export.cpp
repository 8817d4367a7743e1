// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/context_options.h"
#include "app/cli/output.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

using workspace::ExportWhat;

/// What can be exported, by its name.
struct Exportable {
  const char* name;
  ExportWhat what;
};
constexpr std::array kExportables{Exportable{"checkpoint", ExportWhat::kCheckpoint},
                                  Exportable{"tables", ExportWhat::kTables},
                                  Exportable{"vectors", ExportWhat::kVectors},
                                  Exportable{"curves", ExportWhat::kCurves},
                                  Exportable{"recommendations", ExportWhat::kRecommendations},
                                  Exportable{"model", ExportWhat::kModel}};

struct ExportArguments {
  std::string run, what, format, out, checkpoint = "last", excludeSeen;
  std::optional<std::int64_t> k;
  std::vector<std::string> context;
};

Result<Exportable> findExportable(const std::string& what) {
  std::vector<std::string> names;
  for (const Exportable& exportable : kExportables) {
    if (what == exportable.name) return exportable;
    names.emplace_back(exportable.name);
  }
  return wrongArgument(fmt::format("--what: \"{}\" is unknown{}; accepted: {}", what,
                                   didYouMean(what, names), join(names)));
}

Result<workspace::ExportOptions> readOptions(const ExportArguments& arguments) {
  workspace::ExportOptions options;
  PARAPET_ASSIGN(const Exportable exportable, findExportable(arguments.what));
  const auto known = workspace::exportFormats(exportable.what);
  const std::vector<std::string> formats(known.begin(), known.end());
  if (std::ranges::find(formats, arguments.format) == formats.end())
    return wrongArgument(fmt::format("--format: \"{}\" is not available for {}{}; accepted: {}",
                                     arguments.format, arguments.what,
                                     didYouMean(arguments.format, formats), join(formats)));
  options.what = exportable.what;
  options.format = arguments.format;
  options.out = arguments.out;
  options.k = arguments.k.value_or(options.k);
  PARAPET_ASSIGN(options.checkpoint, parseCheckpoint(arguments.checkpoint));
  PARAPET_ASSIGN(options.seen, parseSeen(arguments.excludeSeen));
  if (!arguments.context.empty() && options.what != ExportWhat::kRecommendations)
    return wrongArgument(
        fmt::format("--context is for recommendations; --what is {}", arguments.what));
  PARAPET_ASSIGN(options.contexts, parseContexts(arguments.context));
  return options;
}

/// The files at a path: it, or those of the folder that it is.
std::set<std::filesystem::path> filesAt(const std::filesystem::path& path) {
  std::error_code ignored;
  std::set<std::filesystem::path> files;
  if (std::filesystem::is_regular_file(path, ignored)) files.insert(path);
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
    files.insert(entry.path());
  return files;
}

/// Tells of files that were there and are others now.
void tellReplaced(const std::set<std::filesystem::path>& before, workspace::Exported& exported) {
  const auto replaced = std::ranges::count_if(
      exported.files, [&before](const auto& file) { return before.contains(file); });
  if (replaced == 0) return;
  exported.warnings.push_back(replaced == 1
                                  ? "1 file that was there is replaced"
                                  : fmt::format("{} files that were there are replaced", replaced));
}

Answer exportRun(Invocation& invocation, const ExportArguments& arguments) {
  PARAPET_ASSIGN(const auto options, readOptions(arguments));
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  const auto before = filesAt(options.out);
  PARAPET_ASSIGN(auto exported, opened->exportRun(arguments.run, options, invocation.work()));
  tellReplaced(before, exported);
  printWarnings(exported.warnings);
  Json list = Json::array();
  std::string text;
  if (exported.step)
    text = fmt::format("Exported from the checkpoint of step {}\n", *exported.step);
  for (const std::filesystem::path& file : exported.files) {
    list.push_back(file.string());
    text += terminalText(file.string(), LineEnds::kEscape) + "\n";
  }
  return Answer::of(Json{{"files", std::move(list)},
                         {"step", exported.step ? Json(*exported.step) : Json(nullptr)},
                         {"warnings", exported.warnings}},
                    std::move(text));
}

}  // namespace

void addExport(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("export", "Write a run as files that others read");
  command->footer(
      "Example: parapet-cli export latest --what tables --format npy --out tables\n"
      "Formats: checkpoint: safetensors, npy · tables, vectors: safetensors, npy, parquet, csv ·\n"
      "         curves: csv, json, tfevents (a folder for TensorBoard) · recommendations: csv, "
      "json ·\n"
      "         model: safetensors (a masked language model as a folder for transformers)");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("RUN", arguments->run, "Run: an id, a unique prefix of one, or latest")
      ->required();
  command
      ->add_option("--what", arguments->what,
                   "checkpoint, tables, vectors, curves, recommendations or model")
      ->required()
      ->type_name("WHAT");
  command
      ->add_option("--format", arguments->format,
                   "safetensors, npy, parquet, csv, json or tfevents")
      ->required()
      ->type_name("FORMAT");
  command->add_option("--out", arguments->out, "File or folder to write")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Checkpoint: last, best or a step [last]")
      ->type_name("WHICH");
  addInteger(*command, "-k,--k", arguments->k, 1, "Items per user, for recommendations [10]");
  addSeen(*command, arguments->excludeSeen);
  addContext(*command, arguments->context);
  onRun(*command, invocation,
        [&invocation, arguments] { return exportRun(invocation, *arguments); });
}

}  // namespace parapet::cli
