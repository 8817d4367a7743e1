// SPDX-License-Identifier: Apache-2.0
// The first byte of an input chooses how the rest is read as a table.
#include <zlib.h>

#include "engine/base/files.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/read_source.h"

using namespace parapet;
using namespace parapet::data;

namespace {

experiment::TextFormat formatOf(unsigned choice) {
  experiment::TextFormat format;
  if (choice == 1) format.header = true;
  if (choice == 2) {
    format.delimiter = "::";
    format.header = false;
  }
  if (choice == 3) {
    format.delimiter = ",";
    format.quote.reset();
    format.names = {"user", "item", "rating", "time"};
  }
  return format;
}

std::string packed(const std::string& text) {
  const std::filesystem::path path = fuzz::scratchFolder() / "seed.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  const bool isWritten =
      file != nullptr && gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0;
  if (gzclose(file) != Z_OK || !isWritten)
    fuzz::breakInvariant("the scratch folder can be written");
  return readFile(path).value();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const std::filesystem::path path = fuzz::scratchFolder() / "input.csv";
  fuzz::writeInput(path, fuzz::asText(data + 1, size - 1));
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = path.string();
  if (choice % 4 != 0) spec.format = formatOf(choice % 4);
  const auto source = openCsvSource(spec);
  if (!source.ok()) {
    fuzz::tell(source.error().message);
    return 0;
  }
  fuzz::readSource(**source, fuzz::requestsFor(**source, choice / 4 % 4));
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  const std::string ratings =
      "userId,movieId,rating,timestamp\n1,2,3.5,1112486027\n1,29,4.0,1112484676\n"
      "2,32,,1112484819\n-7,47,1e3,1112484727\n";
  const std::string quoted =
      "id;title;genres\r\n1;\"Toy \"\"Story\"\"; 1995\";Animation|Comedy\r\n2;Ünicode;7:0.5|8\r\n";
  const std::string plain = "1::10::5::978300760\n2::20::3::978302109\n";
  std::string many;
  for (int i = 0; i < 60; ++i) many += std::to_string(i) + "\t" + std::to_string(i * 37) + "\t1\n";
  const auto as = [](int choice, const std::string& text) {
    return static_cast<char>(choice) + text;
  };
  return {as(0, ratings),
          as(1, ratings),
          as(4, ratings),
          as(3, ratings),
          as(0, quoted),
          as(12, quoted),
          as(2, plain),
          as(8, many),
          as(0, packed(many)),
          as(0, "\xef\xbb\xbf" + ratings),
          as(0,
             "\xff\xfe"
             "a\0b\0"),
          as(12, "a\n\""),
          as(12, "id,text\n1,x\n2,\"y\n\xff\""),
          as(12, ";\n1;\";\"\"; 2147483647\";An")};
}

std::vector<std::string> fuzz::words() {
  return {"\n",
          "\r\n",
          "\r",
          "\"",
          "\"\"",
          ",",
          ";",
          "\t",
          "::",
          "|",
          ":",
          "\\N",
          "NULL",
          "nan",
          "inf",
          "1e999",
          "-",
          "+1",
          "1,5",
          "0x10",
          "true",
          " ",
          "9223372036854775808",
          "1_000",
          "\xef\xbb\xbf",
          "\xff\xfe",
          "\xc3",
          "2020-01-01",
          "\x1f\x8b\x08",
          std::string(1, '\0')};
}
