// SPDX-License-Identifier: Apache-2.0
#include "app/cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/text.h"
#include "engine/workspace/local_devices.h"

namespace parapet::cli {

CLI::Option* addInteger(CLI::App& command, const std::string& names,
                        std::optional<std::int64_t>& value, std::int64_t minimum,
                        const std::string& help) {
  const auto read = [&value, minimum, names](const std::string& text) {
    value = parseInt(text);
    if (!value || *value < minimum)
      throw CLI::ValidationError(
          names,
          fmt::format("\"{}\" is not accepted; accepted: a whole number ≥ {}", text, minimum));
  };
  return command.add_option_function<std::string>(names, read, help)->type_name("N");
}

void addThreads(CLI::App& command, std::optional<std::int64_t>& threads, const std::string& help) {
  const auto read = [&threads](const std::string& text) {
    threads = parseInt(text);
    if (!threads || *threads < 1 || *threads > kMaxThreads)
      throw CLI::ValidationError(
          "--threads", fmt::format("\"{}\" is not accepted; accepted: a whole number from 1 to {}",
                                   text, kMaxThreads));
  };
  command.add_option_function<std::string>("--threads", read, help)->type_name("N");
}

Result<std::vector<std::int64_t>> parseIntegers(const std::string& text, const std::string& option,
                                                std::int64_t minimum) {
  std::vector<std::int64_t> values;
  for (const std::string_view field : splitFields(text, ',')) {
    const auto value = parseInt(trim(field));
    if (!value || *value < minimum)
      return wrongArgument(fmt::format(
          "{}: \"{}\" is not accepted; accepted: whole numbers ≥ {}, separated by commas", option,
          field, minimum));
    values.push_back(*value);
  }
  return values;
}

Result<experiment::SplitPart> parseHeldOut(const std::string& text) {
  const auto part = experiment::splitPartFromName(text);
  if (part == experiment::SplitPart::kValidation || part == experiment::SplitPart::kTest)
    return *part;
  return wrongArgument(
      fmt::format("--split: \"{}\" is not accepted; accepted: validation, test", text));
}

void addCheckpoint(CLI::App& command, std::string& value) {
  command.add_option("--checkpoint", value, "Checkpoint: last, best or a step [last]")
      ->type_name("WHICH");
}

Result<workspace::CheckpointChoice> parseCheckpoint(const std::string& text) {
  using workspace::WhichCheckpoint;
  if (text == "last") return workspace::CheckpointChoice{WhichCheckpoint::kLast, 0};
  if (text == "best") return workspace::CheckpointChoice{WhichCheckpoint::kBest, 0};
  const auto step = parseInt(text);
  if (!step || *step < 0)
    return wrongArgument(
        fmt::format("--checkpoint: \"{}\" is not accepted; accepted: last, best or a step", text));
  return workspace::CheckpointChoice{WhichCheckpoint::kStep, *step};
}

Result<std::vector<std::string>> parseDevices(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view field : splitFields(text, ',')) names.emplace_back(trim(field));
  const bool asks = std::ranges::any_of(
      names, [](const std::string& name) { return name == "all" || name.ends_with('*'); });
  return workspace::namedDevices(names,
                                 asks ? workspace::localDevices() : workspace::LocalDevices{});
}

void addSeen(CLI::App& command, std::string& value) {
  command.add_flag("--exclude-seen{train}", value,
                   "Leave out the items of the user's training rows; --exclude-seen=all: of the "
                   "held-out rows, too");
}

Result<retrieval::SeenItems> parseSeen(const std::string& value) {
  if (value.empty()) return retrieval::SeenItems::kKeep;
  if (value == "train") return retrieval::SeenItems::kExcludeTrain;
  if (value == "all") return retrieval::SeenItems::kExcludeAll;
  return wrongArgument(
      fmt::format("--exclude-seen: \"{}\" is not accepted; accepted: train, all", value));
}

Error wrongArgument(std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message)};
}

std::string_view withoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

Status checkOut(const std::string& out, bool force, std::string_view what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(out, ignored))
    return wrongArgument(fmt::format("--out {} is a folder; accepted: a path for {}", out, what));
  if (std::filesystem::exists(out, ignored) && !force)
    return Error{.code = ErrorCode::kIo,
                 .message = fmt::format("{} exists; --force replaces it", out),
                 .path = out};
  return {};
}

}  // namespace parapet::cli
