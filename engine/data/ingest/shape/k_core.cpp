// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/k_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace parapet::data {
namespace {

constexpr std::size_t kWordRows = 64;
// Between two looks at the stop token: some milliseconds.
constexpr std::size_t kRunWords = 1 << 14;

/// Rows of each user, or item, that still stay.
using Counts = std::vector<std::int32_t>;

Counts countNumbers(std::span<const std::int32_t> numbers, std::int64_t count, const char* what) {
  Counts counts(static_cast<std::size_t>(count), 0);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const std::int64_t number = numbers[row];
    if (number < 0 || number >= count)
      throw InvalidArgument(
          fmt::format("[data.kCore] row {}: {} {} is outside [0, {})", row, what, number, count));
    ++counts[static_cast<std::size_t>(number)];
  }
  return counts;
}

std::vector<std::uint64_t> allRows(std::size_t rows) {
  std::vector<std::uint64_t> keep((rows + kWordRows - 1) / kWordRows, ~std::uint64_t{0});
  if (rows % kWordRows != 0) keep.back() = (std::uint64_t{1} << rows % kWordRows) - 1;
  return keep;
}

/// One pass: a row goes if its user or its item has too few, which takes one from both at once, so
/// that rows further on see it in the same pass.
class Pass {
 public:
  Pass(std::span<const std::int32_t> users, std::span<const std::int32_t> items, Counts& userRows,
       Counts& itemRows, const experiment::KCore& least)
      : users_(users), items_(items), userRows_(userRows), itemRows_(itemRows), least_(least) {}

  /// The rows among the 64 of a word that stay.
  std::uint64_t stay(std::size_t word, std::uint64_t rows) {
    std::uint64_t left = rows;
    for (std::uint64_t rest = rows; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t row = word * kWordRows + bit;
      std::int32_t& user = userRows_[static_cast<std::size_t>(users_[row])];
      std::int32_t& item = itemRows_[static_cast<std::size_t>(items_[row])];
      if (user >= least_.user && item >= least_.item) continue;
      --user;
      --item;
      left &= ~(std::uint64_t{1} << bit);
    }
    return left;
  }

 private:
  std::span<const std::int32_t> users_, items_;
  Counts &userRows_, &itemRows_;
  experiment::KCore least_;
};

}  // namespace

Result<KCoreResult> kCore(std::span<const std::int32_t> users, std::span<const std::int32_t> items,
                          std::int64_t userCount, std::int64_t itemCount,
                          const experiment::KCore& least, const WorkContext& context) {
  if (users.size() != items.size())
    throw InvalidArgument(fmt::format("[data.kCore] {} users and {} items: a row has one of each",
                                      users.size(), items.size()));
  Counts userRows = countNumbers(users, userCount, "user");
  Counts itemRows = countNumbers(items, itemCount, "item");
  Pass pass(users, items, userRows, itemRows, least);

  KCoreResult result;
  result.keep = allRows(users.size());
  result.rows = static_cast<std::int64_t>(users.size());
  for (std::int64_t before = -1; before != result.rows;) {
    before = result.rows;
    ++result.rounds;
    for (std::size_t word = 0; word < result.keep.size(); ++word) {
      if (word % kRunWords == 0) {
        if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
        context.report("k-core", static_cast<std::int64_t>(word),
                       static_cast<std::int64_t>(result.keep.size()));
      }
      const std::uint64_t rows = result.keep[word];
      const std::uint64_t left = rows == 0 ? 0 : pass.stay(word, rows);
      result.rows -= std::popcount(rows ^ left);
      result.keep[word] = left;
    }
  }
  return result;
}

}  // namespace parapet::data
