// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>

#include "app/cli/exit_codes.h"

namespace parapet::window {

/// The command line of the window.
struct Options {
  std::string workspace;  ///< folder; never empty
  std::string data;       ///< folder for recipes that need data, "" if not given
  std::string dashboard;  ///< PNG to write instead of opening a window, "" if not given
  std::string language;   ///< code or "system"; "" if not given: as the settings have it
  std::string document;   ///< file, recipe or experiment to edit, "" if not given
  bool safeMode = false;  ///< without plugins, and with the default layout and settings
};

/// Reads the command line. An exit code instead of options means that everything is said: help and
/// version on stdout, a mistake as one line on stderr.
std::variant<Options, cli::ExitCode> readOptions(int argc, char** argv);

}  // namespace parapet::window
