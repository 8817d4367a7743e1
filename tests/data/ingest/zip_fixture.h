// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zip.h>

#include <QtGlobal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace parapet::data {

/// A member of an archive that a test writes: its name and what it holds.
using ZipMember = std::pair<std::string, std::string>;

/// Writes an archive; `change` is called with the archive and the index of every member.
template <class Change>
void writeZip(const std::filesystem::path& path, const std::vector<ZipMember>& members,
              const Change& change) {
  int error = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (archive == nullptr) qFatal("cannot create %s", path.c_str());
  for (const auto& [name, content] : members) {
    zip_source_t* const source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    change(archive, static_cast<zip_uint64_t>(index));
  }
  if (zip_close(archive) != 0) qFatal("cannot write %s", path.c_str());
}

inline void writeZip(const std::filesystem::path& path, const std::vector<ZipMember>& members) {
  writeZip(path, members, [](zip_t*, zip_uint64_t) {});
}

inline std::string readBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace parapet::data
