// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/context_options.h"
#include "app/cli/output.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

using workspace::ExportWhat;

/// A part of a run that can be exported, by its name.
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
  std::string run, what, format, out, checkpoint = "last", excludeSeen, licence, queries;
  std::optional<std::int64_t> k;
  std::vector<std::string> context;
  CandidateArguments candidates;
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

/// The users, contexts and histories on the lines of a file.
Result<std::vector<retrieval::Query>> readQueries(const std::string& path) {
  PARAPET_ASSIGN(const std::string text, readFile(path));
  std::vector<retrieval::Query> queries;
  std::int64_t number = 0;
  for (const std::string_view line : splitFields(withoutByteOrderMark(text), '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Question question{.query = {}, .k = 1};
    if (Status read = readQuestion(trim(line), {}, question); !read.ok()) {
      Error error = read.error().wrap(fmt::format("{}, line {}", path, number));
      error.path = path;
      error.line = number;
      return error;
    }
    if (question.filter)
      return wrongArgument(
          fmt::format("{}, line {}: a vector has no candidates; accepted: user, context, history",
                      path, number));
    queries.push_back(std::move(question.query));
  }
  if (queries.empty())
    return wrongArgument(
        fmt::format("--queries: {} has no line; accepted: a query on each, as for `recommend "
                    "--stdin`",
                    path));
  return queries;
}

Result<workspace::ExportOptions> readOptions(const ExportArguments& arguments) {
  workspace::ExportOptions options;
  PARAPET_ASSIGN(const Exportable exportable, findExportable(arguments.what));
  const auto known = workspace::exportFormats(exportable.what);
  const std::vector<std::string> formats(known.begin(), known.end());
  if (!arguments.format.empty() && std::ranges::find(formats, arguments.format) == formats.end())
    return wrongArgument(fmt::format("--format: \"{}\" is not available for {}{}; accepted: {}",
                                     arguments.format, arguments.what,
                                     didYouMean(arguments.format, formats), join(formats)));
  options.what = exportable.what;
  options.format = arguments.format;
  options.out = arguments.out;
  options.k = arguments.k.value_or(options.k);
  options.licence = arguments.licence;
  PARAPET_ASSIGN(options.checkpoint, parseCheckpoint(arguments.checkpoint));
  PARAPET_ASSIGN(options.seen, parseSeen(arguments.excludeSeen));
  PARAPET_ASSIGN(options.contexts, parseContexts(arguments.context));
  PARAPET_ASSIGN(options.candidates, parseCandidates(arguments.candidates));
  // Whether an option is given, its name, and what it is for.
  using Use = std::tuple<bool, const char*, const char*>;
  const bool limits = options.candidates.limits();
  const bool excludes = options.seen != retrieval::SeenItems::kKeep;
  for (const auto& [isGiven, option, what] :
       {Use{!arguments.licence.empty(), "--licence", "model"},
        Use{!arguments.queries.empty(), "--queries", "vectors"},
        Use{arguments.k.has_value(), "-k", "recommendations"},
        Use{excludes, "--exclude-seen", "recommendations"},
        Use{!arguments.context.empty(), "--context", "recommendations"},
        Use{limits, "--items, --exclude or --where", "recommendations"}})
    if (isGiven && arguments.what != what)
      return wrongArgument(
          fmt::format("{} is for --what {}; --what is {}", option, what, arguments.what));
  if (!arguments.queries.empty()) {
    PARAPET_ASSIGN(options.queries, readQueries(arguments.queries));
  }
  return options;
}

/// The files at a path: it, or those of the folder that it is.
std::set<std::filesystem::path> filesAt(const std::filesystem::path& path) {
  std::error_code ignored;
  std::set<std::filesystem::path> files;
  if (std::filesystem::is_regular_file(path, ignored)) files.insert(path);
  if (workspace::Workspace::isModel(path))
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, ignored))
      files.insert(entry.path());
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
  CLI::App* command = program.add_subcommand("export", "Write a run as files for other programs");
  command->footer(
      "Examples: parapet-cli export latest --what tables --format npy --out tables\n"
      "          parapet-cli export latest --what recommendations --format parquet --where "
      "genres=Drama --out drama.parquet\n"
      "Formats: checkpoint: safetensors, npy · tables, vectors: safetensors, npy, parquet, csv ·\n"
      "         curves: csv, json, tfevents (a folder for TensorBoard) ·\n"
      "         recommendations: csv, json, parquet ·\n"
      "         model: folder (answers --model DIR without a workspace), safetensors (a masked\n"
      "         language model as a folder for transformers)");
  const auto arguments = std::make_shared<ExportArguments>();
  addRunOrModel(*command, invocation, arguments->run);
  command
      ->add_option("--what", arguments->what,
                   "checkpoint, tables, vectors, curves, recommendations or model")
      ->required()
      ->type_name("WHAT");
  command
      ->add_option("--format", arguments->format,
                   "folder, safetensors, npy, parquet, csv, json or tfevents [the first that is "
                   "available]")
      ->type_name("FORMAT");
  command->add_option("--out", arguments->out, "File or folder to write")
      ->required()
      ->type_name("PATH");
  addCheckpoint(*command, arguments->checkpoint);
  command
      ->add_option(
          "--queries", arguments->queries,
          "Vectors of the queries on the lines of a file, as `recommend --stdin` reads them, "
          "instead of the vectors of users and items")
      ->type_name("FILE");
  command
      ->add_option("--licence", arguments->licence,
                   "The licence of a model, which its manifest then names")
      ->type_name("TEXT");
  addInteger(*command, "-k,--k", arguments->k, 1, "Items per user, for recommendations [10]");
  addSeen(*command, arguments->excludeSeen);
  addContext(*command, arguments->context);
  addCandidates(*command, arguments->candidates);
  onRun(*command, invocation,
        [&invocation, arguments] { return exportRun(invocation, *arguments); });
}

}  // namespace parapet::cli
