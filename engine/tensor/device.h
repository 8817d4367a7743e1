// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/workers.h"
#include "engine/tensor/backends.h"
#include "engine/tensor/memory_limit.h"
#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

/// A device refused, was lost or did not answer in time. Ops and copies have no Status to return,
/// so they throw it; whoever drives them makes a kDevice error of it that names the rank.
class DeviceFailure : public std::runtime_error {
 public:
  DeviceFailure(std::string device, const std::string& what)
      : std::runtime_error(what), device_(std::move(device)) {}
  [[nodiscard]] const std::string& device() const { return device_; }

 private:
  std::string device_;
};

/// Arithmetic of matrix products.
enum class Precision : std::int32_t {
  kFp32 = PP_PRECISION_FP32,
  kBf16 = PP_PRECISION_BF16,  ///< operands rounded to bf16, products added up in f32
  /// Operands may be rounded to TF32, 10 bits of mantissa. Who launches an op on a device without
  /// it gets kFp32: what was trained in TF32 is evaluated anywhere.
  kTf32 = PP_PRECISION_TF32,
};

/// An op as a device is asked for it: the offset of its slot in PpOps, what it is called, and the
/// columns of the rows that it goes through.
struct OpRequest {
  std::uint64_t slot;
  const char* name;
  std::int64_t columns = 1;
  Precision precision = Precision::kFp32;
};
/// OpRequest of an op by its name in PpOps: PARAPET_OP(matmul), units, precision.
#define PARAPET_OP(op) offsetof(PpOps, op), #op

/// A computing device: a cheap handle to a backend's table and an index within it. Logical devices
/// ("cpu:0", "cpu:1") share one backend and, on the CPU, one memory space.
class Device {
 public:
  /// `instructionSet` belongs to the backend and lives as long as it.
  Device(std::string name, const PpDevice& backend, std::int32_t index,
         std::string_view instructionSet)
      : name_(std::move(name)),
        backend_(&backend),
        index_(index),
        instructionSet_(instructionSet) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const PpDevice& backend() const { return *backend_; }
  [[nodiscard]] const PpOps& ops() const { return *backend_->ops; }
  [[nodiscard]] std::int32_t index() const { return index_; }
  /// Whether its memory is host memory, which all code may read and write.
  [[nodiscard]] bool isHost() const { return backend_->memoryKind == PP_MEMORY_HOST; }
  /// The stream on which the ops and copies of this device run one after the other.
  [[nodiscard]] void* stream() const { return backend_->stream(index_); }

  /// A handle of the device whose allocations stay within a limit.
  [[nodiscard]] Device within(std::shared_ptr<MemoryLimit> limit) const {
    Device limited = *this;
    limited.limit_ = std::move(limit);
    return limited;
  }
  /// A handle of the device for a dry run: memory allocated on it, and on the host for it, is
  /// counted by a limit of a dry run, and nobody may read or write it.
  [[nodiscard]] Device dry(std::shared_ptr<MemoryLimit> count) const;
  [[nodiscard]] bool isDry() const { return limit_ && limit_->isDry(); }
  /// The handle of the device for a process that cannot reach it: it has a name, and no memory can
  /// be taken on it.
  [[nodiscard]] Device elsewhere() const {
    Device far = *this;
    far.isElsewhere_ = true;
    return far;
  }
  [[nodiscard]] bool isElsewhere() const { return isElsewhere_; }
  /// Null if what it may hold is what it has.
  [[nodiscard]] const std::shared_ptr<MemoryLimit>& memoryLimit() const { return limit_; }
  /// Some of its memory, 64-byte aligned. InternalError if there is no room within its limit, or on
  /// it.
  [[nodiscard]] void* allocate(std::uint64_t bytes) const;
  /// Gives back memory that allocate() gave for so many bytes.
  void release(void* memory, std::uint64_t bytes) const;

  /// To its memory; `in` may be changed afterwards. DeviceFailure if it refuses.
  void copyIn(void* out, const void* in, std::uint64_t bytes) const;
  /// From its memory, after all that it was asked to do before. DeviceFailure if it refuses, or if
  /// that is not done within waitLimit().
  void copyOut(void* out, const void* in, std::uint64_t bytes) const;
  /// Whether it has an op. Asked before a plan is made.
  [[nodiscard]] bool supports(const OpRequest& op) const;
  /// "portable", "x86-64-v3": results are the same bits only within one.
  [[nodiscard]] std::string_view instructionSet() const { return instructionSet_; }

 private:
  std::string name_;
  const PpDevice* backend_;
  std::int32_t index_;
  std::string_view instructionSet_;
  std::shared_ptr<MemoryLimit> limit_;
  std::shared_ptr<const Device> host_;  // of a dry run, where the host cannot read its memory
  bool isElsewhere_ = false;

  friend const Device& hostFor(const Device& device);
};

class Recording;

/// Where and with what an op runs. `workers` null: on the calling thread alone, which is what ops
/// inside a rank's segment do when several ranks run at once. `recording` null: at once.
struct Launch {
  const Device* device = nullptr;
  Workers* workers = nullptr;
  Precision precision = Precision::kFp32;
  Recording* recording = nullptr;
};

/// A device, or a plugin that gives none, as it was found at start, for the user to read.
struct BackendOutcome {
  /// The name by which find() knows the device ("cpu:0"); of a plugin without a device, the name of
  /// its file.
  std::string name;
  std::string kind;            ///< "cpu"; "" if unknown
  std::string plugin;          ///< "built in", the plugin's file, or "" if there is none
  std::string instructionSet;  ///< "" if unknown
  PluginOutcome outcome = PluginOutcome::kLoaded;
  std::string reason;             ///< why it is not in use; "" if it is
  std::uint64_t memoryBytes = 0;  ///< 0: unknown
};

/// The devices of this process. One backend of each kind is in use: for the CPU the best one that
/// works here, or the one that PARAPET_CPU_BACKEND names. Should that one not be here, no CPU
/// device is: results depend on the instruction set, so no other replaces it.
class DeviceRegistry {
 public:
  /// The registry of this process; plugins are tried at first use.
  static const DeviceRegistry& instance();
  explicit DeviceRegistry(const BackendSearch& search);

  /// The device for a rank's name ("cpu:3"), or a backend by its instruction set ("cpu:portable");
  /// nullopt if there is none here.
  [[nodiscard]] std::optional<Device> find(std::string_view name) const;
  /// One device of every backend that works here, in use or not: what a self-test goes through.
  [[nodiscard]] std::vector<Device> variants() const;
  [[nodiscard]] const std::vector<BackendOutcome>& outcomes() const { return outcomes_; }

 private:
  struct Variant {
    Backend backend;
    bool chosen;
  };
  void choose(std::vector<Backend> usable, const std::string& pinnedCpu);
  void list(const Variant& variant);
  void list(const RefusedPlugin& refused);
  void refusePin(const std::string& pinnedCpu);
  [[nodiscard]] std::string nameOf(const Variant& variant) const;

  std::vector<Variant> variants_;
  std::vector<BackendOutcome> outcomes_;
};

/// The CPU backend in use, for work that belongs to no mesh; the linked-in one if the registry has
/// none.
const Device& cpuDevice();

/// A CPU device on the linked-in backend, for code and tests that need no registry.
const Device& hostDevice();

/// The device that prepares data on the host for another one: itself where the host reads its
/// memory, else the CPU backend in use.
const Device& hostFor(const Device& device);

}  // namespace parapet::tensor
