// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/log.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/wait_limit.h"
#include "engine/tensor/backend_probe.h"
#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor {
namespace {

constexpr std::string_view kCpu = "cpu";

/// parapet_cuda_sm90.so → cuda_sm90: how a plugin is called that has not said its name.
std::string nameOfFile(const std::string& file) {
  constexpr std::string_view kPrefix = "parapet_";
  std::string stem = std::filesystem::path(file).stem().string();
  if (stem.starts_with(kPrefix)) stem.erase(0, kPrefix.size());
  return stem.empty() ? file : stem;
}

}  // namespace

Device Device::dry(std::shared_ptr<MemoryLimit> count) const {
  Device counting = within(std::move(count));
  counting.isElsewhere_ = false;
  if (!isHost()) counting.host_ = std::make_shared<Device>(cpuDevice().within(counting.limit_));
  return counting;
}

void* Device::allocate(std::uint64_t bytes) const {
  alignas(64) static std::byte nobodys[64];
  if (isElsewhere_)
    throw InternalError(fmt::format("[tensor.Buffer] {} belongs to another process", name_));
  if (limit_) limit_->take(bytes);
  if (isDry()) return nobodys;
  void* const memory = backend_->allocate(index_, bytes);
  if (memory) return memory;
  if (limit_) limit_->giveBack(bytes);
  // A host cannot say more; a device may know how much is free, and what fits.
  throw InternalError(fmt::format("[tensor.Buffer] {} has no room for {}{}{}", name_,
                                  formatBytes(bytes), isHost() ? "" : ": ",
                                  isHost() ? "" : backend_->lastError()));
}

void Device::release(void* memory, std::uint64_t bytes) const {
  if (!isDry()) backend_->release(index_, memory);
  if (limit_) limit_->giveBack(bytes);
}

void Device::copyIn(void* out, const void* in, std::uint64_t bytes) const {
  if (bytes > 0 && backend_->copyToDevice(stream(), out, in, bytes) != PP_OK)
    throw DeviceFailure(
        name_, fmt::format("[tensor.Device] {} refused a copy: {}", name_, backend_->lastError()));
}

void Device::copyOut(void* out, const void* in, std::uint64_t bytes) const {
  if (bytes == 0) return;
  const std::int32_t code = backend_->wait(stream(), waitLimit().count());
  if (code == PP_TIMED_OUT)
    throw DeviceFailure(name_, fmt::format("[tensor.Device] {} has not answered within {} ms "
                                           "(PARAPET_TIMEOUT_MS)",
                                           name_, waitLimit().count()));
  if (code != PP_OK || backend_->copyToHost(stream(), out, in, bytes) != PP_OK)
    throw DeviceFailure(
        name_, fmt::format("[tensor.Device] {} refused a copy: {}", name_, backend_->lastError()));
}

bool Device::supports(const OpRequest& op) const {
  constexpr std::int64_t kNarrow = 256;
  return backend_->supports(index_, op.slot, static_cast<std::int32_t>(op.precision),
                            op.columns <= kNarrow ? PP_SHAPE_NARROW : PP_SHAPE_WIDE) != 0;
}

DeviceRegistry::DeviceRegistry(const BackendSearch& search) {
  FoundBackends found = findBackends(search);
  choose(std::move(found.usable), search.pinnedCpu);
  for (const Variant& variant : variants_)
    if (variant.chosen) list(variant);
  for (const Variant& variant : variants_)
    if (!variant.chosen) list(variant);
  for (const RefusedPlugin& refused : found.refused) list(refused);
  const auto isPinned = [&](const Variant& variant) {
    return variant.chosen && variant.backend.kind() == kCpu;
  };
  if (std::ranges::none_of(variants_, isPinned)) refusePin(search.pinnedCpu);
  if (std::ranges::find(outcomes_, "cuda", &BackendOutcome::kind) == outcomes_.end())
    outcomes_.push_back({"cuda", "cuda", "", "", PluginOutcome::kNotInstalled,
                         "no CUDA plugin is installed beside the program; training uses the CPU"});
  for (const BackendOutcome& outcome : outcomes_)
    if (isFault(outcome.outcome))
      log(LogLevel::kWarning, fmt::format("{}: {}: {}", outcome.name,
                                          pluginOutcomeName(outcome.outcome), outcome.reason));
}

const DeviceRegistry& DeviceRegistry::instance() {
  static const DeviceRegistry registry(BackendSearch::fromEnvironment());
  return registry;
}

void DeviceRegistry::choose(std::vector<Backend> usable, const std::string& pinnedCpu) {
  std::vector<std::string> taken;
  for (Backend& backend : usable) {
    const std::string kind(backend.kind());
    const bool wanted = kind != kCpu || pinnedCpu.empty() || backend.instructionSet() == pinnedCpu;
    const bool chosen = wanted && std::ranges::find(taken, kind) == taken.end();
    if (chosen) taken.push_back(kind);
    variants_.push_back({std::move(backend), chosen});
  }
}

std::string DeviceRegistry::nameOf(const Variant& variant) const {
  return variant.chosen
             ? fmt::format("{}:0", variant.backend.kind())
             : fmt::format("{}:{}", variant.backend.kind(), variant.backend.instructionSet());
}

void DeviceRegistry::list(const Variant& variant) {
  const Backend& backend = variant.backend;
  BackendOutcome outcome{nameOf(variant),
                         std::string(backend.kind()),
                         backend.file.empty() ? "built in" : backend.file,
                         std::string(backend.instructionSet()),
                         PluginOutcome::kLoaded,
                         "",
                         backend.memoryBytes.front()};
  if (variant.chosen) {
    for (std::size_t index = 0; index < backend.memoryBytes.size(); ++index) {
      outcome.name = fmt::format("{}:{}", backend.kind(), index);
      outcome.memoryBytes = backend.memoryBytes[index];
      outcome.reason = remarkOn(*backend.plugin, index);
      outcomes_.push_back(outcome);
    }
    return;
  }
  const auto better = std::ranges::find_if(variants_, [&](const Variant& other) {
    return other.chosen && other.backend.kind() == backend.kind();
  });
  outcome.outcome = PluginOutcome::kNotChosen;
  outcome.reason = better == variants_.end()
                       ? "works here; PARAPET_CPU_BACKEND asks for another"
                       : fmt::format("works here; {} is in use", better->backend.instructionSet());
  if (better != variants_.end() && backend.gflops > 0.0 && better->backend.gflops > 0.0)
    outcome.reason += fmt::format(
        ": products at {:.0f} GFLOP/s a thread, here {:.0f}; in bf16 {:.0f}, here {:.0f}",
        better->backend.gflops, backend.gflops, better->backend.bf16Gflops, backend.bf16Gflops);
  outcomes_.push_back(std::move(outcome));
}

void DeviceRegistry::list(const RefusedPlugin& refused) {
  const std::string name = nameOfFile(refused.file);
  const std::size_t kindEnd = name.find('_');
  outcomes_.push_back(
      {name, name.substr(0, kindEnd), refused.file, "", refused.outcome, refused.reason});
}

void DeviceRegistry::refusePin(const std::string& pinnedCpu) {
  std::vector<std::string> accepted;
  for (const Variant& variant : variants_)
    if (variant.backend.kind() == kCpu) accepted.emplace_back(variant.backend.instructionSet());
  outcomes_.insert(
      outcomes_.begin(),
      {"cpu:0", std::string(kCpu), "", "", PluginOutcome::kWrongSetting,
       fmt::format("PARAPET_CPU_BACKEND is \"{}\"{}; accepted here: {}", printable(pinnedCpu),
                   didYouMean(pinnedCpu, accepted), join(accepted))});
}

std::optional<Device> DeviceRegistry::find(std::string_view name) const {
  const std::string_view kind = name.substr(0, name.find(':'));
  const std::string_view rest = kind.size() < name.size() ? name.substr(kind.size() + 1) : "0";
  const auto index = parseInt(rest.substr(0, rest.find('/')));
  for (const auto& [backend, chosen] : variants_) {
    if (kind != backend.kind()) continue;
    const PpDevice& table = *backend.plugin->device;
    if (rest == backend.instructionSet())
      return Device(std::string(name), table, 0, backend.instructionSet());
    // Logical CPU devices share the machine; any number of them can be had.
    const auto devices = table.memoryKind == PP_MEMORY_HOST
                             ? std::numeric_limits<std::int32_t>::max()
                             : static_cast<std::int64_t>(backend.memoryBytes.size());
    if (chosen && index && *index >= 0 && *index < devices)
      return Device(std::string(name), table, static_cast<std::int32_t>(*index),
                    backend.instructionSet());
  }
  return std::nullopt;
}

std::vector<Device> DeviceRegistry::variants() const {
  std::vector<Device> devices;
  for (const Variant& variant : variants_)
    devices.emplace_back(nameOf(variant), *variant.backend.plugin->device, 0,
                         variant.backend.instructionSet());
  return devices;
}

const Device& cpuDevice() {
  static const Device device = DeviceRegistry::instance().find("cpu:0").value_or(hostDevice());
  return device;
}

const Device& hostDevice() {
  static const Device device("cpu:0", cpu::backend(), 0, kPortable);
  return device;
}

const Device& hostFor(const Device& device) {
  if (device.host_) return *device.host_;
  return device.isHost() ? device : cpuDevice();
}

}  // namespace parapet::tensor
