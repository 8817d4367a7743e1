// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/sources/line_reader.h"
#include "engine/data/sources/row_source.h"

namespace parapet::data {

/// A folder in the layout of MovieLens-100K: u.data (user, item, rating, unix time; separated by
/// tabs) and, if there, the catalogues u.item and u.user.
class MovielensSource final : public RowSource {
 public:
  static Result<std::unique_ptr<RowSource>> open(const experiment::Dataset& spec);

  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  Status readCatalogues() override;
  [[nodiscard]] const Catalogue* catalogue(std::string_view column) const override;
  [[nodiscard]] std::string catalogueName(std::string_view column) const override;
  void restrict(const IdRange& users, const IdRange& items) override;
  Status read(RowChunk& chunk) override;
  [[nodiscard]] std::int64_t done() const override { return ratings_.position(); }
  [[nodiscard]] std::int64_t total() const override;
  [[nodiscard]] std::vector<const Quarantine*> quarantines() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  MovielensSource(const experiment::Dataset& spec, std::filesystem::path folder,
                  LineReader ratings);
  /// Appends the row of a line, or says why it is none.
  std::string parse(std::string_view line, RowChunk& chunk) const;

  std::filesystem::path folder_;
  LineReader ratings_;
  RowRules rules_;
  std::optional<Catalogue> userCatalogue_, itemCatalogue_;
  Quarantine badRatings_{"u.data"}, badItems_{"u.item"}, badUsers_{"u.user"};
  std::vector<std::string> warnings_;
};

}  // namespace parapet::data
