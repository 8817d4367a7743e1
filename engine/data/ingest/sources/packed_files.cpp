// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/packed_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::size_t kPackedBlockBytes = 1 << 20;
constexpr int kGzipOnly = 15 + 16;  // the largest window, gzip headers alone
// The largest window of unpacking: as much as `zstd` itself without --long, all levels.
constexpr int kMaxWindowLog = 27;

class FileStream final : public ByteStream {
 public:
  explicit FileStream(FileReader file) : file_(std::move(file)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), file_.size() - position_));
    PARAPET_TRY(file_.read(position_, std::as_writable_bytes(into.first(count))));
    position_ += count;
    return count;
  }
  [[nodiscard]] std::int64_t done() const override { return static_cast<std::int64_t>(position_); }
  [[nodiscard]] std::int64_t total() const override {
    return static_cast<std::int64_t>(file_.size());
  }

 private:
  FileReader file_;
  std::uint64_t position_ = 0;
};

// The bytes of a packed file, block after block, and what unpackers have in common: several files
// after each other are one, which ends where one of them ends with the bytes.
class PackedStream : public ByteStream {
 public:
  Result<std::size_t> read(std::span<char> into) override {
    std::size_t filled = 0;
    while (filled < into.size() && !(betweenFiles_ && done() == total())) {
      betweenFiles_ = false;
      if (rest_.empty()) PARAPET_TRY(fetch());
      const bool atEnd = done() + std::ssize(rest_) == total();
      PARAPET_ASSIGN(const Unpacked step, unpack(rest_, into.subspan(filled)));
      rest_.remove_prefix(step.taken);
      filled += step.made;
      betweenFiles_ = step.endsFile;
      if (!step.endsFile && atEnd && rest_.empty() && filled < into.size())
        return damaged("it ends in the middle; is it truncated?");
    }
    return filled;
  }
  [[nodiscard]] std::int64_t done() const override {
    return static_cast<std::int64_t>(read_) - std::ssize(rest_);
  }
  [[nodiscard]] std::int64_t total() const override {
    return static_cast<std::int64_t>(file_.size());
  }

 protected:
  struct Unpacked {
    std::size_t taken = 0, made = 0;  // bytes
    bool endsFile = false;
  };

  PackedStream(FileReader file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)), block_(kPackedBlockBytes, '\0') {}
  // Unpacks until one of the two is used up, or a file ends.
  virtual Result<Unpacked> unpack(std::string_view packed, std::span<char> into) = 0;
  [[nodiscard]] Error damaged(std::string_view what) const {
    return Error{
        ErrorCode::kData,
        fmt::format("cannot unpack {} at byte {} of {}: {}", path_.string(), done(), total(), what),
        "", path_.string()};
  }

 private:
  // The next packed bytes; none at the end.
  Status fetch() {
    const std::uint64_t count = std::min<std::uint64_t>(file_.size() - read_, block_.size());
    rest_ = std::string_view(block_).substr(0, count);
    PARAPET_TRY(file_.read(read_, std::as_writable_bytes(std::span(block_).first(count))));
    read_ += count;
    return {};
  }

  FileReader file_;
  std::filesystem::path path_;
  std::string block_;        // packed bytes
  std::string_view rest_{};  // of them, not yet unpacked
  std::uint64_t read_ = 0;   // bytes of the file
  bool betweenFiles_ = true;
};

class GzipStream final : public PackedStream {
 public:
  GzipStream(FileReader file, std::filesystem::path path)
      : PackedStream(std::move(file), std::move(path)) {
    if (inflateInit2(&state_, kGzipOnly) != Z_OK)
      throw InternalError("zlib cannot start to unpack");
  }
  ~GzipStream() override { inflateEnd(&state_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

 private:
  Result<Unpacked> unpack(std::string_view packed, std::span<char> into) override {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    state_.avail_in = static_cast<uInt>(packed.size());
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(into.size());
    const int outcome = inflate(&state_, Z_NO_FLUSH);
    // Z_BUF_ERROR: nothing to do with what is there.
    if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
      return damaged(state_.msg ? state_.msg : "zlib refuses it");
    if (outcome == Z_STREAM_END && inflateReset(&state_) != Z_OK)
      throw InternalError("zlib cannot start again");
    return Unpacked{.taken = packed.size() - state_.avail_in,
                    .made = into.size() - state_.avail_out,
                    .endsFile = outcome == Z_STREAM_END};
  }

  z_stream state_{};
};

class ZstdStream final : public PackedStream {
 public:
  ZstdStream(FileReader file, std::filesystem::path path)
      : PackedStream(std::move(file), std::move(path)), state_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!state_ ||
        ZSTD_isError(ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kMaxWindowLog)))
      throw InternalError("zstd cannot start to unpack");
  }

 private:
  Result<Unpacked> unpack(std::string_view packed, std::span<char> into) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t outcome = ZSTD_decompressStream(state_.get(), &out, &in);
    if (ZSTD_getErrorCode(outcome) == ZSTD_error_frameParameter_windowTooLarge)
      return damaged(
          fmt::format("it needs more than {} MiB of memory; a file that was packed "
                      "without `--long` above {} is accepted",
                      1 << (kMaxWindowLog - 20), kMaxWindowLog));
    if (ZSTD_isError(outcome)) return damaged(toLowerAscii(ZSTD_getErrorName(outcome)));
    return Unpacked{.taken = in.pos, .made = out.pos, .endsFile = outcome == 0};
  }

  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> state_;
};

namespace fs = std::filesystem;

Error dataError(const fs::path& path, std::string_view what) {
  return Error{ErrorCode::kData, fmt::format("{}: {}", path.string(), what), "", path.string()};
}

// Why a name may lead somewhere else than below the archive, on this or another system; "" if not.
std::string reasonAgainstName(std::string_view name) {
  if (name.empty()) return "has no name";
  if (name.starts_with('/') || (name.size() > 1 && name[1] == ':')) return "has an absolute name";
  if (name.find('\\') != std::string_view::npos) return "has a backslash in its name";
  for (const std::string_view part : splitFields(name, '/'))
    if (part == "..") return "has a name that leads out of the archive";
  return {};
}

// Why something that Unix stored is no ordinary file or folder; "" if it is.
std::string reasonAgainstKind(zip_t* archive, std::uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return {};
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return {};
  const auto kind = static_cast<mode_t>(attributes >> 16) & S_IFMT;
  if (kind == 0 || kind == S_IFREG || kind == S_IFDIR) return {};
  return kind == S_IFLNK ? "is a symbolic link" : "is a special file";
}

std::string reasonAgainstSize(std::string_view what, std::uint64_t unpacked, std::uint64_t packed,
                              const ZipLimits& limits) {
  const double ratio =
      static_cast<double>(unpacked) / static_cast<double>(std::max<std::uint64_t>(packed, 1));
  if (unpacked >= limits.ratioFromBytes && ratio > limits.ratio)
    return fmt::format(
        "{} becomes {:.0f} times as large when it is unpacked; at most {:.0f} times "
        "is accepted",
        what, ratio, limits.ratio);
  if (unpacked > limits.unpackedBytes)
    return fmt::format("{} has {} when it is unpacked; at most {} are accepted", what,
                       formatBytes(unpacked), formatBytes(limits.unpackedBytes));
  return {};
}

}  // namespace

Compression compressionOf(std::string_view start) {
  if (start.starts_with("\x1F\x8B")) return Compression::kGzip;
  if (start.starts_with("\x28\xB5\x2F\xFD")) return Compression::kZstd;
  // A frame to be skipped, which pzstd writes before each of its own.
  const bool isSkipped = start.size() > 3 && (start[0] & 0xF0) == 0x50 &&
                         start.substr(1, 3) == std::string_view("\x2A\x4D\x18");
  return isSkipped ? Compression::kZstd : Compression::kNone;
}

Result<Compression> compressionOf(const FileReader& file) {
  std::array<char, 4> start{};
  const auto known = std::span(start).first(std::min<std::size_t>(file.size(), start.size()));
  PARAPET_TRY(file.read(0, std::as_writable_bytes(known)));
  return compressionOf(std::string_view(known.data(), known.size()));
}

std::string unpackedName(std::string_view name) {
  std::string lower = toLowerAscii(name);
  for (const std::string_view ending : {".gz", ".zst"})
    if (lower.ends_with(ending)) return lower.substr(0, lower.size() - ending.size());
  return lower;
}

Result<std::unique_ptr<ByteStream>> openBytes(const std::filesystem::path& path) {
  PARAPET_ASSIGN(FileReader file, FileReader::open(path));
  PARAPET_ASSIGN(const Compression packing, compressionOf(file));
  switch (packing) {
    case Compression::kGzip:
      return std::unique_ptr<ByteStream>(new GzipStream(std::move(file), path));
    case Compression::kZstd:
      return std::unique_ptr<ByteStream>(new ZstdStream(std::move(file), path));
    case Compression::kNone:
      break;
  }
  return std::unique_ptr<ByteStream>(new FileStream(std::move(file)));
}

struct ZipArchive::Handle {
  explicit Handle(zip_t* opened) : archive(opened) {}
  ~Handle() { zip_discard(archive); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  zip_t* archive;
};

class ZipArchive::MemberStream final : public ByteStream {
 public:
  MemberStream(std::shared_ptr<Handle> handle, zip_file_t* file, fs::path path, Member member)
      : handle_(std::move(handle)),
        file_(file),
        path_(std::move(path)),
        member_(std::move(member)) {}
  ~MemberStream() override { zip_fclose(file_); }
  MemberStream(const MemberStream&) = delete;
  MemberStream& operator=(const MemberStream&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const zip_int64_t count = zip_fread(file_, into.data() + filled, into.size() - filled);
      if (count < 0) return damaged(zip_error_strerror(zip_file_get_error(file_)));
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
      done_ += static_cast<std::uint64_t>(count);
      if (done_ > member_.bytes)
        return damaged(
            fmt::format("it holds more than the {} bytes that the archive tells", member_.bytes));
    }
    if (filled == 0 && !into.empty() && done_ != member_.bytes)
      return damaged(fmt::format("it ends after {} of {} bytes", done_, member_.bytes));
    return filled;
  }
  [[nodiscard]] std::int64_t done() const override { return static_cast<std::int64_t>(done_); }
  [[nodiscard]] std::int64_t total() const override {
    return static_cast<std::int64_t>(member_.bytes);
  }

 private:
  [[nodiscard]] Error damaged(std::string_view what) const {
    return dataError(path_,
                     fmt::format("member \"{}\" is damaged: {}", printable(member_.name), what));
  }

  std::shared_ptr<Handle> handle_;
  zip_file_t* file_;
  fs::path path_;
  Member member_;
  std::uint64_t done_ = 0;
};

bool ZipArchive::isZip(const fs::path& path) {
  std::array<char, 4> mark{};
  std::ifstream file(path, std::ios::binary);
  file.read(mark.data(), mark.size());
  const std::string_view found(mark.data(), static_cast<std::size_t>(file.gcount()));
  return found == "PK\x03\x04" || found == "PK\x05\x06";
}

Result<ZipArchive> ZipArchive::open(const fs::path& path, const ZipLimits& limits) {
  int code = 0;
  zip_t* const opened = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (opened == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string reason = toLowerAscii(zip_error_strerror(&error));
    zip_error_fini(&error);
    if (code == ZIP_ER_NOENT)
      return Error{ErrorCode::kNotFound, fmt::format("{} does not exist", path.string()), "",
                   path.string()};
    return dataError(path,
                     fmt::format("cannot be read as a zip archive ({}); is it truncated?", reason));
  }
  ZipArchive archive;
  archive.path_ = path;
  archive.handle_ = std::make_shared<Handle>(opened);
  PARAPET_TRY(archive.list(limits));
  return archive;
}

Status ZipArchive::list(const ZipLimits& limits) {
  zip_t* const archive = handle_->archive;
  std::unordered_set<std::string> names;
  std::uint64_t unpacked = 0, packed = 0;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  for (std::uint64_t index = 0; index < count; ++index) {
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(archive, index, 0, &info) != 0 || info.name == nullptr)
      return dataError(path_, fmt::format("cannot read what member {} is: {}", index + 1,
                                          zip_strerror(archive)));
    const std::string name = info.name;
    const std::string what = fmt::format("member \"{}\"", printable(name));
    std::string reason = reasonAgainstName(name);
    if (reason.empty()) reason = reasonAgainstKind(archive, index);
    if (reason.empty() && (info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
        info.encryption_method != ZIP_EM_NONE)
      reason = "is encrypted";
    if (reason.empty() && !names.insert(name).second) reason = "occurs twice";
    if (!reason.empty())
      return dataError(path_, fmt::format("{} {}; archives of plain files with names of their own "
                                          "are accepted",
                                          what, reason));
    reason = reasonAgainstSize(what, info.size, info.comp_size, limits);
    if (!reason.empty()) return dataError(path_, reason);
    // No overflow: a member is at most as large as the limit.
    unpacked += info.size;
    packed += info.comp_size;
    if (unpacked > limits.unpackedBytes) break;
    if (!name.ends_with('/')) members_.push_back({name, info.size, index});
  }
  // Members may share their packed bytes; the archive itself is what they really take.
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path_, error);
  if (!error) packed = std::min<std::uint64_t>(packed, size);
  const std::string reason = reasonAgainstSize("the archive", unpacked, packed, limits);
  return reason.empty() ? Status{} : dataError(path_, reason);
}

const ZipArchive::Member* ZipArchive::find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [name](const Member& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

Result<std::unique_ptr<ByteStream>> ZipArchive::read(const Member& member) const {
  zip_file_t* const file = zip_fopen_index(handle_->archive, member.index, 0);
  if (file == nullptr)
    return dataError(path_, fmt::format("cannot read member \"{}\": {}", printable(member.name),
                                        zip_strerror(handle_->archive)));
  return std::unique_ptr<ByteStream>(new MemberStream(handle_, file, path_, member));
}

std::string ZipArchive::nameOf(const Member& member) const {
  return (path_ / member.name).string();
}

Status writeZip(const fs::path& path, std::span<const ZipInput> files, const WorkContext& context) {
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, &code);
  if (archive == nullptr) return writeError("create", path, errno);
  const auto failed = [&](const fs::path& at) {
    const std::string reason = zip_strerror(archive);
    zip_discard(archive);
    return Error{ErrorCode::kIo, fmt::format("cannot write {}: {}", at.string(), reason), "",
                 at.string()};
  };
  for (const ZipInput& file : files) {
    zip_source_t* const source = zip_source_file(archive, file.path.c_str(), 0, -1);
    const std::int64_t index =
        source == nullptr ? -1 : zip_file_add(archive, file.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      if (source != nullptr) zip_source_free(source);
      return failed(file.path);
    }
    if (zip_set_file_compression(archive, static_cast<std::uint64_t>(index), ZIP_CM_STORE, 0) != 0)
      return failed(file.path);
  }
  const auto state = const_cast<WorkContext*>(&context);
  constexpr double kEvery = 1e-3;
  zip_register_progress_callback_with_state(
      archive, kEvery,
      [](zip_t*, double share, void* asked) {
        constexpr std::int64_t kParts = 1000;
        static_cast<WorkContext*>(asked)->report("writing the archive",
                                                 static_cast<std::int64_t>(share * kParts), kParts);
      },
      nullptr, state);
  zip_register_cancel_callback_with_state(
      archive,
      [](zip_t*, void* asked) { return static_cast<WorkContext*>(asked)->cancelled() ? 1 : 0; },
      nullptr, state);
  if (zip_close(archive) == 0) return {};
  if (!context.cancelled()) return failed(path);
  zip_discard(archive);
  return Error{ErrorCode::kCancelled, "writing the archive was cancelled"};
}

}  // namespace parapet::data
