// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::mesh {

/// Time of work on rows of a table in random order: a share for each row, a share for its bytes.
struct RowRate {
  double secondsPerRow = 0.0;
  double bytesPerSecond = 0.0;
  [[nodiscard]] double seconds(double rows, double bytesPerRow) const {
    return rows * (secondsPerRow + bytesPerRow / bytesPerSecond);
  }
};

/// Time of losses in which every example of a batch meets all others, forward and backward: a share
/// for each pair, of its exponential, and a share for its multiplications and additions.
struct PairRate {
  double secondsPerPair = 0.0;
  double flopsPerSecond = 0.0;
  [[nodiscard]] double seconds(double pairs, double flops) const {
    return pairs * secondsPerPair + flops / flopsPerSecond;
  }
};

/// What one memory space can do: the memory of a GPU with that GPU, or the RAM of a process with
/// all its cores. Bytes are those that are read and those that are written.
struct DeviceProfile {
  std::string kind;                   ///< "cpu", "h100-80gb"
  std::string like;                   ///< the kind whose figures stand in where none are given
  std::string source;                 ///< where the figures are from, in words
  std::int64_t memoryBytes = 0;       ///< of the device; 0: unknown
  bool sharesMemory = false;          ///< devices of a host share one memory space
  double streamBytesPerSecond = 0.0;  ///< in order
  RowRate lookup;                     ///< rows read in random order and written in sequence
  RowRate update;                     ///< rows with their slots, read and written in place
  std::int64_t cacheBytes = 0;        ///< tables up to this size have the next two rates
  RowRate cachedLookup, cachedUpdate;
  double groupSecondsPerId = 0.0;  ///< of finding equal ids
  double flopsPerSecond = 0.0;     ///< of matrix products in f32
  PairRate pairs;                  ///< of in-batch losses
  double nodeSeconds = 0.0;        ///< min. time of one operation of a step
  double stepSeconds = 0.0;        ///< of a step besides its operations

  [[nodiscard]] const RowRate& lookupOf(double tableBytes) const;
  [[nodiscard]] const RowRate& updateOf(double tableBytes) const;
  /// One of so many equal parts that work at the same time: each has its share of memory, of caches
  /// and of every rate.
  [[nodiscard]] DeviceProfile part(int parts) const;
};

/// A connection as one device sees it, each way.
struct Link {
  double bytesPerSecond = 0.0;
  double latencySeconds = 0.0;  ///< of one collective
};

/// Memory with what computes on it. Ranks of one space share its tables and its time.
struct MemorySpace {
  std::string name;  ///< "host memory", "node3/cuda:1"
  int host = 0;
  DeviceProfile profile;
};

/// The devices of a mesh, here or elsewhere.
struct Hardware {
  struct Device {
    std::string name;  ///< "cuda:0"; of several hosts "node3/cuda:0"
    int space = 0;     ///< index into `spaces`
  };
  std::vector<Device> devices;
  std::vector<MemorySpace> spaces;
  Link withinHost, betweenHosts;
  std::vector<std::int64_t> shape;  ///< of the mesh they form; empty: not given
  std::vector<std::string> axes;    ///< as many as `shape`

  [[nodiscard]] std::vector<std::string> deviceNames() const;
  /// These devices only, in this order. InvalidDocument at /mesh/devices for a name that is not
  /// among them.
  [[nodiscard]] Result<Hardware> restrictedTo(const std::vector<std::string>& names) const;
};

/// Profiles of devices by kind, each with the source of its figures.
std::span<const DeviceProfile> knownProfiles();
/// nullptr for an unknown kind.
const DeviceProfile* findProfile(std::string_view kind);

/// A profile as files hold it, with the members of DeviceProfile.
nlohmann::ordered_json profileToJson(const DeviceProfile& profile);
/// The reverse; what is left out is that of a CPU.
///
/// Errors   kInvalidDocument with path and JSON pointer, as parseHardware().
Result<DeviceProfile> profileFromJson(const nlohmann::json& json, const std::string& path);

/// The devices of this machine as a mesh names them. `cpu` is the profile of its memory and cores,
/// which its devices share, or divide where each has a memory of its own. `measured`: by name, of
/// devices with memory of their own; GPUs that are not among them are taken for H100s. Logical
/// devices of one share or divide it in the same way.
Hardware localHardware(const std::vector<std::string>& names, const DeviceProfile& cpu,
                       experiment::MemorySpaces spaces = experiment::MemorySpaces::kShared,
                       const std::map<std::string, DeviceProfile>& measured = {});

/// Hardware as a person types it in:
///
///   {"hosts": [{"name": "node", "count": 16, "devices": [{"kind": "h100-80gb", "count": 8}]}],
///    "kinds": [{"kind": "mine", "like": "h100-80gb", "memory_bytes": 48e9, …}],
///    "links": {"within_host": {"bytes_per_second": 450e9, "latency_seconds": 1e-5},
///              "between_hosts": {"bytes_per_second": 50e9, "latency_seconds": 2e-5}},
///    "mesh": {"shape": [16, 8], "axes": ["host", "device"]}}
///
/// A kind has the members of DeviceProfile; what it leaves out is that of the kind it is like.
/// Several hosts of one entry are numbered ("node0", "node1", …), and so are devices ("cuda:0").
///
/// Errors   kInvalidDocument with path and JSON pointer: not JSON (line), an unknown key ("did you
///          mean"), a value out of range, an unknown kind, a duplicate name, more than
///          1024 devices.
Result<Hardware> parseHardware(std::string_view text, const std::string& path);

}  // namespace parapet::mesh
