// SPDX-License-Identifier: Apache-2.0
#include "app/cli/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment_name.h"
#include "engine/experiment/published_run.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

// A document is written by a person or a program for one; endless devices are not.
constexpr std::size_t kMaxBytes = 16 << 20;
constexpr double kMaxSilenceSeconds = 10.0;
constexpr int kLookMs = 100;

/// A descriptor that closes with it.
struct Descriptor {
  int fd;
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// A pipe that this process already has is taken as it is: opened anew, it no longer shows that its
// writer has gone. What is opened must not wait for a writer.
int open(std::string_view path) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder))
      if (const auto number = parseInt(path.substr(folder.size())))
        return ::fcntl(static_cast<int>(*number), F_DUPFD_CLOEXEC, 0);
  if (path == "/dev/stdin") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(std::string(path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

Error refused(const std::string& path, std::string what) {
  Error error{ErrorCode::kInvalidDocument, fmt::format("{}: {}", path, what)};
  error.path = path;
  return error;
}

/// Whether a text that should be a document has rows: a list of objects, or an object on the first line and more
/// lines that begin with one.
bool holdsRows(std::string_view text) {
  text = trim(text);
  if (text.starts_with('[')) return trim(text.substr(1)).starts_with('{');
  const std::size_t end = text.find('\n');
  if (!text.starts_with('{') || end == text.npos || !trim(text.substr(end)).starts_with('{'))
    return false;
  return nlohmann::json::parse(text.substr(0, end), nullptr, false).is_object();
}

Error rowsForDocument(const std::string& file) {
  return refused(file,
                 fmt::format("rows of data in JSON, where an experiment document is expected; "
                             "`parapet-cli init {}` proposes a document for them",
                             shellWord(file)));
}

struct Setting {
  std::string pointer, value;
};

bool isFolder(const std::string& source) {
  std::error_code refused;
  return std::filesystem::is_directory(source, refused);
}

bool isFile(const std::string& source) {
  std::error_code refused;
  return std::filesystem::exists(source, refused) && !isFolder(source);
}

Result<std::vector<Setting>> readSettings(const DocumentArguments& arguments) {
  std::vector<Setting> settings;
  for (const std::string& text : arguments.settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !text.starts_with('/'))
      return wrongArgument(fmt::format(
          "--set {}: not a setting; accepted: POINTER=VALUE, as in /training/epochs=5", text));
    settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return settings;
}

/// The text of a document, and what is known of it; `title` of an experiment.
struct Source {
  std::string text, file, origin, experimentId, title;
};

/// The experiment of the workspace that has a name or title; nullopt if there is none, or no workspace.
std::optional<store::ExperimentRecord> findExperiment(Invocation& invocation,
                                                      const std::string& name) {
  const auto workspace = invocation.existingWorkspace();
  if (!workspace.ok()) return std::nullopt;
  auto found = (*workspace)->store().experiments().find(name);
  if (!found.ok()) return std::nullopt;
  return std::move(found).value();
}

void warnOfClash(Invocation& invocation, const std::string& source) {
  if (!findExperiment(invocation, source)) return;
  printWarning(
      fmt::format("{0} is a file here and an experiment of the workspace; the file is used. To use "
                  "the experiment, call the program from another folder or rename it: parapet-cli "
                  "experiments rename {0} NAME",
                  source));
}

Error noSuchDocument(Invocation& invocation, const std::string& source) {
  if (isFolder(source))
    return {.code = ErrorCode::kNotFound,
            .message = fmt::format(
                "{} is a folder; accepted: a file, or the name of a recipe or of an experiment",
                source),
            .path = source};
  std::vector<std::string> names;
  std::string workspaceFault;
  for (const experiment::Recipe& recipe : experiment::recipes()) names.push_back(recipe.name);
  if (const auto workspace = invocation.existingWorkspace()) {
    if ((*workspace)->store().experiments().findTrashed(source).ok())
      return {.code = ErrorCode::kNotFound,
              .message = fmt::format("the experiment {0} is in the trash; to bring it back: "
                                     "parapet-cli experiments restore {0}",
                                     source)};
    if (const auto experiments = (*workspace)->store().experiments().list())
      for (const store::ExperimentRecord& record : *experiments) {
        names.push_back(record.name);
        names.push_back(record.title);
      }
  } else if (workspace.error().code != ErrorCode::kNotFound) {
    workspaceFault =
        "; the experiments of the workspace cannot be read: " + workspace.error().text();
  }
  const bool looksLikeFile = source.find('/') != std::string::npos || source.ends_with(".json");
  if (looksLikeFile)
    return {.code = ErrorCode::kNotFound,
            .message = fmt::format("{}: no such file{}", source, didYouMean(source, names)),
            .path = source};
  return {.code = ErrorCode::kNotFound,
          .message = fmt::format("no recipe or experiment is named \"{}\", and there is no such "
                                 "file{}; `recipes` and `experiments` list the names{}",
                                 printable(source), didYouMean(source, names), workspaceFault)};
}

Result<Source> readSource(Invocation& invocation, const std::string& source) {
  if (isFile(source)) {
    warnOfClash(invocation, source);
    PARAPET_ASSIGN(std::string text, readDocumentFile(source));
    return Source{std::move(text), source, source, {}, {}};
  }
  if (auto recipe = experiment::findRecipe(source); recipe.ok())
    return Source{std::move(recipe).value().text, {}, source, {}, {}};
  if (auto found = findExperiment(invocation, source))
    return Source{found->text(), {}, found->origin, found->id, found->title};
  return noSuchDocument(invocation, source);
}

// A new device list has its own count of ranks, so the shape that was written for the old one goes.
Status applyDevices(nlohmann::json& document, const std::string& devices) {
  PARAPET_ASSIGN(const auto names, parseDevices(devices));
  nlohmann::json& mesh = document["mesh"];
  if (!mesh.is_object()) mesh = nlohmann::json::object();
  mesh.update({{"devices", names}, {"shape", nullptr}, {"axes", {"data"}}});
  return {};
}

// Data that were found are chosen; what is still generated has not been replaced.
bool generatesData(const nlohmann::json& document) {
  const auto dataset = document.find("dataset");
  return dataset != document.end() && dataset->is_object() &&
         dataset->value("source", nlohmann::json()) == "generated";
}

// Curves of other data, losses or models would be drawn beside those of the run.
void leavePublishedRun(const experiment::Parsed& before, experiment::Parsed& changed) {
  if (!before.findings.problems.empty() || !changed.findings.problems.empty()) return;
  const auto difference = experiment::leavePublishedRun(before.experiment, changed.experiment);
  if (!difference) return;
  changed.findings.warnings.push_back(
      {"/reference/curve",
       fmt::format("the published curve is left out: {} of its run differs", *difference),
       "--set /reference/curve=NAME to keep it"});
}

// A curve that is asked for stays, even if it is the one that the document already names.
bool namesCurve(const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [](const Setting& setting) {
    return setting.pointer == "/reference/curve" || setting.pointer == "/reference";
  });
}

}  // namespace

Result<std::string> readDocumentFile(const std::string& path) {
  const Descriptor file(open(path));
  if (file.fd < 0) return ioError("open", path, errno);
  std::string text;
  std::array<char, 65536> chunk;
  for (Stopwatch silence;;) {
    if (stopRequested())
      return Error{ErrorCode::kCancelled, fmt::format("{} was not read to its end", path)};
    pollfd end{file.fd, POLLIN, 0};
    if (::poll(&end, 1, kLookMs) <= 0) {
      if (silence.seconds() > kMaxSilenceSeconds)
        return refused(path, fmt::format("nothing arrived for {}; accepted: a file, or a pipe that "
                                         "a program writes a document to",
                                         formatDuration(kMaxSilenceSeconds)));
      continue;
    }
    const ssize_t count = ::read(file.fd, chunk.data(), chunk.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return ioError("read", path, errno);
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes)
      return refused(path,
                     fmt::format("larger than {}; accepted: an experiment document. If it is data, "
                                 "`parapet-cli init {}` proposes one",
                                 formatBytes(kMaxBytes), shellWord(path)));
    silence.restart();
  }
}

void DocumentArguments::addChangesTo(CLI::App& command) {
  command
      .add_option("--data", data,
                  "File or folder of the data set; sets /dataset/path, and replaces settings that "
                  "do not fit these data")
      ->type_name("PATH");
  command
      .add_option("--set", settings,
                  "Change one setting: a JSON pointer and a value that is JSON, or else text; "
                  "repeat for more. Example: --set /optimizer/learning_rate=0.1")
      ->type_name("POINTER=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void DocumentArguments::addBasicTo(CLI::App& command) {
  command.add_option(
      "DOC", source,
      "Experiment document: a file, or the name of a recipe or of an experiment of the workspace");
  addChangesTo(command);
}

void DocumentArguments::addTo(CLI::App& command) {
  addBasicTo(command);
  command
      .add_option(
          "--devices", devices,
          "One device per rank, separated by commas: cpu:0, cuda:0, cpu*4 (four logical CPU "
          "devices), cpu* (one per core), cuda* (every GPU), all (every GPU, else every core)")
      ->type_name("LIST");
  addInteger(command, "--epochs", epochs, 1, "Epochs to train; sets /training/epochs");
  addInteger(command, "--seed", seed, 0, "Seed of every random draw; sets /training/seed");
}

Result<LoadedDocument> loadDocument(Invocation& invocation, const DocumentArguments& arguments) {
  PARAPET_TRY(readSettings(arguments));
  if (arguments.source.empty())
    return wrongArgument(
        "DOC is missing; accepted: a file, or a name that `recipes` or `experiments` lists");
  if (!arguments.devices.empty()) PARAPET_TRY(parseDevices(arguments.devices));
  PARAPET_ASSIGN(const Source source, readSource(invocation, arguments.source));
  if (!source.file.empty() && holdsRows(source.text)) return rowsForDocument(source.file);
  auto read = experiment::parseJson(source.text, source.file);
  if (!read.ok() && !source.title.empty())
    return read.error().wrap(
        fmt::format("the text of the experiment {} is not finished", source.title));
  if (!read.ok()) {
    Error error = read.error();
    if (const auto text = trim(source.text); !text.empty() && !text.starts_with('{'))
      error.message += fmt::format("; if it is data, `parapet-cli init {}` proposes a document",
                                   shellWord(source.file));
    return error;
  }
  nlohmann::json document = std::move(read).value();
  if (document.is_object() && !source.title.empty()) document["name"] = source.title;
  // An earlier version may have stored it.
  if (!source.experimentId.empty()) experiment::useCurrentNames(document);
  PARAPET_ASSIGN(LoadedDocument loaded, changeDocument(std::move(document), arguments));
  loaded.origin = source.origin;
  loaded.experimentId = source.experimentId;
  loaded.file = source.file;
  if (const auto recipe = experiment::findRecipe(arguments.source);
      recipe.ok() && source.file.empty() && !arguments.data.empty())
    if (const Status named = workspace::requireNamedData(
            *recipe, std::filesystem::absolute(arguments.data).lexically_normal());
        !named.ok() && named.error().code == ErrorCode::kData)
      loaded.findings.warnings.push_back(
          {"/dataset/path", named.error().message, "the data that the recipe is named after"});
  return loaded;
}

bool dataExist(const std::filesystem::path& named) {
  const auto path = std::filesystem::absolute(named).lexically_normal();
  std::error_code ignored;
  // A table in an archive is below a file.
  for (std::filesystem::path at = path; at.has_relative_path(); at = at.parent_path()) {
    if (at == path ? std::filesystem::exists(at, ignored)
                   : std::filesystem::is_regular_file(at, ignored))
      return true;
    if (at != path && std::filesystem::exists(at, ignored)) break;
  }
  return false;
}

Result<LoadedDocument> changeDocument(nlohmann::json document, const DocumentArguments& arguments) {
  PARAPET_ASSIGN(const auto settings, readSettings(arguments));
  const auto loaded = [](const nlohmann::json& changed) {
    return LoadedDocument{experiment::parse(changed), changed};
  };
  // Whatever is not an object is refused by the parser, which says so better than a failed setting.
  if (!document.is_object()) return loaded(document);
  const experiment::Parsed recipe = experiment::parse(document);
  std::vector<std::string> changes;
  const auto set = [&document](std::string_view pointer, const nlohmann::json& value) {
    return experiment::setPointer(document, pointer, value.dump());
  };
  if (!arguments.data.empty()) {
    // A run may be resumed from another folder, so the path is kept absolute.
    const auto path = std::filesystem::absolute(arguments.data).lexically_normal();
    if (const Status kind = workspace::requireKindOfData(recipe.experiment.dataset, path); !kind)
      return wrongArgument("--data: " + kind.error().message);
    changes = workspace::chooseDataOf(document, path, workspace::OtherColumns::kKeep);
  }
  if (!arguments.data.empty() && generatesData(document)) {
    const auto found = workspace::detectSource(arguments.data);
    return wrongArgument(
        fmt::format("--data would not be used, because the document generates its data{}",
                    found.ok() ? std::string() : ": " + found.error().text()));
  }
  if (!arguments.devices.empty()) PARAPET_TRY(applyDevices(document, arguments.devices));
  if (arguments.epochs) PARAPET_TRY(set("/training/epochs", *arguments.epochs));
  if (arguments.seed) PARAPET_TRY(set("/training/seed", *arguments.seed));
  for (const Setting& setting : settings)
    PARAPET_TRY(experiment::setPointer(document, setting.pointer, setting.value));
  LoadedDocument parsed = loaded(document);
  // A fault of the document is reported before data that are missing.
  if (!arguments.data.empty() && parsed.findings.problems.empty() && !dataExist(arguments.data)) {
    const auto path = std::filesystem::absolute(arguments.data).lexically_normal().string();
    return Error{.code = ErrorCode::kNotFound,
                 .message = fmt::format("--data: {} does not exist", path),
                 .path = path};
  }
  if (!namesCurve(settings)) leavePublishedRun(recipe, parsed);
  for (std::string& change : changes)
    parsed.findings.warnings.push_back({"/dataset", std::move(change), ""});
  return parsed;
}

bool namesDocument(Invocation& invocation, const std::string& source) {
  const bool isPath = source.find('/') != std::string::npos;  // no run's id has a slash
  return isPath || isFile(source) || experiment::findRecipe(source).ok() ||
         findExperiment(invocation, source).has_value();
}

}  // namespace parapet::cli
