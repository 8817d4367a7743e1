// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/gzip_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "engine/base/file_ranges.h"

namespace parapet::data {
namespace {

constexpr std::size_t kPackedBlockBytes = 1 << 20;
constexpr int kGzipOnly = 15 + 16;  // the largest window, gzip headers alone

class GzipStream final : public ByteStream {
 public:
  GzipStream(FileReader file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)), block_(kPackedBlockBytes, '\0') {
    if (inflateInit2(&state_, kGzipOnly) != Z_OK)
      throw InternalError("zlib cannot start to unpack");
  }
  ~GzipStream() override { inflateEnd(&state_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(into.size());
    while (state_.avail_out > 0 && !(betweenFiles_ && done() == total())) PARAPET_TRY(step());
    return into.size() - state_.avail_out;
  }
  [[nodiscard]] std::int64_t done() const override {
    return static_cast<std::int64_t>(read_) - std::ssize(rest_);
  }
  [[nodiscard]] std::int64_t total() const override {
    return static_cast<std::int64_t>(file_.size());
  }

 private:
  Status step() {
    if (betweenFiles_ && inflateReset(&state_) != Z_OK)
      throw InternalError("zlib cannot start again");
    betweenFiles_ = false;
    if (rest_.empty()) PARAPET_TRY(fetch());
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    state_.avail_in = static_cast<uInt>(rest_.size());
    const int outcome = inflate(&state_, Z_NO_FLUSH);
    rest_.remove_prefix(rest_.size() - state_.avail_in);
    if (outcome == Z_STREAM_END) {
      betweenFiles_ = true;
      return {};
    }
    if (outcome == Z_OK && (done() < total() || state_.avail_out == 0)) return {};
    if (outcome == Z_OK || outcome == Z_BUF_ERROR)
      return damaged("it ends in the middle; is it truncated?");
    return damaged(state_.msg ? state_.msg : "zlib refuses it");
  }
  // The next packed bytes; none at the end.
  Status fetch() {
    const std::uint64_t count = std::min<std::uint64_t>(file_.size() - read_, block_.size());
    rest_ = std::string_view(block_).substr(0, count);
    PARAPET_TRY(file_.read(read_, std::as_writable_bytes(std::span(block_).first(count))));
    read_ += count;
    return {};
  }
  [[nodiscard]] Error damaged(std::string_view what) const {
    return Error{
        ErrorCode::kData,
        fmt::format("cannot unpack {} at byte {} of {}: {}", path_.string(), done(), total(), what),
        "", path_.string()};
  }

  FileReader file_;
  std::filesystem::path path_;
  std::string block_;        // packed bytes
  std::string_view rest_{};  // of them, not yet unpacked
  std::uint64_t read_ = 0;   // bytes of the file
  z_stream state_{};
  bool betweenFiles_ = true;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> openGzip(const std::filesystem::path& path) {
  PARAPET_ASSIGN(FileReader file, FileReader::open(path));
  return std::unique_ptr<ByteStream>(new GzipStream(std::move(file), path));
}

}  // namespace parapet::data
