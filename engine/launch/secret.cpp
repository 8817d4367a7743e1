// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::launch {
namespace {

int hexDigit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

Error wrongSecret(std::string what, const std::filesystem::path& file = {}) {
  return {ErrorCode::kInvalidDocument, "launch: " + std::move(what), "", file.string()};
}

}  // namespace

Result<Secret> parseSecret(std::string_view text, const std::string& where) {
  const std::string digits = toLowerAscii(trim(text));
  Secret secret{};
  bool isGood = digits.size() == 2 * kSecretBytes;
  for (std::size_t i = 0; isGood && i < kSecretBytes; ++i) {
    const int high = hexDigit(digits[2 * i]), low = hexDigit(digits[2 * i + 1]);
    isGood = high >= 0 && low >= 0;
    secret[i] = static_cast<unsigned char>(high * 16 + low);
  }
  if (!isGood)
    return wrongSecret(
        fmt::format("{} is no secret; accepted: {} hex digits", where, 2 * kSecretBytes));
  return secret;
}

// The file that is checked is the file that is read: one descriptor.
Result<Secret> readSecret(const std::filesystem::path& file) {
  if (file.empty()) {
    if (const char* const text = std::getenv("PARAPET_SECRET"))
      return parseSecret(text, "PARAPET_SECRET");
    return wrongSecret(
        fmt::format("no secret is given; accepted: --secret FILE, a file of {} hex "
                    "digits with the mode 0600, or the digits in PARAPET_SECRET",
                    2 * kSecretBytes));
  }
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return ioError("open", file, errno);
  struct stat about {};
  std::array<char, 256> bytes{};
  const bool isKnown = ::fstat(descriptor, &about) == 0;
  const ssize_t count = isKnown ? ::read(descriptor, bytes.data(), bytes.size()) : -1;
  const int reason = errno;
  ::close(descriptor);
  if (count < 0) return ioError("read", file, reason);
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid())
    return wrongSecret(file.string() + " is no file of this user", file);
  if ((about.st_mode & 077) != 0)
    return wrongSecret(fmt::format("others may read {} (mode {:04o}); 0600 is accepted",
                                   file.string(), about.st_mode & 07777),
                       file);
  return parseSecret({bytes.data(), static_cast<std::size_t>(count)}, file.string());
}

Result<std::string> randomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    return Error{ErrorCode::kIo, "launch: the system gives no random bytes"};
  return bytes;
}

Result<std::string> newSecret() {
  PARAPET_ASSIGN(const std::string bytes, randomBytes(kSecretBytes));
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string hmac(std::string_view key, std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) joined += part;
  std::string mac(kMacBytes, '\0');
  unsigned int size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
            reinterpret_cast<const unsigned char*>(joined.data()), joined.size(),
            reinterpret_cast<unsigned char*>(mac.data()), &size) ||
      size != kMacBytes)
    throw InternalError("launch: HMAC-SHA256 failed");
  return mac;
}

bool isSame(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace parapet::launch
