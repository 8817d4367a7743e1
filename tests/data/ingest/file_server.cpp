// SPDX-License-Identifier: Apache-2.0
#include "tests/data/ingest/file_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>

namespace parapet::test {
namespace {

constexpr int kLookMs = 20;
constexpr std::size_t kBlockBytes = 8192;

/// Waits for `events`; false when the server stops or the other side has gone.
bool ready(int socket, short events, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd entry{socket, events, 0};
    if (::poll(&entry, 1, kLookMs) > 0) return (entry.revents & events) != 0;
  }
  return false;
}

bool send(int socket, std::string_view bytes, const std::stop_token& stop) {
  while (!bytes.empty()) {
    if (!ready(socket, POLLOUT, stop)) return false;
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string headerOf(const std::string& request, std::string_view name) {
  const std::size_t at = request.find(fmt::format("\r\n{}: ", name));
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  return request.substr(begin, request.find('\r', begin) - begin);
}

/// First byte that the range asks for, if the server is to honour it.
std::uint64_t offsetOf(const SeenRequest& request, const ServedFile& file) {
  if (!file.ranges || request.range.empty() || request.ifRange != file.etag) return 0;
  constexpr std::string_view kBytes = "bytes=";
  return std::stoull(request.range.substr(kBytes.size()));
}

/// Where the answer that begins at `offset` ends.
std::uint64_t endOf(const ServedFile& file, std::uint64_t offset) {
  const std::uint64_t size = file.body.size();
  return offset > 0 && file.longestRange ? std::min(size, offset + *file.longestRange) : size;
}

std::string headOf(const ServedFile& file, std::uint64_t offset) {
  const std::uint64_t size = file.body.size();
  const std::uint64_t end = std::max(endOf(file, offset), offset);
  std::string head;
  if (offset > 0 && offset >= size)
    return fmt::format("HTTP/1.1 416 Range\r\nContent-Range: bytes */{}\r\n\r\n", size);
  if (offset > 0)
    head =
        "HTTP/1.1 206 Partial\r\nContent-Range: " +
        (file.range.empty() ? fmt::format("bytes {}-{}/{}", offset, end - 1, size) : file.range) +
        "\r\n";
  else
    head = fmt::format("HTTP/1.1 {} Answer\r\n", file.status);
  if (!file.etag.empty()) head += fmt::format("ETag: {}\r\n", file.etag);
  if (!file.location.empty()) head += fmt::format("Location: {}\r\n", file.location);
  if (file.chunked) head += "Transfer-Encoding: chunked\r\n";
  if (!file.chunked && !file.plainEnd)
    head +=
        fmt::format("Content-Length: {}\r\n",
                    file.lengthText.empty() ? std::to_string(file.announced.value_or(end - offset))
                                            : file.lengthText);
  return head + "\r\n";
}

bool sendBody(int socket, const ServedFile& file, std::string_view body,
              const std::stop_token& stop) {
  const std::size_t step = file.dripMs > 0 ? 1 : kBlockBytes;
  do {
    for (std::size_t at = 0; at < body.size(); at += step) {
      const std::string_view block = body.substr(at, step);
      const bool sent = file.chunked
                            ? send(socket, fmt::format("{:x}\r\n{}\r\n", block.size(), block), stop)
                            : send(socket, block, stop);
      if (!sent) return false;
      if (file.dripMs > 0) std::this_thread::sleep_for(std::chrono::milliseconds(file.dripMs));
    }
  } while (file.endless);
  if (file.stall) ready(socket, POLLRDHUP, stop);  // until the other side gives up
  return !file.chunked || file.stopAfter || send(socket, "0\r\n\r\n", stop);
}

}  // namespace

FileServer::FileServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("no socket on 127.0.0.1");
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

FileServer::~FileServer() {
  thread_.request_stop();
  thread_.join();
  ::close(listener_);
}

void FileServer::serve(const std::string& path, ServedFile file) {
  const std::lock_guard lock(mutex_);
  files_[path] = std::move(file);
}

std::string FileServer::url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

std::vector<SeenRequest> FileServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FileServer::run(const std::stop_token& stop) {
  while (ready(listener_, POLLIN, stop)) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection, stop);
    ::shutdown(connection, SHUT_RDWR);
    ::close(connection);
  }
}

void FileServer::answer(int connection, const std::stop_token& stop) {
  std::string text;
  char block[4096];
  while (text.find("\r\n\r\n") == std::string::npos) {
    if (!ready(connection, POLLIN, stop)) return;
    const ssize_t count = ::recv(connection, block, sizeof block, 0);
    if (count <= 0) return;
    text.append(block, static_cast<std::size_t>(count));
  }
  const std::size_t begin = text.find(' ') + 1;
  const SeenRequest request{text.substr(begin, text.find(' ', begin) - begin),
                            headerOf(text, "Range"), headerOf(text, "If-Range")};
  ServedFile file;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const auto found = files_.find(request.path);
    if (found != files_.end())
      file = found->second;
    else
      file.status = 404;
  }
  const std::uint64_t offset = offsetOf(request, file);
  if (!send(connection, headOf(file, offset), stop)) return;
  const std::uint64_t begins = std::min<std::uint64_t>(offset, file.body.size());
  const std::string_view rest =
      std::string_view(file.body).substr(begins, endOf(file, offset) - begins);
  sendBody(connection, file, rest.substr(0, file.stopAfter.value_or(rest.size())), stop);
}

}  // namespace parapet::test
