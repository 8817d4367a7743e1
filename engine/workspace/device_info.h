// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace parapet::workspace {

/// A device or plugin as the user sees it.
struct DeviceInfo {
  std::string name;     ///< "cpu:0", "cuda", "parquet"
  std::string kind;     ///< "cpu", "cuda"; "source": it reads and writes files;
                        ///< "communicator": it moves data between ranks
  std::string plugin;   ///< "built in", or the file of the plugin
  std::string outcome;  ///< "loaded", "not chosen", "not supported here", "wrong ABI", …
  std::string reason;   ///< why, in a sentence; "" for a loaded device
  std::uint64_t memoryBytes = 0;  ///< 0: unknown
  std::string instructionSet{};   ///< "x86-64-v3"; "" if unknown
  bool usable = false;            ///< a device that works here, in use or not
  bool fault = false;             ///< should work and does not
  bool crashed = false;           ///< left out because it ended the program when it was tried
};

}  // namespace parapet::workspace
