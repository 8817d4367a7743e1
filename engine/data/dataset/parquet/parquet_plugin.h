// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/plugin_library.h"
#include "engine/base/probe_journal.h"
#include "engine/base/result.h"
#include "engine/data/source_abi.h"

namespace parapet::data {

/// The plugin that reads and writes Parquet files, or why there is none.
struct ParquetPlugin {
  PluginOutcome outcome = PluginOutcome::kNotInstalled;
  std::string reason{};             ///< "" if it is in use
  std::string file{};               ///< "" if there is none
  const PsPlugin* table = nullptr;  ///< null unless it is loaded; lives as long as the process
};

/// Looks into the folder `sources` of each of the folders.
ParquetPlugin findParquetPlugin(std::span<const std::filesystem::path> folders,
                                const ProbeJournal& journal);

/// The plugin of this process, tried at first use.
const ParquetPlugin& parquetPlugin();

/// The table of the plugin of this process.
///
/// Errors   kDevice that says why there is none and what to do.
Result<const PsPlugin*> requireParquet();

/// An error of the plugin: kIo, kData or kDevice by its kind.
Error parquetError(std::int32_t kind, const PsError& error, const std::string& path,
                   const std::string& where = {});

}  // namespace parapet::data
