// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace parapet::data {

/// The parts of an address that a download looks at.
struct WebAddress {
  std::string text;    ///< as it was given
  std::string scheme;  ///< "http" or "https"
  std::string host;
  std::string fileName;  ///< last segment of the path, decoded; "" if there is none fit for a file

  /// Whether the host is this machine, which no proxy can stand in for.
  [[nodiscard]] bool isLoopback() const;
};

/// Errors   kInvalidDocument unless it is an http:// or https:// address with a host.
Result<WebAddress> parseWebAddress(const std::string& url);

/// Whether a redirect may be followed: what was asked for over TLS is never fetched without.
bool mayLeadTo(const WebAddress& from, const WebAddress& to);

/// Where `location`, as a redirect names it, leads from `base`: itself if it is absolute.
std::string resolveLocation(const std::string& base, const std::string& location);

/// The head of an answer, which comes before its first byte.
struct ResponseHead {
  long status = 0;
  std::string location;  ///< absolute; where a redirect leads
  std::string etag, lastModified;
  std::optional<std::uint64_t> length{};  ///< bytes of this answer's body, as announced

  /// Content-Range of a 206: which bytes of how many.
  struct Range {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> total{};
  };
  std::optional<Range> range{};

  [[nodiscard]] bool hasBody() const { return status == 200 || status == 206; }
  [[nodiscard]] bool redirects() const {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }
};

/// Takes the body of an answer. An error ends the transfer and becomes its result.
class BodyReceiver {
 public:
  virtual ~BodyReceiver() = default;
  /// Before the first byte, for answers that have a body (200, 206).
  virtual Status onHead(const ResponseHead& head) = 0;
  virtual Status onBytes(std::span<const std::byte> bytes) = 0;
};

struct HttpRequest {
  WebAddress address;
  std::uint64_t offset = 0;  ///< first byte wanted; 0 asks for the whole file
  std::string validator{};   ///< sent with an offset: the whole file comes if it does not match
  int connectTimeoutMs = 0;
  int stallMs = 0;  ///< without a byte, once connected
  /// The body must bring so many bytes a second, on average over each `slowMs`.
  std::uint64_t minBytesPerSecond = 0;
  int slowMs = 0;
};

/// One GET over HTTP/1.1, without following redirects. The body is held against the announced
/// length in both directions: an answer that ends early is an error, and so is one that goes on.
///
/// Errors   kPeer: no connection, stalled, too slow, closed early, a Content-Length that is no
///          number; kData: longer than announced; kCancelled; what
///          the receiver returned.
/// Thread   any; blocks. Notices a stop at once.
Result<ResponseHead> httpGet(const HttpRequest& request, BodyReceiver& receiver,
                             const WorkContext& context);

}  // namespace parapet::data
