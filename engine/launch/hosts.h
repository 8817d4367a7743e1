// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace parapet::launch {

/// A host that takes part in a run.
struct Host {
  std::string name;
  int slots = 1;          ///< processes
  std::string address{};  ///< in numbers, at which the others reach it; "" if none was given
  std::int64_t line = 0;  ///< of the file, from 1
  bool isHere = false;    ///< this machine
};

constexpr int kMaxProcesses = 1024;

/// The text of a hosts file: on each line a host, `NAME [slots=K] [address=A]`; # begins a comment.
///
///   node1 slots=2
///   node2 slots=2 address=10.0.0.2   # where the others reach it
///
/// Errors   kInvalidDocument with `file` and the line: an unknown word, a host twice, slots that are
///          no number from 1, an address that is not in numbers; no host at all.
/// Thread   pure.
Result<std::vector<Host>> parseHosts(const std::string& text, const std::string& file);

/// The hosts of a run, as this machine sees them.
struct RunHosts {
  std::vector<Host> hosts;  ///< this machine first, the others in the order of the file
  std::string address;      ///< of this machine, in numbers, where the others reach it
  [[nodiscard]] int processes() const;
};

/// The hosts of a hosts file, with this machine and its address on the way to the others: 127.0.0.1
/// where all are this machine.
///
/// Errors   those of parseHosts; kInvalidDocument: a host has no address, none is this machine, fewer
///          than 2 processes or more than kMaxProcesses; kIo: no network leads to the others.
Result<RunHosts> readHosts(const std::string& text, const std::string& file);

}  // namespace parapet::launch
