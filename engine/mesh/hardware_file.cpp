// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "engine/base/record/record.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/mesh/device_profile.h"

namespace parapet::mesh {

using namespace record;

namespace {

// The file as plain structs.

struct DeviceGroup {
  std::string name;  ///< "" for the usual one of its kind
  std::string kind;
  std::int64_t count = 1;
};
struct HostGroup {
  std::string name = "host";
  std::int64_t count = 1;
  std::vector<DeviceGroup> devices;
};
struct Links {
  // NVLink of an H100 (450 GB/s each way) and one 400 Gbit/s adapter for each GPU, as in a DGX
  // H100; the times are guesses.
  Link withinHost{450e9, 1e-5};
  Link betweenHosts{50e9, 3e-5};
};
struct MeshOfFile {
  std::vector<std::int64_t> shape;
  std::vector<std::string> axes;
};
struct HardwareFile {
  std::vector<DeviceProfile> kinds;
  std::vector<HostGroup> hosts;
  Links links;
  std::optional<MeshOfFile> mesh;
};

Codec<double> positive() {
  return number({.min = 0.0, .minExcluded = true});
}
Codec<double> seconds() {
  return number({.min = 0.0, .max = 1.0});
}
Codec<std::int64_t> count(std::int64_t most) {
  return integer({.min = 1, .max = most});
}
Codec<std::int64_t> bytes() {
  return integer({.min = 0, .max = std::int64_t{1} << 60});
}

}  // namespace

const Record<RowRate>& describe(Type<RowRate>) {
  static const auto record =
      Record<RowRate>()
          .field("seconds_per_row", &RowRate::secondsPerRow, seconds(), "Time of a row.")
          .field("bytes_per_second", &RowRate::bytesPerSecond, positive(), "And of its bytes.");
  return record;
}

const Record<PairRate>& describe(Type<PairRate>) {
  static const auto record =
      Record<PairRate>()
          .field("seconds_per_pair", &PairRate::secondsPerPair, seconds(), "Time of a pair.")
          .field("flops_per_second", &PairRate::flopsPerSecond, positive(), "And of its products.");
  return record;
}

const Record<DeviceProfile>& describe(Type<DeviceProfile>) {
  static const auto record = [] {
    std::vector<std::string> known;
    for (const DeviceProfile& profile : knownProfiles()) known.push_back(profile.kind);
    return Record<DeviceProfile>()
        .selector("like", &DeviceProfile::like, word(known), "Where its other figures come from.")
        .required()
        .defaults([](DeviceProfile& profile) {
          const DeviceProfile* base = findProfile(profile.like);
          if (base == nullptr) return;
          const std::string like = profile.like;
          profile = *base;
          profile.like = like;
        })
        .field("kind", &DeviceProfile::kind, text(), "Its name.")
        .required()
        .field("source", &DeviceProfile::source, text(), "Where the figures are from.")
        .field("memory_bytes", &DeviceProfile::memoryBytes, bytes(), "Memory of a device.")
        .field("shares_memory", &DeviceProfile::sharesMemory, boolean(),
               "Devices of a host share one memory.")
        .field("stream_bytes_per_second", &DeviceProfile::streamBytesPerSecond, positive(),
               "Bytes read and written in order.")
        .field("lookup", &DeviceProfile::lookup, object<RowRate>(), "Rows read in random order.")
        .field("update", &DeviceProfile::update, object<RowRate>(), "Rows updated with slots.")
        .field("cache_bytes", &DeviceProfile::cacheBytes, bytes(), "Tables up to this are cached.")
        .field("cached_lookup", &DeviceProfile::cachedLookup, object<RowRate>(), "Of such tables.")
        .field("cached_update", &DeviceProfile::cachedUpdate, object<RowRate>(), "Of such tables.")
        .field("group_seconds_per_id", &DeviceProfile::groupSecondsPerId, seconds(),
               "Of finding equal ids.")
        .field("flops_per_second", &DeviceProfile::flopsPerSecond, positive(),
               "Of matrix products.")
        .field("pairs", &DeviceProfile::pairs, object<PairRate>(), "Pairs of in-batch losses.")
        .field("node_seconds", &DeviceProfile::nodeSeconds, seconds(), "Least time of one op.")
        .field("step_seconds", &DeviceProfile::stepSeconds, seconds(), "Of a step besides ops.");
  }();
  return record;
}

const Record<Link>& describe(Type<Link>) {
  static const auto record =
      Record<Link>()
          .field("bytes_per_second", &Link::bytesPerSecond, positive(), "Of a device, each way.")
          .field("latency_seconds", &Link::latencySeconds, seconds(), "Of one collective.");
  return record;
}

namespace {

const Record<DeviceGroup>& describe(Type<DeviceGroup>) {
  static const auto record =
      Record<DeviceGroup>()
          .field("kind", &DeviceGroup::kind, text(), "A kind of this file or a known one.")
          .required()
          .field("name", &DeviceGroup::name, text(), "Its devices are name:0, name:1, …")
          .field("count", &DeviceGroup::count, count(experiment::kMaxDevices), "How many.");
  return record;
}

const Record<HostGroup>& describe(Type<HostGroup>) {
  static const auto record =
      Record<HostGroup>()
          .field("name", &HostGroup::name, text(), "Several hosts are name0, name1, …")
          .field("count", &HostGroup::count, count(experiment::kMaxDevices), "How many.")
          .field("devices", &HostGroup::devices, list(object<DeviceGroup>(), 1), "Of each host.")
          .required();
  return record;
}

const Record<Links>& describe(Type<Links>) {
  static const auto record =
      Record<Links>()
          .field("within_host", &Links::withinHost, object<Link>(), "Between its devices.")
          .field("between_hosts", &Links::betweenHosts, object<Link>(), "For each device.");
  return record;
}

const Record<MeshOfFile>& describe(Type<MeshOfFile>) {
  static const auto record = Record<MeshOfFile>()
                                 .field("shape", &MeshOfFile::shape,
                                        list(count(experiment::kMaxDevices), 1), "Of the mesh.")
                                 .required()
                                 .field("axes", &MeshOfFile::axes, list(text(), 1), "Its names.")
                                 .required();
  return record;
}

const Record<HardwareFile>& describe(Type<HardwareFile>) {
  static const auto record =
      Record<HardwareFile>()
          .field("hosts", &HardwareFile::hosts, list(object<HostGroup>(), 1), "Where devices are.")
          .required()
          .field("kinds", &HardwareFile::kinds, list(object<DeviceProfile>()), "Of devices.")
          .field("links", &HardwareFile::links, object<Links>(), "Between devices.")
          .field("mesh", &HardwareFile::mesh, optional(object<MeshOfFile>()), "They form.");
  return record;
}

/// Turns groups into devices and memory spaces.
class Assembly {
 public:
  Assembly(const HardwareFile& file, const Location& root) : file_(file), root_(root) {}

  Hardware run() {
    hardware_.withinHost = file_.links.withinHost;
    hardware_.betweenHosts = file_.links.betweenHosts;
    for (std::size_t group = 0; group < file_.hosts.size(); ++group)
      for (std::int64_t i = 0; i < file_.hosts[group].count; ++i)
        if (!addHost(file_.hosts[group], i, root_ / "hosts" / group)) return hardware_;
    checkMesh();
    return hardware_;
  }

 private:
  bool addHost(const HostGroup& host, std::int64_t index, const Location& location) {
    const bool only = file_.hosts.size() == 1 && host.count == 1;
    const std::string name = host.count == 1 ? host.name : fmt::format("{}{}", host.name, index);
    if (!hosts_.insert(name).second) {
      (location / "name").problem(fmt::format("duplicate host \"{}\"", name), "another name");
      return false;
    }
    const std::string prefix = only ? "" : name + "/";
    for (std::size_t group = 0; group < host.devices.size(); ++group)
      if (!addDevices(host.devices[group], prefix, name, location / "devices" / group))
        return false;
    ++host_;
    return true;
  }

  bool addDevices(const DeviceGroup& group, const std::string& prefix, const std::string& host,
                  const Location& location) {
    const DeviceProfile* profile = profileNamed(group.kind);
    if (profile == nullptr) {
      std::vector<std::string> kinds;
      for (const DeviceProfile& kind : file_.kinds) kinds.push_back(kind.kind);
      for (const DeviceProfile& kind : knownProfiles()) kinds.push_back(kind.kind);
      (location / "kind")
          .problem("no kind is named \"" + group.kind + "\"" + didYouMean(group.kind, kinds),
                   "one of: " + parapet::join(kinds));
      return false;
    }
    const std::string name =
        !group.name.empty() ? group.name : std::string(profile->sharesMemory ? "cpu" : "cuda");
    for (std::int64_t i = 0; i < group.count; ++i) {
      const std::string device = fmt::format("{}{}:{}", prefix, name, i);
      if (!names_.insert(device).second) {
        (location / "name").problem(fmt::format("duplicate device \"{}\"", device), "another name");
        return false;
      }
      if (static_cast<std::int64_t>(names_.size()) > experiment::kMaxDevices) {
        (location / "count")
            .problem("too many devices", fmt::format("at most {}", experiment::kMaxDevices));
        return false;
      }
      if (i == 0 || !profile->sharesMemory)
        hardware_.spaces.push_back(
            {profile->sharesMemory ? host + " memory" : device, host_, *profile});
      hardware_.devices.push_back({device, static_cast<int>(hardware_.spaces.size()) - 1});
    }
    return true;
  }

  [[nodiscard]] const DeviceProfile* profileNamed(const std::string& kind) const {
    const auto own = std::ranges::find(file_.kinds, kind, &DeviceProfile::kind);
    return own != file_.kinds.end() ? &*own : findProfile(kind);
  }

  void checkMesh() {
    if (!file_.mesh) return;
    const Location location = root_ / "mesh";
    std::int64_t product = 1;
    for (const std::int64_t extent : file_.mesh->shape)
      product = std::min(product * extent, experiment::kMaxDevices + 1);
    if (product != static_cast<std::int64_t>(hardware_.devices.size()))
      (location / "shape")
          .problem(fmt::format("it holds {} devices and the hosts have {}", product,
                               hardware_.devices.size()),
                   "extents whose product is the number of devices");
    if (file_.mesh->axes.size() != file_.mesh->shape.size())
      (location / "axes")
          .problem(fmt::format("{} names for {} dimensions", file_.mesh->axes.size(),
                               file_.mesh->shape.size()),
                   "a name for each dimension");
    hardware_.shape = file_.mesh->shape;
    hardware_.axes = file_.mesh->axes;
  }

  const HardwareFile& file_;
  const Location& root_;
  Hardware hardware_;
  std::set<std::string> names_, hosts_;
  int host_ = 0;
};

}  // namespace

namespace {

Error firstOf(const Findings& findings, const std::string& path) {
  const Problem& first = findings.problems.front();
  return {ErrorCode::kInvalidDocument,
          fmt::format("{}: {}; accepted: {}", path, first.message, first.accepted), first.pointer,
          path};
}

}  // namespace

nlohmann::ordered_json profileToJson(const DeviceProfile& profile) {
  DeviceProfile named = profile;
  if (named.like.empty()) named.like = knownProfiles().front().kind;
  return recordOf<DeviceProfile>().write(named);
}

Result<DeviceProfile> profileFromJson(const nlohmann::json& json, const std::string& path) {
  Findings findings;
  DeviceProfile profile;
  recordOf<DeviceProfile>().read(json, profile, Location("", findings));
  if (!findings.problems.empty()) return firstOf(findings, path);
  return profile;
}

Result<Hardware> parseHardware(std::string_view text, const std::string& path) {
  PARAPET_ASSIGN(const nlohmann::json json, parseJson(text, path));
  Findings findings;
  const Location root("", findings);
  HardwareFile file;
  recordOf<HardwareFile>().read(json, file, root);
  Hardware hardware;
  if (findings.problems.empty()) hardware = Assembly(file, root).run();
  if (!findings.problems.empty()) return firstOf(findings, path);
  return hardware;
}

}  // namespace parapet::mesh
