// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/download/known_datasets.h"

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

/// Speed of a transfer and the time it still takes, from its progress reports.
class TransferMeter {
 public:
  /// The first report sets the start: bytes that were there before were not transferred. So does
  /// one that falls back, of a new start or another stage.
  void report(std::int64_t done, std::int64_t total) {
    if (!first_ || done < done_) {
      first_ = done;
      watch_.restart();
    }
    done_ = done;
    total_ = total;
  }
  /// Since the first report; nullopt in its first half second, when it would only jump about.
  [[nodiscard]] std::optional<double> bytesPerSecond() const {
    const double seconds = watch_.seconds();
    if (!first_ || seconds < 0.5) return {};
    return static_cast<double>(done_ - *first_) / seconds;
  }
  /// nullopt while speed or total are not known.
  [[nodiscard]] std::optional<double> secondsLeft() const {
    const auto speed = bytesPerSecond();
    if (!speed || *speed <= 0.0 || total_ <= 0) return {};
    return static_cast<double>(total_ - done_) / *speed;
  }

 private:
  std::optional<std::int64_t> first_;
  std::int64_t done_ = 0, total_ = 0;
  Stopwatch watch_;
};

}  // namespace parapet::data
