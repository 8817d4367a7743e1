// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::experiment;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = parseJson(fuzz::asText(data, size));
  if (!json.ok()) {
    if (!isValidUtf8(json.error().message)) fuzz::breakInvariant("messages are UTF-8");
    const std::string& message = json.error().message;
    fuzz::tell(message.substr(0, message.find("last read")));
    return 0;
  }
  const Parsed parsed = parse(*json);
  for (const Problem& problem : parsed.findings.problems) {
    if (problem.message.empty() || problem.accepted.empty())
      fuzz::breakInvariant("problems say what is wrong and what is accepted");
    if (!problem.pointer.empty() && problem.pointer[0] != '/')
      fuzz::breakInvariant("problems have a pointer");
    fuzz::tell(problem.pointer + problem.message);
  }
  for (const Problem& warning : parsed.findings.warnings) fuzz::tell(warning.message);
  if (!parsed.findings.problems.empty()) return 0;
  const std::string written = toJson(parsed.experiment).dump();
  const auto again = parseJson(written);
  if (!again.ok() || toJson(parse(*again).experiment).dump() != written)
    fuzz::breakInvariant("a valid document is read back as it was written");
  if (fingerprint(parsed.experiment).size() != 32) fuzz::breakInvariant("it has a fingerprint");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const Recipe& recipe : recipes()) seeds.push_back(recipe.text);
  seeds.emplace_back(R"({"name": "all of a data set", "dataset": {
    "source": "csv", "path": "x.csv",
    "format": {"delimiter": ";", "quote": null, "header": true, "names": ["u", "i", "r", "t"]},
    "slice": "[:5%]",
    "columns": [{"name": "user", "role": "user", "from": "u"},
                {"name": "item", "role": "item", "from": "i"},
                {"name": "tags", "role": "feature", "separator": "|", "weights": ":"},
                {"name": "hour", "role": "context"}],
    "derived": [{"name": "hour", "kind": "hour", "from": "t", "utc_offset_minutes": 60},
                {"name": "age", "kind": "buckets", "from": "r", "bounds": [1, 2.5]}],
    "filter": "r >= 3 and t is not missing", "k_core": {"user": 5, "item": 5},
    "label": {"column": "r", "scale": [0, 5]}, "max_rejected_share": 0.1,
    "vocabularies": [{"name": "user", "kind": "hash", "size": 1000},
                     {"name": "item", "kind": "compressed", "min_count": 2}],
    "split": {"kind": "temporal", "validation": 0.1, "test": 100, "gap_seconds": 60},
    "batch": {"per_device": 64, "shuffle": "epoch", "window": 65536}}})");
  seeds.push_back(std::string(2000, '[') + std::string(2000, ']'));
  return seeds;
}

std::vector<std::string> fuzz::words() {
  return {"null",
          "true",
          "false",
          "{}",
          "[]",
          "\"\"",
          "[[[[",
          "{\"a\":",
          "1e400",
          "-0",
          "1e-400",
          "\\u0000",
          "\\ud800",
          "\"kind\":",
          "\"name\":",
          "\"size\":",
          "\"train\":",
          "\"csv\"",
          "\"hash\"",
          "\"max+1\"",
          "0.5",
          "-1",
          "9223372036854775808",
          "18446744073709551616",
          "\"[:5%]\"",
          "\"temporal\"",
          "\"leave_last\"",
          "\"cpu*1024\"",
          "\"/\"",
          "\"..\"",
          "\"columns\":[",
          "\"derived\":["};
}
