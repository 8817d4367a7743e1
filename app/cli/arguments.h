// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/workspace/workspace.h"

namespace parapet::cli {

/// An option that takes a whole number of at least `minimum`. Its own parser: 010 is ten, not
/// eight, and "3.5" or "3x" are refused with the text that was found.
CLI::Option* addInteger(CLI::App& command, const std::string& names,
                        std::optional<std::int64_t>& value, std::int64_t minimum,
                        const std::string& help);

/// As /mesh/threads has it.
inline constexpr std::int64_t kMaxThreads = 1024;
/// --threads, from 1 to kMaxThreads.
void addThreads(
    CLI::App& command, std::optional<std::int64_t>& threads,
    const std::string& help = "Threads of this process [all cores]; does not change results");

/// "10,50,100": whole numbers of at least `minimum`.
Result<std::vector<std::int64_t>> parseIntegers(const std::string& text, const std::string& option,
                                                std::int64_t minimum);
/// --split: "validation" or "test".
Result<experiment::SplitPart> parseHeldOut(const std::string& text);
/// --checkpoint, read by parseCheckpoint.
void addCheckpoint(CLI::App& command, std::string& value);
/// "last", "best" or a step.
Result<workspace::CheckpointChoice> parseCheckpoint(const std::string& text);
/// "cpu:0,cpu*2" cut at commas and expanded to one name per rank.
Result<std::vector<std::string>> parseDevices(const std::string& text);

/// --exclude-seen[=all], read by parseSeen.
void addSeen(CLI::App& command, std::string& value);
/// "" (option absent), "train" or "all".
Result<retrieval::SeenItems> parseSeen(const std::string& value);

/// A text, or its first line, without the mark that editors of Windows begin it with.
std::string_view withoutByteOrderMark(std::string_view text);

/// An argument that cannot be: exit 2.
Error wrongArgument(std::string message);
/// Whether `what`, such as "the document", can be written to --out: no folder, and no file without --force.
Status checkOut(const std::string& out, bool force, std::string_view what);

}  // namespace parapet::cli
