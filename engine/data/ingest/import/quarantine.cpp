// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/quarantine.h"

#include "engine/base/text.h"

namespace parapet::data {

void Quarantine::add(std::int64_t lineNumber, std::string reason, std::string_view line) {
  addShown(lineNumber, std::move(reason), lines_.size() < kKept ? printable(line) : std::string());
}

void Quarantine::addShown(std::int64_t lineNumber, std::string reason, std::string excerpt,
                          std::string pointer) {
  ++rejected_;
  if (lines_.size() < kKept)
    lines_.push_back({lineNumber, std::move(reason), std::move(excerpt), std::move(pointer)});
}

}  // namespace parapet::data
