// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace parapet::launch::test {

/// A shared disk as POSIX promises it and no better: what a host wrote is seen by all at once, but
/// when the host loses its power, each file, name and rename that it did not sync may be gone, whole
/// or torn, independently of the others. Two levels: folders, and files in them.
class SimulatedDisk {
 public:
  /// Draws a number below the bound.
  using Draw = std::function<std::uint64_t(std::uint64_t)>;
  explicit SimulatedDisk(Draw draw) : draw_(std::move(draw)) {}

  // Each returns what went wrong; empty: nothing.
  std::string makeFolder(int host, const std::string& folder);
  std::string write(int host, const std::filesystem::path& file, const std::string& content);
  std::string syncFile(int host, const std::filesystem::path& file);
  /// Makes the names in a folder durable, or those of the folders.
  std::string syncFolder(int host, const std::string& folder);
  std::string rename(int host, const std::string& from, const std::string& to);

  [[nodiscard]] const std::string* read(const std::string& folder, const std::string& file) const;
  [[nodiscard]] std::set<std::string> folders() const;
  void losePower(int host);

  void setFull(int host, bool isFull);
  /// From now on a sync of this host answers and does nothing.
  void setLying(int host, bool isLying);

  static constexpr const char* kRoot = "/run";

 private:
  struct File {
    std::string content;
    int writer = 0;
    bool isDurable = false;
  };
  struct Name {
    std::shared_ptr<File> file;
    int writer = 0;
    bool isDurable = false;
  };
  struct Folder {
    std::map<std::string, Name> names;
    int writer = 0;
    bool isDurable = false;
    std::string renamedFrom{};  // while the rename is not durable
  };
  Folder* find(const std::string& folder);

  Draw draw_;
  std::map<std::string, Folder> folders_;
  std::set<int> full_, lying_;
};

}  // namespace parapet::launch::test
