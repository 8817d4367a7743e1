// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <memory>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

std::string lastSegment(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const bool fit = !name.empty() && name != "." && name != ".." && isValidUtf8(name) &&
                   printable(name, name.size()) == name;
  return fit ? name : std::string();
}

}  // namespace

bool WebAddress::isLoopback() const {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

Result<WebAddress> parseWebAddress(const std::string& url) {
  const UrlHandle handle(curl_url(), curl_url_cleanup);
  WebAddress address{url, {}, {}, {}};
  if (handle && curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) ==
                    CURLUE_OK) {
    address.scheme = toLowerAscii(part(handle.get(), CURLUPART_SCHEME));
    address.host = part(handle.get(), CURLUPART_HOST);
    address.fileName = lastSegment(part(handle.get(), CURLUPART_PATH, CURLU_URLDECODE));
  }
  if ((address.scheme == "http" || address.scheme == "https") && !address.host.empty())
    return address;
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("\"{}\" cannot be downloaded from; accepted: an address that begins "
                           "with https:// or http://",
                           printable(url, 200))};
}

bool mayLeadTo(const WebAddress& from, const WebAddress& to) {
  return from.scheme != "https" || to.scheme == "https";
}

std::string resolveLocation(const std::string& base, const std::string& location) {
  const UrlHandle handle(curl_url(), curl_url_cleanup);
  // The second call takes what it is given relative to the first.
  const bool resolved = handle &&
                        curl_url_set(handle.get(), CURLUPART_URL, base.c_str(),
                                     CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                        curl_url_set(handle.get(), CURLUPART_URL, location.c_str(),
                                     CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
  return resolved ? part(handle.get(), CURLUPART_URL) : location;
}

}  // namespace parapet::data
