// SPDX-License-Identifier: Apache-2.0
#include "app/cli/document_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "app/cli/interrupts.h"
#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

// A document is written by a person or a program for one; endless devices are not.
constexpr std::size_t kMaxBytes = 16 << 20;
constexpr double kMaxSilenceSeconds = 10.0;
constexpr int kLookMs = 100;

/// A descriptor that closes with it.
struct Descriptor {
  int fd;
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// A pipe that this process already has is taken as it is: opened anew, it no longer shows that its
// writer has gone. What is opened must not wait for a writer.
int open(std::string_view path) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder))
      if (const auto number = parseInt(path.substr(folder.size())))
        return ::fcntl(static_cast<int>(*number), F_DUPFD_CLOEXEC, 0);
  if (path == "/dev/stdin") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(std::string(path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

Error refused(const std::string& path, std::string what) {
  Error error{ErrorCode::kInvalidDocument, fmt::format("{}: {}", path, what)};
  error.path = path;
  return error;
}

}  // namespace

Result<std::string> readDocumentFile(const std::string& path) {
  const Descriptor file(open(path));
  if (file.fd < 0) return ioError("open", path, errno);
  std::string text;
  std::array<char, 65536> chunk;
  for (Stopwatch silence;;) {
    if (stopRequested())
      return Error{ErrorCode::kCancelled, fmt::format("{} was not read to its end", path)};
    pollfd end{file.fd, POLLIN, 0};
    if (::poll(&end, 1, kLookMs) <= 0) {
      if (silence.seconds() > kMaxSilenceSeconds)
        return refused(path, fmt::format("nothing arrived for {}; accepted: a file, or a pipe that "
                                         "a program writes a document to",
                                         formatDuration(kMaxSilenceSeconds)));
      continue;
    }
    const ssize_t count = ::read(file.fd, chunk.data(), chunk.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return ioError("read", path, errno);
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxBytes)
      return refused(path, fmt::format("larger than {}; accepted: an experiment document",
                                       formatBytes(kMaxBytes)));
    silence.restart();
  }
}

}  // namespace parapet::cli
