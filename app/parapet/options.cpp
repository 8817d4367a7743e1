// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/base/text.h"
#include "engine/workspace/workspace.h"
#include "ui/models/languages.h"

namespace parapet::window {
namespace {

// CLI11 says that arguments were not expected; whoever mistyped wants to know what was.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const auto extras = program.remaining(true);
  if (error.get_name() != "ExtrasError" || extras.empty()) return error.what();
  std::vector<std::string> names;
  for (const CLI::Option* option : program.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  if (extras.front().starts_with('-'))
    return fmt::format("unknown option {}{}", extras.front(), didYouMean(extras.front(), names));
  return fmt::format("unexpected argument \"{}\"; see parapet --help", extras.front());
}

}  // namespace

std::variant<Options, cli::ExitCode> readOptions(int argc, char** argv) {
  Options options;
  options.workspace = workspace::Workspace::defaultFolder().string();
  CLI::App program("Opens the workbench for two-tower recommenders.");
  program.name("parapet");
  program.set_version_flag("--version", "parapet " PARAPET_VERSION, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program
      .add_option(
          "--workspace", options.workspace,
          fmt::format("Folder with runs, data sets and checkpoints [{}]", options.workspace))
      ->type_name("DIR");
  std::string model;
  program
      .add_option(
          "--model", model,
          "A folder that `parapet-cli export --what model` wrote, to be browsed in the place "
          "of a workspace")
      ->type_name("DIR");
  program
      .add_option("--data", options.data,
                  "File or folder of the data set; sets /dataset/path of DOC, or without DOC opens "
                  "the data "
                  "with a proposed experiment")
      ->type_name("DIR");
  program
      .add_option(
          "--dashboard", options.dashboard,
          "Write the page Train of the newest finished run (or of a fresh run of the recipe "
          "sample) to a PNG and end; needs no display")
      ->type_name("FILE");
  program.add_flag(
      "--safe-mode", options.safeMode,
      "Start without plugins, computing with the built-in CPU backend, and with the default "
      "layout and settings; yours are neither read nor changed");
  const QStringList known = QStringList{ui::kSystemLanguage} + ui::languages();
  std::vector<std::string> words;
  for (const QString& word : known) words.push_back(word.toStdString());
  program
      .add_option("--language", options.language,
                  "Language of the window, this time: system, or the code of one that it has")
      ->type_name("CODE")
      ->check(CLI::IsMember(words));
  program.add_option(
      "DOC", options.document,
      "Experiment to edit: a file, or the name of a recipe or of an experiment of the "
      "workspace");
  program.footer(
      "The same from the terminal: parapet-cli --help\n"
      "Exit codes: 0 done, 1 failed, 2 wrong argument or document, 3 not found");
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForVersion& request) {
    fmt::print("{}\n", request.what());
    return cli::ExitCode::kDone;
  } catch (const CLI::Success&) {
    fmt::print("{}", program.help());
    return cli::ExitCode::kDone;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {}\n", explain(program, error));
    return cli::ExitCode::kWrong;
  }
  if (!model.empty() && !workspace::Workspace::isModel(model)) {
    fmt::print(stderr, "error: {} is no model folder\n", model);
    return cli::ExitCode::kNotFound;
  }
  if (!model.empty()) options.workspace = model;
  if (options.workspace.empty()) {
    fmt::print(stderr, "error: --workspace: an empty name; accepted: a folder\n");
    return cli::ExitCode::kWrong;
  }
  return options;
}

}  // namespace parapet::window
