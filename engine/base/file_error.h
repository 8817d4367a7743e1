// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/base/result.h"

namespace parapet {

/// A file that was accepted when it was opened turns out damaged when it is read, where no Result
/// can be returned. Thrown; becomes its Error at the next border for exceptions.
class FileError : public std::runtime_error {
 public:
  explicit FileError(Error error)
      : std::runtime_error(error.text()), error_(std::make_shared<const Error>(std::move(error))) {}
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::shared_ptr<const Error> error_;
};

/// Whether an error, or a cause of it, is that the disk or the user's share of it is full. By its
/// words, which are those of the system and of SQLite: by now there may be room again, from what
/// was given up.
bool isOfFullDisk(const Error& error);

}  // namespace parapet
