// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/ingest/download/http_get.h"
#include "engine/data/ingest/download/part_file.h"

namespace parapet::data {
namespace {

constexpr int kMaxRedirects = 10;

Error failed(ErrorCode code, const std::string& url, const std::string& what) {
  return {code, fmt::format("[data.download] {}: {}", printable(url, 200), what)};
}

/// Fetches into a part, from where the part ends if the server agrees.
class PartDownload final : public BodyReceiver {
 public:
  PartDownload(const DownloadRequest& request, const WorkContext& context, PartFile& part,
               DownloadReport& report)
      : request_(request), context_(context), part_(part), report_(report) {}

  /// Until the part is the whole file.
  Status run(const WebAddress& address);

  Status onHead(const ResponseHead& head) override;
  Status onBytes(std::span<const std::byte> bytes) override;

 private:
  Result<ResponseHead> follow(WebAddress address);
  Status onWhole(const ResponseHead& head);
  Status onRest(const ResponseHead& head);
  [[nodiscard]] Status checkRoom(std::optional<std::uint64_t> total) const;
  Status startAgain(const std::string& why);
  /// The part ends before the file does, as far as its length is known.
  [[nodiscard]] bool isShort() const {
    const std::optional<std::uint64_t>& length = part_.origin().length;
    return length && part_.size() < *length;
  }

  const DownloadRequest& request_;
  const WorkContext& context_;
  PartFile& part_;
  DownloadReport& report_;
  std::uint64_t offset_ = 0;  ///< first byte that was asked for
  bool again_ = false;
};

Status PartDownload::run(const WebAddress& address) {
  const PartOrigin& origin = part_.origin();
  const bool ours = part_.canContinue() && origin.url == request_.url &&
                    part_.size() <= origin.length.value_or(part_.size());
  offset_ = ours ? part_.size() : 0;
  report_.resumedFrom = offset_;
  if (ours && origin.length == part_.size()) return {};  // ended between last byte and rename
  for (;;) {
    again_ = false;
    const auto head = follow(address);
    if (head && head->hasBody() && !isShort()) return {};
    if (head && head->hasBody()) {
      // A range may end before the file does; each answer must bring something, though.
      if (part_.size() == offset_)
        return failed(ErrorCode::kPeer, request_.url, "the server sends no more of the file");
      offset_ = part_.size();
      continue;
    }
    if (head && head->status == 416 && offset_ > 0)
      static_cast<void>(startAgain("the server's file ends before the part does"));
    if (!again_) {
      if (!head) return head.error();
      return failed(ErrorCode::kPeer, request_.url, fmt::format("HTTP status {}", head->status));
    }
    offset_ = 0;  // asks for the whole file, so there is no third time
  }
}

/// The first answer that is no redirect.
Result<ResponseHead> PartDownload::follow(WebAddress address) {
  std::set<std::string> seen;
  for (int redirects = 0;; ++redirects) {
    seen.insert(address.text);
    const HttpRequest get{address,
                          offset_,
                          part_.origin().validator(),
                          request_.connectTimeoutMs,
                          request_.stallMs,
                          request_.minBytesPerSecond,
                          request_.slowMs};
    PARAPET_ASSIGN(ResponseHead head, httpGet(get, *this, context_));
    if (!head.redirects()) return head;
    const std::string to = printable(head.location, 200);
    if (head.location.empty())
      return failed(ErrorCode::kPeer, address.text,
                    fmt::format("HTTP status {} without a Location header", head.status));
    if (seen.contains(head.location))
      return failed(ErrorCode::kPeer, address.text,
                    fmt::format("the server leads in a circle, back to {}", to));
    if (redirects == kMaxRedirects)
      return failed(ErrorCode::kPeer, address.text,
                    fmt::format("more than {} redirects, the last to {}", kMaxRedirects, to));
    const auto next = parseWebAddress(head.location);
    if (!next || !mayLeadTo(address, *next))
      return failed(ErrorCode::kPeer, address.text,
                    fmt::format("the server leads to {}; accepted: {}", to,
                                address.scheme == "https" ? "https://" : "http:// or https://"));
    address = *next;
  }
}

Status PartDownload::onHead(const ResponseHead& head) {
  return head.status == 206 ? onRest(head) : onWhole(head);
}

Status PartDownload::onWhole(const ResponseHead& head) {
  if (offset_ > 0) {
    const PartOrigin& old = part_.origin();
    const bool changed = head.etag != old.etag || head.lastModified != old.lastModified;
    report_.notes.push_back(fmt::format(
        "started again, {} were there: {}", formatBytes(part_.size()),
        changed ? "the file has changed on the server" : "the server does not continue downloads"));
    report_.resumedFrom = 0;
  }
  // Emptied before room is looked for: what it held is room, too.
  PARAPET_TRY(part_.begin({request_.url, head.etag, head.lastModified, head.length}));
  return checkRoom(head.length);
}

Status PartDownload::onRest(const ResponseHead& head) {
  const PartOrigin& old = part_.origin();
  const bool fits = offset_ > 0 && head.range && head.range->first == offset_ &&
                    (!head.range->total || !old.length || *head.range->total == *old.length) &&
                    (head.etag.empty() || old.etag.empty() || head.etag == old.etag);
  if (!fits) return startAgain("the server sent another part than was asked for");
  return checkRoom(head.range->total);
}

/// Gives up this answer and asks for the whole file.
Status PartDownload::startAgain(const std::string& why) {
  Error reason = failed(ErrorCode::kPeer, request_.url, why);
  if (offset_ > 0) {
    again_ = true;
    report_.notes.push_back("started again: " + why);
    report_.resumedFrom = 0;
  }
  return reason;
}

Status PartDownload::checkRoom(std::optional<std::uint64_t> total) const {
  if (!total) return {};
  if (*total > request_.maxBytes)
    return failed(ErrorCode::kData, request_.url,
                  fmt::format("the file has {}, the limit is {}", formatBytes(*total),
                              formatBytes(request_.maxBytes)));
  const std::uint64_t left = *total - std::min(*total, part_.size());
  PARAPET_ASSIGN(const std::uint64_t free, freeBytes(part_.path()));
  if (left <= free) return {};
  return Error{ErrorCode::kIo,
               fmt::format("{}: {} are still to come and {} are free on that disk",
                           request_.target.string(), formatBytes(left), formatBytes(free)),
               {},
               request_.target.string()};
}

Status PartDownload::onBytes(std::span<const std::byte> bytes) {
  if (part_.size() + bytes.size() > request_.maxBytes) {
    part_.discard();
    return failed(ErrorCode::kData, request_.url,
                  fmt::format("the file goes on beyond the limit of {}; what came was removed",
                              formatBytes(request_.maxBytes)));
  }
  PARAPET_TRY(part_.append(bytes));
  context_.report("downloading", static_cast<std::int64_t>(part_.size()),
                  static_cast<std::int64_t>(part_.origin().length.value_or(0)));
  return {};
}

/// Says how far it came and what the next download can do with that.
Error withProgress(Error error, const PartFile& part) {
  if (error.code == ErrorCode::kInvalidDocument || part.size() == 0) return error;
  const std::string came = part.origin().length ? fmt::format("{} of {}", formatBytes(part.size()),
                                                              formatBytes(*part.origin().length))
                                                : formatBytes(part.size());
  error.message += part.canContinue()
                       ? fmt::format("; {} are there, the same download goes on from them", came)
                       : fmt::format("; {} had come and cannot be continued", came);
  return error;
}

/// A target that is there is only ever looked at.
Result<DownloadReport> reportExisting(const DownloadRequest& request, const WorkContext& context) {
  const std::string path = request.target.string();
  const auto taken = [&path](const std::string& how) {
    return Error{
        ErrorCode::kIo,
        fmt::format("{} is there already{}; move it away or choose another target", path, how),
        {},
        path};
  };
  if (std::filesystem::is_directory(request.target)) return taken(" and is a folder");
  if (!request.checksum) return taken("");
  PARAPET_ASSIGN(Checksum found, checksumOfFile(request.target, request.checksum->kind, context));
  if (found != *request.checksum)
    return taken(fmt::format(" with {}, not {}", found.text(), request.checksum->text()));
  DownloadReport report;
  report.path = request.target;
  report.bytes = std::filesystem::file_size(request.target);
  report.checksum = std::move(found);
  report.verified = report.alreadyThere = true;
  return report;
}

}  // namespace

Result<DownloadReport> download(const DownloadRequest& request, const WorkContext& context) {
  if (request.target.empty() || request.connectTimeoutMs < 1 || request.stallMs < 1 ||
      request.slowMs < 1)
    throw InvalidArgument("[data.download] no target, or times below 1");
  const Stopwatch watch;
  PARAPET_ASSIGN(const WebAddress address, parseWebAddress(request.url));
  std::error_code missing;
  if (std::filesystem::exists(request.target, missing)) return reportExisting(request, context);
  PARAPET_ASSIGN(PartFile part, PartFile::open(request.target));
  DownloadReport report;
  if (const Status fetched = PartDownload(request, context, part, report).run(address);
      !fetched.ok())
    return withProgress(fetched.error(), part);
  const ChecksumKind kind = request.checksum ? request.checksum->kind : ChecksumKind::kSha256;
  PARAPET_ASSIGN(report.checksum, checksumOfFile(part.path(), kind, context));
  report.verified = request.checksum.has_value();
  if (report.verified && report.checksum != *request.checksum) {
    part.discard();
    return failed(ErrorCode::kData, request.url,
                  fmt::format("wrong checksum: {} was expected, {} came; what came was removed",
                              request.checksum->text(), report.checksum.text()));
  }
  report.path = request.target;
  report.bytes = part.size();
  PARAPET_TRY(part.finish());
  report.seconds = watch.seconds();
  return report;
}

std::filesystem::path downloadsFolder(const std::filesystem::path& workspaceFolder) {
  return workspaceFolder / "downloads";
}

}  // namespace parapet::data
