// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A column of the blocks to come, before it is known where it will stand: a request to the source,
/// or a derived column.
struct WantedColumn {
  bool isDerived = false;
  std::size_t index = 0;
};

/// The columns that are asked of a source, each once, and the derived ones.
class ColumnRequests {
 public:
  /// Both must outlive it.
  ColumnRequests(const experiment::Dataset& spec, const Source& source);

  /// Asks for a column of the source or a derived one; `pointer` is where the document names it.
  ///
  /// Errors   InvalidDocument for a column that is not there, with why and what is, or a derived
  ///          one as a list.
  Result<WantedColumn> want(const std::string& name, std::optional<ValueType> type,
                            const std::string& pointer, const std::string& separator = {},
                            const std::string& weights = {});

  [[nodiscard]] const std::vector<ColumnRequest>& all() const { return requests_; }
  /// Names of the derived columns that are wanted.
  [[nodiscard]] const std::vector<std::string>& derived() const { return derived_; }
  /// The columns of the blocks that the source will give. One of them at most has a name that
  /// others find it by: that of a plain cell, in the source's own type if there is one of it.
  [[nodiscard]] std::vector<SourceColumn> layout() const;
  /// Where a request's column stands in the layout.
  [[nodiscard]] std::size_t blockColumnOf(std::size_t request) const;

 private:
  [[nodiscard]] Error absent(const std::string& name, const std::string& pointer) const;
  Result<WantedColumn> wantDerived(const experiment::Derived& derived, const std::string& pointer,
                                   const std::string& separator);
  [[nodiscard]] bool speaksFor(std::size_t i) const;

  const experiment::Dataset& spec_;
  const Source& source_;
  std::span<const SourceColumn> columns_;  // of the source
  std::vector<std::string> names_;         // of these and the derived ones
  std::vector<ColumnRequest> requests_;
  std::vector<std::string> derived_;
};

}  // namespace parapet::data
