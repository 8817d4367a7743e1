// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace parapet::test {

/// A file on the server, and how badly the server serves it.
struct ServedFile {
  std::string body{};
  int status = 200;
  std::string etag = "\"v1\"";
  std::string location{};  ///< with a 3xx status
  bool ranges = true;      ///< honours Range and If-Range
  bool chunked = false;    ///< no Content-Length
  bool plainEnd = false;   ///< neither length nor chunks: the body ends with the connection
  std::optional<std::uint64_t> announced{};  ///< Content-Length, if not that of the body
  std::string lengthText{};                  ///< Content-Length as it is sent, if not a number
  std::optional<std::uint64_t> stopAfter{};  ///< bytes of the body, then…
  bool stall = false;                        ///< …nothing more comes; else the connection closes
  int dripMs = 0;                            ///< between single bytes
  bool endless = false;                      ///< the body over and over
  std::string range{};                       ///< Content-Range, if not the right one
  std::optional<std::uint64_t> longestRange{};  ///< bytes of a partial answer at most
};

/// A request that was seen.
struct SeenRequest {
  std::string path, range, ifRange;
};

/// An HTTP server on 127.0.0.1 that misbehaves as it is told. One connection at a time, one request
/// each. Nothing of it is timed by the tests.
class FileServer {
 public:
  FileServer();
  ~FileServer();

  /// `path` begins with "/"; served from the next request on.
  void serve(const std::string& path, ServedFile file);
  [[nodiscard]] std::string url(const std::string& path) const;
  [[nodiscard]] std::vector<SeenRequest> requests() const;

 private:
  void run(const std::stop_token& stop);
  void answer(int connection, const std::stop_token& stop);

  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, ServedFile> files_;
  std::vector<SeenRequest> requests_;
  std::jthread thread_;
};

}  // namespace parapet::test
