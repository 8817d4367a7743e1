// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::data {

/// The rejected lines of one file: all are counted, the first are kept.
class Quarantine {
 public:
  static constexpr std::size_t kKept = 100;

  struct Line {
    std::int64_t number = 0;  ///< from 1
    std::string reason;
    std::string excerpt;
    std::string pointer{};  ///< as that of RejectedRow
  };

  explicit Quarantine(std::string fileName) : fileName_(std::move(fileName)) {}

  void countGood(std::int64_t lines = 1) { good_ += lines; }
  void add(std::int64_t lineNumber, std::string reason, std::string_view line);
  /// With an excerpt that is printable already.
  void addShown(std::int64_t lineNumber, std::string reason, std::string excerpt,
                std::string pointer = {});

  [[nodiscard]] const std::string& fileName() const { return fileName_; }
  [[nodiscard]] std::int64_t good() const { return good_; }
  [[nodiscard]] std::int64_t rejected() const { return rejected_; }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

 private:
  std::string fileName_;
  std::int64_t good_ = 0;
  std::int64_t rejected_ = 0;
  std::vector<Line> lines_;
};

}  // namespace parapet::data
