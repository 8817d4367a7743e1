// SPDX-License-Identifier: Apache-2.0
#include "app/cli/document.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/document_file.h"
#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

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

Result<std::string> readSource(const std::string& source) {
  if (isFile(source)) return readDocumentFile(source);
  auto recipe = experiment::findRecipe(source);
  if (recipe.ok()) return std::move(recipe).value().text;
  const bool looksLikeFile = source.find_first_of("/.") != std::string::npos;
  if (!looksLikeFile && !isFolder(source)) return recipe.error();
  Error missing{
      ErrorCode::kNotFound,
      isFolder(source)
          ? fmt::format("{} is a folder; accepted: a file, or the name of a recipe", source)
          : fmt::format("{}: no such file, and no recipe of that name", source)};
  missing.path = source;
  return missing;
}

// A new device list has its own count of ranks, so the shape that was written for the old one goes.
Status applyDevices(nlohmann::json& document, const std::string& devices) {
  PARAPET_ASSIGN(const auto names, parseDevices(devices));
  nlohmann::json& mesh = document["mesh"];
  if (!mesh.is_object()) mesh = nlohmann::json::object();
  mesh.update({{"devices", names}, {"shape", nullptr}, {"axes", {"data"}}});
  return {};
}

}  // namespace

void DocumentArguments::addChangesTo(CLI::App& command) {
  command
      .add_option("--data", data,
                  "File or folder of the data set; sets /dataset/path, and what "
                  "cannot hold for these data")
      ->type_name("PATH");
  command
      .add_option(
          "--set", settings,
          "Change one setting: a JSON pointer and a value that is JSON, or else text; repeat "
          "for more. Example: --set /optimizer/learning_rate=0.1")
      ->type_name("POINTER=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void DocumentArguments::addBasicTo(CLI::App& command) {
  command.add_option("DOC", source, "Experiment document: a file, or the name of a recipe");
  addChangesTo(command);
}

void DocumentArguments::addTo(CLI::App& command) {
  addBasicTo(command);
  command
      .add_option(
          "--devices", devices,
          "One device per rank, separated by commas: cpu:0, cuda:0, cpu*4 (four logical CPU "
          "devices)")
      ->type_name("LIST");
  addInteger(command, "--epochs", epochs, 1, "Epochs to train; sets /training/epochs");
  addInteger(command, "--seed", seed, 0, "Seed of every random draw; sets /training/seed");
}

Result<experiment::Parsed> loadDocument(const DocumentArguments& arguments) {
  PARAPET_ASSIGN(const auto settings, readSettings(arguments));
  if (arguments.source.empty())
    return wrongArgument("DOC is missing; accepted: a file, or a name that `recipes` lists");
  if (!arguments.devices.empty()) PARAPET_TRY(parseDevices(arguments.devices));
  PARAPET_ASSIGN(const std::string text, readSource(arguments.source));
  PARAPET_ASSIGN(nlohmann::json document,
                 experiment::parseJson(text, isFile(arguments.source) ? arguments.source : ""));
  // Whatever is not an object is refused by the parser, which says so better than a failed setting.
  if (!document.is_object()) return experiment::parse(document);

  std::vector<std::string> changes;
  const auto set = [&document](std::string_view pointer, const nlohmann::json& value) {
    return experiment::setPointer(document, pointer, value.dump());
  };
  if (!arguments.data.empty()) {
    // A run may be resumed from another folder, so the path is kept absolute.
    const auto path = std::filesystem::absolute(arguments.data).lexically_normal();
    changes = workspace::chooseDataOf(document, path, workspace::OtherColumns::kKeep);
  }
  if (!arguments.devices.empty()) PARAPET_TRY(applyDevices(document, arguments.devices));
  if (arguments.epochs) PARAPET_TRY(set("/training/epochs", *arguments.epochs));
  if (arguments.seed) PARAPET_TRY(set("/training/seed", *arguments.seed));
  for (const Setting& setting : settings)
    PARAPET_TRY(experiment::setPointer(document, setting.pointer, setting.value));
  experiment::Parsed parsed = experiment::parse(document);
  for (std::string& change : changes)
    parsed.findings.warnings.push_back({"/dataset", std::move(change), ""});
  return parsed;
}

bool namesDocument(const std::string& source) {
  const bool isPath = source.find('/') != std::string::npos;  // no run's id has a slash
  return isPath || isFile(source) || experiment::findRecipe(source).ok();
}

}  // namespace parapet::cli
