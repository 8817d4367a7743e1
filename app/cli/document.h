// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/invocation.h"
#include "engine/base/result.h"
#include "engine/experiment/experiment.h"

namespace parapet::cli {

/// The text of a document: a regular file, a pipe that something writes to, or /dev/stdin.
///
/// Errors   NotFound, Io; InvalidDocument if it is larger than 16 MiB, or if nothing arrives for
/// ten
///          seconds; Cancelled if the user stops the program meanwhile.
Result<std::string> readDocumentFile(const std::string& path);

/// DOC and the options that change it before it is read.
struct DocumentArguments {
  std::string source;  ///< a file, or the name of a recipe or of an experiment of the workspace
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

/// A document as it was read, and where it came from.
struct LoadedDocument : experiment::Parsed {
  nlohmann::json document{};   ///< with the options applied
  std::string origin{};        ///< for the record of a run: a file or recipe
  std::string experimentId{};  ///< of the workspace's experiment, "" for files and recipes
  std::string file{};          ///< that it was read from, "" for recipes and experiments
};

/// The document of DOC with the options applied, and everything that is wrong with it. DOC is a file if
/// there is one of that name, else a recipe, else an experiment of the workspace; a name that means
/// two of them is warned about.
///
/// Errors   InvalidDocument: not JSON (line and column), a setting without a value, an unknown
/// pointer.
///          NotFound: neither file, recipe nor experiment, or a folder.
Result<LoadedDocument> loadDocument(Invocation& invocation, const DocumentArguments& arguments);

/// A document that is there already, with the options applied.
Result<LoadedDocument> changeDocument(nlohmann::json document, const DocumentArguments& arguments);

/// Whether there is such a file or folder, or a file that may be an archive with it as a table.
bool dataExist(const std::filesystem::path& named);

/// Whether `source` is a path, the name of a file that is there, a recipe or an experiment of the
/// workspace; else it may be a run.
bool namesDocument(Invocation& invocation, const std::string& source);

}  // namespace parapet::cli
