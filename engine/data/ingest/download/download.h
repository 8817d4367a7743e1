// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/download/checksum.h"

namespace parapet::data {

struct DownloadRequest {
  std::string url;  ///< http:// or https://
  std::filesystem::path target;
  std::optional<Checksum> checksum{};
  std::uint64_t maxBytes = std::uint64_t{20} << 30;  ///< of the whole file
  int connectTimeoutMs = 30'000;
  int stallMs = 30'000;  ///< without a byte, after which the transfer is given up
  /// A transfer that brings less, on average over each `slowMs`, is given up.
  std::uint64_t minBytesPerSecond = 1024;
  int slowMs = 60'000;
};

struct DownloadReport {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  double seconds = 0.0;
  std::uint64_t resumedFrom = 0;     ///< bytes that an earlier download had left; 0: none were used
  Checksum checksum;                 ///< of the file: of the kind asked for, else SHA-256
  bool verified = false;             ///< held against a checksum that was given
  bool alreadyThere = false;         ///< the target was there with the right checksum
  std::vector<std::string> notes{};  ///< what went otherwise than hoped, such as a new start
};

/// Downloads a file. Until length and checksum are right it is `<target>.part`; what an interrupted
/// download leaves there is continued by the next one, unless the server's file has changed since.
/// Follows up to 10 redirects, never from https to http. Progress in bytes, stages "downloading"
/// and "checking".
///
/// Errors   kInvalidDocument: no address to download from. kPeer: the server or the way to it.
///          kData: too large, wrong checksum (the part is removed). kIo: disk, or the target is
///          there already as another file. kCancelled; the part stays.
/// Thread   any; blocks. InvalidArgument for an empty target or times below 1.
Result<DownloadReport> download(const DownloadRequest& request, const WorkContext& context = {});

/// Where downloads of a workspace lie unless told otherwise.
std::filesystem::path downloadsFolder(const std::filesystem::path& workspaceFolder);

}  // namespace parapet::data
