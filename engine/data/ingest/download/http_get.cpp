// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/http_get.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <stop_token>
#include <string_view>

#include "engine/base/clock.h"
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

/// A server that keeps the connection open although all has come is not waited for any longer.
constexpr double kCloseSeconds = 2.0;
constexpr int kLookMs = 200;

std::optional<std::uint64_t> parseCount(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// "bytes 100-199/500" or "bytes 100-199/*"
std::optional<ResponseHead::Range> parseRange(std::string_view text) {
  if (!text.starts_with("bytes ")) return {};
  text.remove_prefix(6);
  const auto first = parseCount(text.substr(0, text.find('-')));
  const std::size_t slash = text.find('/');
  if (!first || slash == std::string_view::npos) return {};
  return ResponseHead::Range{*first, parseCount(text.substr(slash + 1))};
}

/// One transfer: collects the head, hands the body on, remembers why it ended.
class Transfer {
 public:
  Transfer(const HttpRequest& request, BodyReceiver& receiver, const WorkContext& context)
      : request_(request), receiver_(receiver), context_(context) {}

  Result<ResponseHead> run();

 private:
  static std::size_t headerArrived(char* bytes, std::size_t, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->onHeader({bytes, count}) ? count : 0;
  }
  static std::size_t bodyArrived(char* bytes, std::size_t, std::size_t count, void* self) {
    const auto* first = reinterpret_cast<const std::byte*>(bytes);
    return static_cast<Transfer*>(self)->onBody({first, count}) ? count : 0;
  }
  static int connected(void* self, char*, char*, int, int) {
    static_cast<Transfer*>(self)->connected_ = true;
    static_cast<Transfer*>(self)->sinceBytes_.restart();
    return CURL_PREREQFUNC_OK;
  }

  void configure(CURL* curl, curl_slist* headers);
  bool onHeader(std::string_view line);
  void onLength(std::string_view value);
  bool onHeadEnd();
  bool onBody(std::span<const std::byte> bytes);
  CURLcode perform(CURL* curl);
  bool wantsToEnd();
  bool isTooSlow();
  bool keep(Status status);
  [[nodiscard]] bool complete() const { return head_.length && received_ == *head_.length; }
  [[nodiscard]] Result<ResponseHead> judge(CURLcode outcome) const;
  [[nodiscard]] Error peerError(const std::string& what) const {
    return {ErrorCode::kPeer,
            fmt::format("[data.download] {}: {}", printable(request_.address.text, 200), what)};
  }

  const HttpRequest& request_;
  BodyReceiver& receiver_;
  const WorkContext& context_;
  ResponseHead head_;
  std::uint64_t received_ = 0;
  bool connected_ = false, inBody_ = false, chunked_ = false, bodyUnwanted_ = false;
  std::optional<std::string> wrongLength_;
  Stopwatch sinceBytes_;
  Stopwatch sinceSlow_;               ///< since this period of the average began
  std::uint64_t receivedBefore_ = 0;  ///< bytes before this period
  double writingSeconds_ = 0.0;       ///< of this period, in the receiver
  Status failure_;
  std::array<char, CURL_ERROR_SIZE> detail_{};
};

bool Transfer::onHeader(std::string_view line) {
  sinceBytes_.restart();
  if (line.starts_with("HTTP/")) {  // also after a 100 Continue
    head_ = {};
    wrongLength_.reset();
    inBody_ = chunked_ = false;
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos)
      head_.status = static_cast<long>(parseCount(line.substr(space + 1, 3)).value_or(0));
    return true;
  }
  if (inBody_) return true;  // trailers of a chunked body
  line = trim(line);
  if (line.empty()) return head_.status / 100 == 1 || onHeadEnd();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string name = toLowerAscii(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "content-length") onLength(value);
  if (name == "content-range") head_.range = parseRange(value);
  if (name == "etag") head_.etag = value;
  if (name == "last-modified") head_.lastModified = value;
  if (name == "location")
    head_.location = resolveLocation(request_.address.text, std::string(value));
  if (name == "transfer-encoding") chunked_ = true;
  return true;
}

/// Twice the same is one length; two lengths, or none that can be read, are no length.
void Transfer::onLength(std::string_view value) {
  const std::optional<std::uint64_t> length = parseCount(value);
  if (!length || (head_.length && *head_.length != *length)) wrongLength_ = value;
  head_.length = length;
}

bool Transfer::onHeadEnd() {
  inBody_ = true;
  bodyUnwanted_ = !head_.hasBody();
  if (bodyUnwanted_) return false;
  if (chunked_) {
    head_.length.reset();  // chunks say themselves where they end
  } else if (wrongLength_) {
    return keep(
        peerError(fmt::format("the server announces \"Content-Length: {}\"; one number of "
                              "bytes is accepted",
                              printable(*wrongLength_, 60))));
  }
  sinceSlow_.restart();
  return keep(receiver_.onHead(head_));
}

bool Transfer::onBody(std::span<const std::byte> bytes) {
  received_ += bytes.size();
  if (head_.length && received_ > *head_.length)
    return keep(
        Error{ErrorCode::kData,
              fmt::format("[data.download] {}: the server announced {} bytes and sends more",
                          printable(request_.address.text, 200), *head_.length)});
  const Stopwatch writing;
  const bool kept = keep(receiver_.onBytes(bytes));
  sinceBytes_.restart();  // after it: a slow disk is no stall of the server
  writingSeconds_ += writing.seconds();
  return kept;
}

bool Transfer::wantsToEnd() {
  if (context_.cancelled()) return !keep(Error{ErrorCode::kCancelled, "the download was stopped"});
  if (inBody_ && complete()) return sinceBytes_.seconds() > kCloseSeconds;
  if (inBody_ && isTooSlow())
    return !keep(peerError(fmt::format(
        "only {} came in {}; at least {}/s are needed", formatBytes(received_ - receivedBefore_),
        formatDuration(request_.slowMs * 1e-3), formatBytes(request_.minBytesPerSecond))));
  const double limit = request_.stallMs * 1e-3;
  if (!connected_ || sinceBytes_.seconds() < limit) return false;
  return !keep(peerError("nothing came for " + formatDuration(limit)));
}

/// Looks at the average of each period, so that a pause within one does no harm.
bool Transfer::isTooSlow() {
  const double seconds = sinceSlow_.seconds() - writingSeconds_;
  if (request_.slowMs == 0 || seconds < request_.slowMs * 1e-3) return false;
  const auto wanted = static_cast<double>(request_.minBytesPerSecond) * seconds;
  if (static_cast<double>(received_ - receivedBefore_) < wanted) return true;
  receivedBefore_ = received_;
  writingSeconds_ = 0.0;
  sinceSlow_.restart();
  return false;
}

/// Remembers a failure; false if there is one.
bool Transfer::keep(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
  return failure_.ok();
}

void Transfer::configure(CURL* curl, curl_slist* headers) {
  curl_easy_setopt(curl, CURLOPT_URL, request_.address.text.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "parapet");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  if (request_.address.isLoopback()) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  // With the length left to curl, bytes beyond it would be dropped silently; we count ourselves.
  curl_easy_setopt(curl, CURLOPT_IGNORE_CONTENT_LENGTH, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connectTimeoutMs));
  curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, connected);
  curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail_.data());
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, headerArrived);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, bodyArrived);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
}

Result<ResponseHead> Transfer::run() {
  // Once for the process, before any other call.
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(
      started == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!curl) return Error{ErrorCode::kInternal, "[data.download] libcurl does not start"};
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(nullptr, curl_slist_free_all);
  const auto add = [&headers](const std::string& line) {
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  };
  add("Connection: close");          // the end of the connection is the end of the body
  add("Accept-Encoding: identity");  // lengths and checksums are those of the file itself
  if (request_.offset > 0) {
    add(fmt::format("Range: bytes={}-", request_.offset));
    add("If-Range: " + request_.validator);
  }
  configure(curl.get(), headers.get());
  return judge(perform(curl.get()));
}

CURLcode Transfer::perform(CURL* curl) {
  const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(),
                                                                    curl_multi_cleanup);
  if (!multi || curl_multi_add_handle(multi.get(), curl) != CURLM_OK) return CURLE_FAILED_INIT;
  CURLcode outcome = CURLE_ABORTED_BY_CALLBACK;
  {
    // A stop does not wait for the network.
    const std::stop_callback wake(context_.stop, [&multi] { curl_multi_wakeup(multi.get()); });
    int running = 1, queued = 0;
    while (running > 0 && !wantsToEnd() && curl_multi_perform(multi.get(), &running) == CURLM_OK)
      if (running > 0) curl_multi_poll(multi.get(), nullptr, 0, kLookMs, nullptr);
    if (const CURLMsg* message = curl_multi_info_read(multi.get(), &queued))
      outcome = message->data.result;
  }
  curl_multi_remove_handle(multi.get(), curl);
  return outcome;
}

Result<ResponseHead> Transfer::judge(CURLcode outcome) const {
  if (!failure_.ok()) return failure_.error();
  if (bodyUnwanted_) return head_;
  // Whatever comes after the last byte, a rude end included, changes nothing.
  if (inBody_ && complete()) return head_;
  if (outcome == CURLE_OPERATION_TIMEDOUT)
    return peerError("no connection within " + formatDuration(request_.connectTimeoutMs * 1e-3));
  if (outcome != CURLE_OK)
    return peerError(detail_[0] != '\0' ? detail_.data() : curl_easy_strerror(outcome));
  if (!inBody_) return peerError("the server closed the connection without an answer");
  if (head_.length)
    return peerError(fmt::format("the server announced {} bytes and closed the connection after {}",
                                 *head_.length, received_));
  return head_;
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

Result<ResponseHead> httpGet(const HttpRequest& request, BodyReceiver& receiver,
                             const WorkContext& context) {
  return Transfer(request, receiver, context).run();
}

}  // namespace parapet::data
