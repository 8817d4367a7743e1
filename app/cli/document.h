// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/experiment.h"

namespace parapet::cli {

/// DOC and the options that change it before it is read.
struct DocumentArguments {
  std::string source;  ///< a file, or the name of a recipe
  std::string data;
  std::string devices;
  std::vector<std::string> settings;  ///< POINTER=VALUE
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> seed;

  /// --data --set
  void addChangesTo(CLI::App& command);
  /// DOC --data --set
  void addBasicTo(CLI::App& command);
  /// DOC --data --set --devices --epochs --seed
  void addTo(CLI::App& command);
};

/// The document of DOC with the options applied, and everything that is wrong with it.
///
/// Errors   InvalidDocument: not JSON (line and column), a setting without a value, an unknown
/// pointer.
///          NotFound: neither a file nor a recipe, or a folder.
Result<experiment::Parsed> loadDocument(const DocumentArguments& arguments);

/// Whether `source` is a path, the name of a file that is there or a recipe; else it may be a run.
bool namesDocument(const std::string& source);

}  // namespace parapet::cli
