// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/checksum.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

struct Kind {
  ChecksumKind kind;
  std::string_view name;
  std::size_t digits;
};
constexpr std::array kKinds{Kind{ChecksumKind::kMd5, "md5", 32},
                            Kind{ChecksumKind::kSha256, "sha256", 64}};

/// A streaming digest of OpenSSL.
class Digest {
 public:
  explicit Digest(ChecksumKind kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    ready_ = context_ &&
             EVP_DigestInit_ex(context_.get(),
                               kind == ChecksumKind::kMd5 ? EVP_md5() : EVP_sha256(), nullptr) == 1;
  }
  /// False where this OpenSSL refuses the algorithm, as MD5 in FIPS mode.
  [[nodiscard]] bool ready() const { return ready_; }
  void update(const void* bytes, std::size_t count) {
    EVP_DigestUpdate(context_.get(), bytes, count);
  }
  [[nodiscard]] std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), bytes.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  bool ready_ = false;
};

/// Closes itself.
struct OpenFile {
  int descriptor = -1;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

}  // namespace

std::string Checksum::text() const {
  for (const Kind& known : kKinds)
    if (known.kind == kind) return fmt::format("{}:{}", known.name, hex);
  throw InternalError("[data.Checksum] unknown kind");
}

Result<Checksum> parseChecksum(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string name = toLowerAscii(text.substr(0, colon));
    std::string hex = toLowerAscii(text.substr(colon + 1));
    for (const Kind& known : kKinds)
      if (known.name == name && hex.size() == known.digits &&
          hex.find_first_not_of("0123456789abcdef") == std::string::npos)
        return Checksum{known.kind, std::move(hex)};
  }
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("checksum \"{}\" is none; accepted: md5: and 32 hex digits, or sha256: "
                           "and 64",
                           printable(text, 80))};
}

Result<Checksum> checksumOfFile(const std::filesystem::path& path, ChecksumKind kind,
                                const WorkContext& context) {
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) return ioError("open", path, errno);
  Digest digest(kind);
  if (!digest.ready())
    return Error{ErrorCode::kIo, "this system's OpenSSL refuses the checksum's algorithm"};
  std::error_code unknown;
  const auto total = static_cast<std::int64_t>(std::filesystem::file_size(path, unknown));
  std::vector<std::byte> block(kBlockBytes);
  for (std::int64_t done = 0;;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "checking was stopped"};
    const ssize_t count = ::read(file.descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("read", path, errno);
    if (count == 0) break;
    digest.update(block.data(), static_cast<std::size_t>(count));
    done += count;
    context.report("checking", done, unknown ? 0 : total);
  }
  return Checksum{kind, digest.hex()};
}

}  // namespace parapet::data
