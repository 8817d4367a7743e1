// SPDX-License-Identifier: Apache-2.0
#include <zip.h>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::data;

namespace {

constexpr ZipLimits kLimits{.unpackedBytes = 1 << 22, .ratio = 250.0, .ratioFromBytes = 1 << 16};

void readMember(const ZipArchive& archive, const ZipArchive::Member& member) {
  auto stream = archive.read(member);
  if (!stream.ok()) return fuzz::tell(stream.error().message);
  std::uint64_t bytes = 0;
  for (std::string part(4096, '\0');;) {
    const auto got = (*stream)->read(part);
    if (!got.ok()) return fuzz::tell(got.error().message);
    bytes += *got;
    if (bytes > kLimits.unpackedBytes) fuzz::breakInvariant("a member ends where it says");
    if (*got == 0) break;
  }
  if (bytes != member.bytes) fuzz::breakInvariant("a member that is whole has its length");
  fuzz::tell("read");
}

using Files = std::vector<std::pair<std::string, std::string>>;

/// An archive of files, as libzip makes it.
std::string packed(const Files& files, zip_int32_t method) {
  const std::filesystem::path path = fuzz::scratchFolder() / "seed.zip";
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, text] : files) {
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 9);
  }
  if (zip_close(archive) != 0) fuzz::breakInvariant("the scratch folder can be written");
  return readFile(path).value();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path path = fuzz::scratchFolder() / "input.zip";
  fuzz::writeInput(path, fuzz::asText(data, size));
  const auto archive = ZipArchive::open(path, kLimits);
  if (!archive.ok()) {
    if (!isValidUtf8(archive.error().text())) fuzz::breakInvariant("messages are UTF-8");
    fuzz::tell(archive.error().message);
    return 0;
  }
  for (const ZipArchive::Member& member : archive->members()) {
    const std::filesystem::path name(member.name);
    if (name.is_absolute() || member.name.find('\\') != std::string::npos)
      fuzz::breakInvariant("names stay in the archive");
    for (const auto& part : name)
      if (part == "..") fuzz::breakInvariant("names stay in the archive");
    readMember(*archive, member);
  }
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  const Files small{{"ratings.csv", "1,2,3\n4,5,6\n"}};
  const Files folder{{"ml-1m/ratings.dat", "1::2::5::97830\n"},
                     {"ml-1m/movies.dat", "1::Ünicode (1995)::Comedy\n"},
                     {"ml-1m/README", std::string(2000, 'x')}};
  const Files bad{{"../a", "1"}, {"/b", "2"}, {"c\\..\\d", "3"}};
  return {packed(small, ZIP_CM_STORE), packed(small, ZIP_CM_DEFLATE),
          packed(folder, ZIP_CM_DEFLATE), packed(bad, ZIP_CM_STORE),
          packed({{"zeros", std::string(200000, '\0')}}, ZIP_CM_DEFLATE)};
}

std::vector<std::string> fuzz::words() {
  return {"PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07",
          "PK\x07\x08", "../",        "/",          "\\",         "ratings.csv"};
}
