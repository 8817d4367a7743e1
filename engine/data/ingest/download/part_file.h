// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/base/files.h"
#include "engine/base/result.h"

namespace parapet::data {

/// The file that a part belongs to, as the server described it.
struct PartOrigin {
  std::string url;                        ///< as requested, before redirects
  std::string etag;                       ///< "" if none was sent
  std::string lastModified;               ///< "" if none was sent
  std::optional<std::uint64_t> length{};  ///< of the whole file

  /// The validator by which the server tells whether its file is still this one: a strong ETag, else
  /// the date; "" if it sent neither, and the part cannot be continued.
  [[nodiscard]] std::string validator() const;
};

/// A download that is not complete: the bytes so far in `<target>.part`, their origin in
/// `<target>.part.json`. The target itself appears by rename, when everything is right. Locked, so
/// that two programs never write one part.
class PartFile {
 public:
  /// Opens the part of `target` or makes an empty one, with the folders it needs.
  ///
  /// Errors   kIo: not writable, a link or another thing that is no regular file, or another
  ///          program is downloading to it.
  static Result<PartFile> open(const std::filesystem::path& target);
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  /// Leaves the part for the next time if it can be continued, removes it otherwise.
  ~PartFile();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const PartOrigin& origin() const { return origin_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool canContinue() const { return size_ > 0 && !origin_.validator().empty(); }

  /// Empties the part and remembers whose bytes will follow.
  Status begin(PartOrigin origin);
  Status append(std::span<const std::byte> bytes);
  /// Removes the part and its origin.
  void discard();
  /// Makes the part the target, durably.
  Status finish();

 private:
  PartFile(int descriptor, std::filesystem::path target, NewFolders folders);

  NewFolders folders_;
  int descriptor_ = -1;
  std::filesystem::path target_, path_, originPath_;
  std::uint64_t size_ = 0;
  PartOrigin origin_;
};

/// Bytes of `target` that an interrupted download has left; 0 if there is nothing to continue.
std::uint64_t partialBytes(const std::filesystem::path& target);

}  // namespace parapet::data
