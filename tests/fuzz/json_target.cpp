// SPDX-License-Identifier: Apache-2.0
// The first byte of an input chooses how the columns of the JSON lines behind it are asked for.
#include "engine/data/ingest/sources/source_kinds.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/read_source.h"

using namespace parapet;
using namespace parapet::data;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::filesystem::path path = fuzz::scratchFolder() / "input.jsonl";
  fuzz::writeInput(path, fuzz::asText(data + 1, size - 1));
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kJson;
  spec.path = path.string();
  const auto source = openJsonSource(spec);
  if (!source.ok()) {
    fuzz::tell(source.error().message);
    return 0;
  }
  fuzz::readSource(**source, fuzz::requestsFor(**source, data[0] % 4));
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  const std::string ratings =
      R"({"user":1,"item":"a1","rating":3.5,"time":1112486027}
{"user":2,"item":"a2","rating":null,"liked":true}
{"user":-7,"item":"a\u00e9\"","rating":1e3,"liked":false}
)";
  const std::string nested =
      R"({"user":{"id":1,"at":{"x":0.5}},"tags":["a","b"],"counts":[1,2,null],"weights":"7:0.5|8:1"}
{"tags":[],"user":{"id":2},"events":[{"a":1},[2]],"weights":"3"}
)";
  const std::string list = R"([{"a":1,"b":"],["},
{"a":18446744073709551616,"b":[NaN]}, {"a":NaN}])";
  const auto as = [](int choice, const std::string& text) {
    return static_cast<char>(choice) + text;
  };
  return {as(0, ratings),
          as(1, ratings),
          as(2, ratings),
          as(3, ratings),
          as(0, nested),
          as(1, nested),
          as(3, nested),
          as(0, list),
          as(2, list),
          as(0, "{\"a\":1,\"a\":2}\n{\"a.b\":1,\"a\":{\"b\":2}}\n{\"\":1}"),
          as(0, "\xef\xbb\xbf{\"a\":\"\xff\"}\n{\"a\":\"\\ud800\"}")};
}

std::vector<std::string> fuzz::words() {
  return {"\n",
          "\r\n",
          "{",
          "}",
          "[",
          "]",
          "{}",
          "[]",
          "\"",
          ":",
          ",",
          "\\",
          "\\u0000",
          "\\ud83d",
          "NaN",
          "null",
          "true",
          "false",
          "-",
          "1e999",
          "0",
          "18446744073709551615",
          "\"a\":",
          "\xff",
          "\xef\xbb\xbf",
          " ",
          "|",
          "9223372036854775808",
          std::string(1, '\0'),
          "{\"a\":{\"a\":",
          "[[",
          "1.50",
          "\"true\""};
}
