// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/generate/generate.h"
#include "engine/data/sources/row_source.h"

namespace parapet::data {

/// Rows of a MovieGenerator, as if the folder it writes were read: same rows, catalogues and
/// numbers of bad lines.
class GeneratedSource final : public RowSource {
 public:
  static Result<std::unique_ptr<RowSource>> open(const experiment::Dataset& spec);

  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  Status readCatalogues() override;
  [[nodiscard]] const Catalogue* catalogue(std::string_view column) const override;
  [[nodiscard]] std::string catalogueName(std::string_view column) const override;
  void restrict(const IdRange& users, const IdRange& items) override;
  Status read(RowChunk& chunk) override;
  [[nodiscard]] std::int64_t done() const override { return next_; }
  [[nodiscard]] std::int64_t total() const override { return generator_.settings().events; }
  [[nodiscard]] std::vector<const Quarantine*> quarantines() const override { return {&bad_}; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return {}; }

 private:
  explicit GeneratedSource(const experiment::Dataset& spec);
  [[nodiscard]] std::string reasonAgainst(const GeneratedEvent& event) const;

  MovieGenerator generator_;
  RowRules rules_;
  Catalogue users_, items_;
  Quarantine bad_{"generated"};
  std::int64_t next_ = 0;
};

}  // namespace parapet::data
