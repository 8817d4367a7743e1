// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/workers.h"
#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

/// A computing device: a cheap handle to a backend's table and an index within it. Logical devices
/// ("cpu:0", "cpu:1") share one backend and, on the CPU, one memory space.
class Device {
 public:
  Device(std::string name, const PpDevice& backend, std::int32_t index)
      : name_(std::move(name)), backend_(&backend), index_(index) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const PpDevice& backend() const { return *backend_; }
  [[nodiscard]] const PpOps& ops() const { return *backend_->ops; }
  [[nodiscard]] std::int32_t index() const { return index_; }
  [[nodiscard]] bool isHost() const { return backend_->memoryKind == PP_MEMORY_HOST; }

 private:
  std::string name_;
  const PpDevice* backend_;
  std::int32_t index_;
};

/// Where and with what an op runs. `workers` null: on the calling thread alone, which is what ops
/// inside a rank's segment do when several ranks run at once.
struct Launch {
  const Device* device = nullptr;
  Workers* workers = nullptr;
};

/// A backend as it was found at start, for the user to read.
struct BackendOutcome {
  std::string name;  ///< device name, e.g. "cpu:0", or the kind if there is no device
  std::string kind;
  std::string plugin;   ///< "built in" or the plugin's file
  std::string outcome;  ///< "loaded", "not installed", …
  std::string reason;
  std::uint64_t memoryBytes = 0;
};

/// The devices of this process. Filled once at first use, by one explicit line per backend.
class DeviceRegistry {
 public:
  static const DeviceRegistry& instance();
  /// The device for a rank's name ("cpu:3"); nullopt if there is none of that kind here.
  [[nodiscard]] std::optional<Device> find(std::string_view name) const;
  [[nodiscard]] const std::vector<BackendOutcome>& outcomes() const { return outcomes_; }

 private:
  DeviceRegistry();
  std::vector<const PpDevice*> backends_;
  std::vector<BackendOutcome> outcomes_;
};

/// A CPU device on the linked-in backend, for code and tests that need no registry.
const Device& hostDevice();

}  // namespace parapet::tensor
