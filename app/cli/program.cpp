// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "engine/base/file_error.h"
#include "engine/base/files.h"
#include "engine/base/mapped_range.h"
#include "engine/base/plugin_trial.h"
#include "engine/base/process.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

// "" would count as an option that was not given: a script whose variable is empty would train on
// other devices, or other data, than it says.
void refuseEmptyValues(CLI::App& app) {
  const CLI::Validator notEmpty(
      [](const std::string& value) {
        return value.empty()
                   ? std::string("the value is empty; accepted: a value, or leave the option out")
                   : std::string();
      },
      "");
  for (CLI::Option* option : app.get_options())
    if (!option->get_positional() && option->get_expected_min() > 0) option->check(notEmpty);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    refuseEmptyValues(*command);
}

void addProgram(CLI::App& program, Invocation& invocation) {
  program.name("parapet-cli");
  program.set_version_flag("--version", "parapet-cli " PARAPET_VERSION, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program.footer(
      "Start here: parapet-cli train sample\n"
      "Help of a command: parapet-cli train --help\n"
      "Exit codes: 0 done, 1 failed, 2 wrong argument or document, 3 not found, 4 stopped, 5 "
      "diverged");
  program.fallthrough();   // --json and --workspace are understood after the command, too
  program.allow_extras();  // what is left over is explained below, in our own words
  program.require_subcommand(0, 1);
  program
      .add_option("--workspace", invocation.workspaceFolder,
                  fmt::format("Folder with runs, data sets and checkpoints [{}]",
                              invocation.workspaceFolder))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("DIR");
  program.add_flag("--json", invocation.json, "Answer with one JSON value on stdout");
  program.add_flag("--quiet", invocation.quiet, "No progress on stderr");
  addCommands(program, invocation);
  refuseEmptyValues(program);
}

std::vector<std::string> commandNames(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> optionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* app = &command; app; app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Whoever mistyped wants to know what would have been understood.
std::string explain(const CLI::App& program, const std::vector<std::string>& extras) {
  const CLI::App* command = &program;
  std::string called = "parapet-cli";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    called += " " + command->get_name();
  }
  const std::string& first = extras.front();
  if (first.starts_with('-'))
    return fmt::format("unknown option {}{}", first, didYouMean(first, optionNames(*command)));
  if (first == "help") return "unknown command \"help\"; see parapet-cli --help, or COMMAND --help";
  if (const auto names = commandNames(*command); !names.empty())
    return fmt::format("unknown command \"{}\"{}; accepted{}: {}", first, didYouMean(first, names),
                       command == &program ? "" : " after " + command->get_name(), join(names));
  return fmt::format("unexpected argument \"{}\"; see {} --help", first, called);
}

// Errors of reading the arguments may come before --json was read.
bool asksForJson(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--json"; });
}

// An answer made from a file whose pages were lost while it was read is replaced by the error.
Answer unlessLost(Answer answer) {
  const std::vector<std::string> lost = MappedRange::lostNames();
  if (lost.empty() || answer.failure) return answer;
  Answer failed(
      Error{ErrorCode::kData,
            fmt::format("cannot read {}: pages of it were lost while it was in use; was it cut "
                        "off, or does its disk or server fail?",
                        join(lost)),
            {},
            lost.front()});
  failed.written = answer.written;
  return failed;
}

// The borders at which exceptions become answers.
Answer run(const std::function<Answer()>& action) {
  try {
    return unlessLost(action());
  } catch (const InvalidArgument& error) {
    return wrongArgument(error.what());
  } catch (const FileError& error) {
    return error.error();
  } catch (const std::bad_alloc&) {
    return outOfMemory("the command");
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInternal, error.what()};
  }
}

}  // namespace

int runProgram(int argc, char** argv) {
  reserveStdout();
  catchInterrupts();
  setTrialStop(stopRequested);  // plugins are tried where a command first needs a device
  Invocation invocation;
  CLI::App program("Trains and questions two-tower recommenders from the terminal.");
  addProgram(program, invocation);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForVersion& request) {
    return static_cast<int>(
        deliver(Answer::of(request.what(), std::string(request.what()) + "\n"), false));
  } catch (const CLI::Success&) {  // --help, of the program or of the command that was named
    return static_cast<int>(deliver(Answer::of(Json(), program.help()), false));
  } catch (const CLI::ParseError& error) {
    const Answer answer(wrongArgument(error.what()));
    return static_cast<int>(deliver(answer, asksForJson(argc, argv)));
  }
  if (const auto extras = program.remaining(true); !extras.empty())
    return static_cast<int>(deliver(wrongArgument(explain(program, extras)), invocation.json));
  if (!invocation.action) {
    Answer answer(wrongArgument("no command was given"));
    answer.text = program.help();
    return static_cast<int>(deliver(answer, invocation.json));
  }
  InterruptWatch interrupts([&invocation] {
    removeUnfinished();
    const Answer answer(Error{ErrorCode::kCancelled, "the command was cancelled"});
    std::_Exit(static_cast<int>(deliver(answer, invocation.json && !invocation.writesLines)));
  });
  invocation.interrupts = &interrupts;
  const Answer answer = run(invocation.action);
  interrupts.takeOver();
  return static_cast<int>(deliver(answer, invocation.json));
}

}  // namespace parapet::cli
