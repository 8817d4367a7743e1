// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/gzip_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>

#include "engine/base/files.h"

namespace parapet::data {
namespace {

constexpr std::size_t kPackedBlockBytes = 1 << 20;
constexpr int kGzipOnly = 15 + 16;  // the largest window, gzip headers alone

class GzipStream final : public ByteStream {
 public:
  GzipStream(MappedFile file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)), rest_(file_.text()) {
    if (inflateInit2(&state_, kGzipOnly) != Z_OK)
      throw InternalError("zlib cannot start to unpack");
  }
  ~GzipStream() override { inflateEnd(&state_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(into.size());
    while (state_.avail_out > 0 && !(betweenFiles_ && rest_.empty())) PARAPET_TRY(step());
    return into.size() - state_.avail_out;
  }
  [[nodiscard]] std::int64_t done() const override { return total() - std::ssize(rest_); }
  [[nodiscard]] std::int64_t total() const override { return std::ssize(file_.text()); }

 private:
  Status step() {
    if (betweenFiles_ && inflateReset(&state_) != Z_OK)
      throw InternalError("zlib cannot start again");
    betweenFiles_ = false;
    const std::size_t given = std::min(rest_.size(), kPackedBlockBytes);
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    state_.avail_in = static_cast<uInt>(given);
    const int outcome = inflate(&state_, Z_NO_FLUSH);
    rest_.remove_prefix(given - state_.avail_in);
    const auto end = static_cast<std::size_t>(done());
    file_.release(std::exchange(released_, end), end);
    if (outcome == Z_STREAM_END) {
      betweenFiles_ = true;
      return {};
    }
    if (outcome == Z_OK && (!rest_.empty() || state_.avail_out == 0)) return {};
    if (outcome == Z_OK || outcome == Z_BUF_ERROR)
      return damaged("it ends in the middle; is it truncated?");
    return damaged(state_.msg ? state_.msg : "zlib refuses it");
  }
  [[nodiscard]] Error damaged(std::string_view what) const {
    return Error{
        ErrorCode::kData,
        fmt::format("cannot unpack {} at byte {} of {}: {}", path_.string(), done(), total(), what),
        "", path_.string()};
  }

  MappedFile file_;
  std::filesystem::path path_;
  std::string_view rest_;
  std::size_t released_ = 0;
  z_stream state_{};
  bool betweenFiles_ = true;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> openGzip(const std::filesystem::path& path) {
  PARAPET_ASSIGN(MappedFile file, MappedFile::open(path));
  return std::unique_ptr<ByteStream>(new GzipStream(std::move(file), path));
}

}  // namespace parapet::data
