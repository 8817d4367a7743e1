// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"
#include "engine/data/ingest/shape/filter.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::data;

namespace {

RowBlock block() {
  RowBlock block;
  block.rows = 4;
  block.columns.resize(3);
  block.columns[0].integers = {-1, 0, 5, INT64_MAX};
  block.columns[0].missing = {0, 1, 0, 0};
  block.columns[1].type = ValueType::kNumber;
  block.columns[1].numbers = {0.5, -1e300, 5.0, 0.0};
  block.columns[2].type = ValueType::kText;
  block.columns[2].texts = {"", "like", "listen", "a longer text than sixteen bytes"};
  return block;
}
const std::vector<SourceColumn> kColumns{{"i", ValueType::kInteger, false},
                                         {"x", ValueType::kNumber, false},
                                         {"t", ValueType::kText, false},
                                         {"tags", ValueType::kText, true}};

void checkError(const Error& error) {
  if (!isValidUtf8(error.message)) fuzz::breakInvariant("messages are UTF-8");
  if (error.message.size() > 4096) fuzz::breakInvariant("messages are short");
  if (error.pointer != "/dataset/filter") fuzz::breakInvariant("errors are at the filter");
  fuzz::tell(error.message);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto filter = Filter::parse(fuzz::asText(data, size));
  if (!filter.ok()) {
    checkError(filter.error());
    return 0;
  }
  if (const Status bound = filter->bind(kColumns); !bound.ok()) {
    checkError(bound.error());
    return 0;
  }
  static const RowBlock rows = block();
  std::vector<std::uint8_t> keep;
  filter->select(rows, keep);
  std::string outcome = "selected ";
  for (std::size_t row = 0; row < keep.size(); ++row) {
    if (keep[row] > 1) fuzz::breakInvariant("a row stays or goes");
    outcome += keep[row] == 1 ? 'y' : 'n';
    if (keep[row] == 0) continue;
    for (const ColumnBound& bound : filter->bounds()) {
      if (bound.column == "t") fuzz::breakInvariant("texts have no bounds");
      const auto value = bound.column == "i" ? static_cast<double>(rows.columns[0].integers[row])
                                             : rows.columns[1].numbers[row];
      if (value < bound.least.value_or(value) || value > bound.most.value_or(value))
        fuzz::breakInvariant("a row that stays is inside the bounds");
    }
  }
  fuzz::tell(outcome);
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  return {"t in (\"like\",'undislike') or (t = \"listen\" and i >= 50)",
          "not (x between -1.5 and 1e3 && i is missing) || t starts with 'lis'",
          "`i` <> 5 and x is not null and t not contains \"\\u00e9\\\\\"",
          "5 < i or true and !(i not in (1, 2, 3, 4, 5, 6, 7, 8, 9)) or x in (0, 0.5, 5, 6, 7, 8)"};
}

std::vector<std::string> fuzz::words() {
  return {" and ",
          " or ",
          "not ",
          "(",
          ")",
          "i",
          "x",
          "t",
          "tags",
          " in (",
          ", ",
          " between ",
          " is ",
          "missing",
          "null",
          " contains ",
          " starts ",
          "with ",
          "true",
          "false",
          "\"",
          "'",
          "`",
          "\\u",
          "\\",
          "<=",
          ">=",
          "!=",
          "<>",
          "&&",
          "||",
          "!",
          "-",
          "1e308",
          "9007199254740993",
          "-9223372036854775808",
          "9223372036854775807",
          "18446744073709551616",
          "\xff",
          "é"};
}
