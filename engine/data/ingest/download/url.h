// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

}  // namespace parapet::data
