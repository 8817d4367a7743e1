// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "engine/base/file_error.h"

namespace parapet {

const char* errorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidDocument:
      return "invalid_document";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kData:
      return "data";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kStore:
      return "store";
    case ErrorCode::kDevice:
      return "device";
    case ErrorCode::kPeer:
      return "peer";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDiverged:
      return "diverged";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error Error::wrap(std::string outerMessage) const {
  return Error{code, std::move(outerMessage), pointer, path, line, std::make_shared<Error>(*this)};
}

std::string Error::text() const {
  std::string where;
  if (!path.empty() && message.find(path) == std::string::npos)
    where = line ? fmt::format(" ({}:{})", path, *line) : fmt::format(" ({})", path);
  return cause ? fmt::format("{}: {}", message, cause->text()) : message + where;
}

bool isOfFullDisk(const Error& error) {
  for (const Error* each = &error; each; each = each->cause.get())
    for (const std::string_view words :
         {std::string_view(std::strerror(ENOSPC)), std::string_view(std::strerror(EDQUOT)),
          std::string_view("disk is full")})
      if (each->message.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace parapet
