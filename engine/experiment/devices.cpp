// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

constexpr const char* kAccepted =
    "\"cpu\", \"cpu:0\", \"cpu*8\" or \"8xcpu\" (logical CPU devices), \"cuda:0\", \"cuda:0/1\" "
    "(part 1 of GPU 0, beside its other parts), with --devices \"cpu*\", \"cuda*\" and \"all\", "
    "too; at most 1024 devices";

/// The index or count in a device name: digits without sign or leading zero, at most kMaxDevices.
std::optional<std::int64_t> parseIndex(std::string_view text) {
  if (text.empty() || text.size() > 4 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  if (!std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; }))
    return std::nullopt;
  const auto index = parseInt(text);
  return index && *index <= kMaxDevices ? index : std::nullopt;
}

/// Kinds of devices that can be asked for by their number: logical CPU devices, and those that tests
/// emulate, which are found where their plugin is.
constexpr std::string_view kCounted[] = {"cpu", "emu"};

/// The count of devices that "cpu*8" or "8xcpu" requests.
std::optional<std::int64_t> countOf(std::string_view kind, std::string_view entry) {
  const std::size_t others = entry.size() - std::min(entry.size(), kind.size() + 1);
  if (entry.size() > kind.size() && entry.starts_with(kind) && entry[kind.size()] == '*')
    return parseIndex(entry.substr(kind.size() + 1));
  if (entry.ends_with(kind) && others > 0 && entry[others] == 'x')
    return parseIndex(entry.substr(0, others));
  return std::nullopt;
}

/// The index of "cpu" or "cpu:3".
std::optional<std::int64_t> indexOf(std::string_view kind, std::string_view entry) {
  if (entry == kind && kind == kCounted[0]) return 0;
  return entry.size() > kind.size() && entry.starts_with(kind) && entry[kind.size()] == ':'
             ? parseIndex(entry.substr(kind.size() + 1))
             : std::nullopt;
}

/// Kinds with memory of their own, whose devices may be split: "cuda:0/1".
constexpr std::string_view kSplit[] = {"cuda", "emu"};

/// Whether an entry is a device of such a kind, or a part of one.
bool isApart(std::string_view entry) {
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos ||
      std::ranges::find(kSplit, entry.substr(0, colon)) == std::end(kSplit))
    return false;
  const std::vector<std::string_view> parts = splitFields(entry.substr(colon + 1), '/');
  return parts.size() <= 2 && std::ranges::all_of(parts, [](std::string_view part) {
           return parseIndex(part).has_value();
         });
}

/// Collects the ranks and remembers which were named.
class Ranks {
 public:
  /// Adds an entry. Returns its fault; "" if it was added.
  std::string add(const std::string& entry) {
    for (const std::string_view kind : kCounted) {
      if (const auto count = countOf(kind, entry)) {
        if (*count == 0) return "requests no device";
        std::string fault;
        for (std::int64_t added = 0; added < *count && fault.empty(); ++added)
          fault = addOf(kind, next_[kind]);
        return fault;
      }
      if (const auto index = indexOf(kind, entry)) return addOf(kind, *index);
    }
    return isApart(entry) ? addName(entry) : "is not a device";
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::string addOf(std::string_view kind, std::int64_t index) {
    next_[kind] = std::max(next_[kind], index + 1);
    return addName(fmt::format("{}:{}", kind, index));
  }
  /// The fault of a name beside those before it; "" if there is none.
  std::string besideOthers(const std::string& name) {
    const std::string device = wholeDevice(name);
    if (device == name)
      return parts_.contains(device) ? fmt::format("is named beside its part {}", parts_[device])
                                     : std::string();
    if (seen_.contains(device))
      return fmt::format("is a part of {}, which is named as a whole", device);
    parts_[device] = name;
    return {};
  }
  std::string addName(std::string name) {
    if (seen_.contains(name)) return fmt::format("names {} again", name);
    if (std::string fault = besideOthers(name); !fault.empty()) return fault;
    seen_.insert(name);
    if (static_cast<std::int64_t>(names_.size()) == kMaxDevices)
      return fmt::format("makes more than {} devices", kMaxDevices);
    names_.push_back(std::move(name));
    return {};
  }

  std::vector<std::string> names_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> parts_;       ///< the last part of each device that is split
  std::map<std::string_view, std::int64_t> next_;  ///< by kind, index of the next of a "cpu*N"
};

}  // namespace

Result<std::vector<std::string>> expandDevices(const std::vector<std::string>& devices) {
  Ranks ranks;
  if (devices.empty())
    return Error{.code = ErrorCode::kInvalidDocument,
                 .message = fmt::format("no device is named; accepted: {}", kAccepted),
                 .pointer = "/mesh/devices"};
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const std::string fault = ranks.add(devices[index]);
    if (fault.empty()) continue;
    return Error{.code = ErrorCode::kInvalidDocument,
                 .message = fmt::format("device \"{}\" {}; accepted: {}", printable(devices[index]),
                                        fault, kAccepted),
                 .pointer = fmt::format("/mesh/devices/{}", index)};
  }
  return ranks.take();
}

std::string wholeDevice(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// The slower kind would decide the time of every step, since all have equal shares of a batch.
std::optional<Problem> kindsProblem(const std::vector<std::string>& devices) {
  const auto kindOf = [](const std::string& device) { return device.substr(0, device.find(':')); };
  const auto other = std::ranges::find_if(devices, [&](const std::string& device) {
    return kindOf(device) != kindOf(devices.front());
  });
  if (other == devices.end()) return std::nullopt;
  return Problem{"/mesh/devices",
                 fmt::format("{} and {} are devices of two kinds. Every device has an equal share "
                             "of a batch, so that each step would wait for the slower kind",
                             devices.front(), *other),
                 "devices of one kind"};
}

std::optional<Problem> capacityProblem(const Mesh& mesh, const std::vector<std::string>& devices) {
  if (!mesh.capacityBytes || !mesh.capacityBytes->perDevice) return std::nullopt;
  const std::size_t found = mesh.capacityBytes->bytes.size();
  if (found == 0 || found == devices.size()) return std::nullopt;
  constexpr std::size_t kMaxNamed = 8;
  const std::string named = devices.size() <= kMaxNamed
                                ? join(devices)
                                : fmt::format("{} … {}", devices.front(), devices.back());
  return Problem{"/mesh/capacity_bytes",
                 fmt::format("{} number{} for {} device{}", found, found == 1 ? "" : "s",
                             devices.size(), devices.size() == 1 ? "" : "s"),
                 fmt::format("one number for every device, or a list of {}, in the order of {}",
                             devices.size(), named)};
}

}  // namespace parapet::experiment
