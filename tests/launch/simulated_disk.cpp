// SPDX-License-Identifier: Apache-2.0
#include "tests/launch/simulated_disk.h"

#include <utility>
#include <vector>

namespace parapet::launch::test {

SimulatedDisk::Folder* SimulatedDisk::find(const std::string& folder) {
  const auto found = folders_.find(folder);
  return found == folders_.end() ? nullptr : &found->second;
}

std::string SimulatedDisk::makeFolder(int host, const std::string& folder) {
  if (full_.contains(host)) return "no space left on device";
  folders_.try_emplace(folder, Folder{{}, host, false});
  return {};
}

std::string SimulatedDisk::write(int host, const std::filesystem::path& file,
                                 const std::string& content) {
  Folder* const folder = find(file.parent_path().string());
  if (!folder) return "no such folder: " + file.parent_path().string();
  if (full_.contains(host)) return "no space left on device";
  Name& name = folder->names[file.filename().string()];
  if (!name.file) name = {std::make_shared<File>(), host, false};
  *name.file = {content, host, false};
  return {};
}

std::string SimulatedDisk::syncFile(int host, const std::filesystem::path& file) {
  Folder* const folder = find(file.parent_path().string());
  const auto name =
      folder ? folder->names.find(file.filename().string()) : decltype(folder->names)::iterator{};
  if (!folder || name == folder->names.end()) return "no such file: " + file.string();
  if (!lying_.contains(host)) name->second.file->isDurable = true;
  return {};
}

std::string SimulatedDisk::syncFolder(int host, const std::string& folder) {
  if (folder == kRoot) {
    if (lying_.contains(host)) return {};
    for (auto& [name, each] : folders_)
      if (each.writer == host) each.isDurable = true, each.renamedFrom.clear();
    return {};
  }
  Folder* const found = find(folder);
  if (!found) return "no such folder: " + folder;
  if (lying_.contains(host)) return {};
  for (auto& [name, each] : found->names)
    if (each.writer == host) each.isDurable = true;
  return {};
}

std::string SimulatedDisk::rename(int host, const std::string& from, const std::string& to) {
  if (!find(from)) return "no such folder: " + from;
  if (find(to)) return "folder exists: " + to;
  auto node = folders_.extract(from);
  node.key() = to;
  node.mapped().writer = host;
  node.mapped().isDurable = false;
  node.mapped().renamedFrom = from;
  folders_.insert(std::move(node));
  return {};
}

const std::string* SimulatedDisk::read(const std::string& folder, const std::string& file) const {
  const auto found = folders_.find(folder);
  if (found == folders_.end()) return nullptr;
  const auto name = found->second.names.find(file);
  return name == found->second.names.end() ? nullptr : &name->second.file->content;
}

std::set<std::string> SimulatedDisk::folders() const {
  std::set<std::string> names;
  for (const auto& [name, folder] : folders_) names.insert(name);
  return names;
}

void SimulatedDisk::losePower(int host) {
  std::vector<std::string> renamed, lost;
  for (auto& [path, folder] : folders_) {
    for (auto& [name, each] : folder.names) {
      if (each.file->writer != host || each.file->isDurable) continue;
      const std::size_t size = each.file->content.size();
      if (draw_(2) == 0) each.file->content.resize(draw_(size + 1));  // torn
      each.file->isDurable = true;
    }
    for (auto each = folder.names.begin(); each != folder.names.end();) {
      const bool isLost = each->second.writer == host && !each->second.isDurable && draw_(2) == 0;
      each->second.isDurable = each->second.isDurable || each->second.writer == host;
      each = isLost ? folder.names.erase(each) : std::next(each);
    }
    if (folder.writer != host || folder.isDurable) continue;
    folder.isDurable = true;
    if (draw_(2) == 0) (folder.renamedFrom.empty() ? lost : renamed).push_back(path);
  }
  for (const std::string& path : lost) folders_.erase(path);
  for (const std::string& path : renamed) {
    auto node = folders_.extract(path);
    node.key() = std::exchange(node.mapped().renamedFrom, {});
    folders_.insert(std::move(node));
  }
}

void SimulatedDisk::setFull(int host, bool isFull) {
  isFull ? void(full_.insert(host)) : void(full_.erase(host));
}

void SimulatedDisk::setLying(int host, bool isLying) {
  isLying ? void(lying_.insert(host)) : void(lying_.erase(host));
}

}  // namespace parapet::launch::test
