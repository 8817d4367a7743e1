// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/json_number.h"
#include "engine/base/workers.h"

namespace parapet::data {
namespace {

using Json = nlohmann::json;

constexpr const char* kHashKey = "manifest_hash";
// Rows and offsets of a column must stay countable in bytes.
constexpr std::int64_t kMaxRows = std::int64_t{1} << 58;

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Hashes the parsed form, so that the hash does not depend on the layout of the text.
std::string hashWithoutKey(Json json) {
  json.erase(kHashKey);
  return hashHex(dump(json, -1));
}

std::string layOut(const Json& json) {
  return dump(json, 2) + "\n";
}

Json toJson(const Manifest& manifest) {
  Json json{{"parapet_dataset", manifest.version},
            {"hash", manifest.hash},
            {"rows", manifest.rows},
            {"label_scale", nullptr},
            {"files", Json::array()},
            {"vocabularies", Json::array()},
            {"columns", Json::array()},
            {"vectors", Json::array()},
            {"filtered_out", manifest.filteredOut},
            {"below_core", manifest.belowCore},
            {"sources", Json::array()},
            {"bad_lines", Json::array()},
            {"warnings", manifest.warnings}};
  if (manifest.scale) json["label_scale"] = *manifest.scale;
  for (const auto& file : manifest.files)
    json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"blocks", file.blocks}});
  for (const auto& vocabulary : manifest.vocabularies)
    json["vocabularies"].push_back({{"name", vocabulary.name},
                                    {"size", vocabulary.size},
                                    {"oov_share", numberOrNull(vocabulary.oovShare)},
                                    {"unused_rows", vocabulary.unusedRows},
                                    {"shared_ids", vocabulary.sharedIds}});
  for (const auto& column : manifest.columns)
    json["columns"].push_back({{"name", column.name},
                               {"role", column.role},
                               {"vocabulary", column.vocabulary},
                               {"longest_bag", column.longestBag},
                               {"entities", column.entities}});
  for (const auto& vectors : manifest.vectors)
    json["vectors"].push_back({{"name", vectors.name},
                               {"vocabulary", vectors.vocabulary},
                               {"width", vectors.width},
                               {"rows", vectors.rows}});
  for (const auto& source : manifest.sources)
    json["sources"].push_back(
        {{"file", source.file}, {"good", source.good}, {"bad", source.rejected}});
  for (const auto& bad : manifest.rejectedLines)
    json["bad_lines"].push_back({{"file", bad.file},
                                 {"line", bad.line},
                                 {"reason", bad.reason},
                                 {"excerpt", bad.excerpt},
                                 {"pointer", bad.pointer}});
  return json;
}

// Throws Json::exception where a member is missing or of another type.
Manifest fromJson(const Json& json) {
  Manifest manifest;
  json.at("parapet_dataset").get_to(manifest.version);
  json.at("hash").get_to(manifest.hash);
  json.at("rows").get_to(manifest.rows);
  json.at("warnings").get_to(manifest.warnings);
  if (const Json& scale = json.at("label_scale"); !scale.is_null())
    manifest.scale = scale.get<std::array<double, 2>>();
  for (const Json& file : json.at("files"))
    manifest.files.push_back(
        {file.at("name"), file.at("bytes"), file.at("blocks").get<std::vector<std::string>>()});
  for (const Json& vocabulary : json.at("vocabularies"))
    manifest.vocabularies.push_back(
        {vocabulary.at("name"), vocabulary.at("size"), numberOrNan(vocabulary.at("oov_share")),
         vocabulary.at("unused_rows"), vocabulary.value("shared_ids", std::int64_t{0})});
  for (const Json& column : json.at("columns"))
    manifest.columns.push_back({column.at("name"), column.at("role"), column.at("vocabulary"),
                                column.at("longest_bag"), column.value("entities", std::string())});
  for (const Json& vectors : json.at("vectors"))
    manifest.vectors.push_back(
        {vectors.at("name"), vectors.at("vocabulary"), vectors.at("width"), vectors.at("rows")});
  json.at("filtered_out").get_to(manifest.filteredOut);
  json.at("below_core").get_to(manifest.belowCore);
  for (const Json& source : json.at("sources"))
    manifest.sources.push_back({source.at("file"), source.at("good"), source.at("bad")});
  for (const Json& bad : json.at("bad_lines"))
    manifest.rejectedLines.push_back(
        {bad.at("file"), bad.at("line"), bad.at("reason"), bad.at("excerpt"), bad.at("pointer")});
  return manifest;
}

// Pages of the file are given back behind the reader.
Status describe(const std::filesystem::path& folder, Manifest::File& described) {
  PARAPET_ASSIGN(const MappedFile file, MappedFile::open(folder / described.name));
  const std::span<const std::byte> bytes = file.bytes();
  described.bytes = bytes.size();
  described.blocks.clear();
  for (std::size_t first = 0; first < bytes.size(); first += Manifest::kBlockBytes) {
    const std::size_t count = std::min(Manifest::kBlockBytes, bytes.size() - first);
    described.blocks.push_back(hashHex(bytes.subspan(first, count)));
    file.release(first, first + count);
  }
  return file.intact();
}

}  // namespace

Status Manifest::describeFiles(const std::filesystem::path& folder) {
  std::vector<Status> described(files.size());
  Workers(Workers::available()).parallelFor(std::ssize(files), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    described[at] = describe(folder, files[at]);
  });
  for (const Status& status : described) PARAPET_TRY(status);
  return {};
}

const Manifest::File* Manifest::file(std::string_view name) const {
  for (const File& candidate : files)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

bool Manifest::hasInteractions() const {
  const auto has = [this](std::string_view role) {
    return std::ranges::find(columns, role, &Column::role) != columns.end();
  };
  return has("user") && has("item");
}

std::int64_t Manifest::quarantined() const {
  std::int64_t sum = 0;
  for (const Source& source : sources) sum += source.rejected;
  return sum;
}

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const File& each : files) sum += each.bytes;
  return sum;
}

Status Manifest::write(const std::filesystem::path& folder) const {
  // The hash is of the text that a reader will parse, with replaced bytes, not of the values in memory.
  Json json = Json::parse(dump(toJson(*this), -1));
  json[kHashKey] = hashWithoutKey(json);
  return writeFileAtomically(folder / kFileName, layOut(json));
}

Result<Manifest> Manifest::read(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFileName;
  const auto damaged = [&](std::string_view what) {
    return Error{ErrorCode::kData, fmt::format("data set manifest {}: {}", path.string(), what), "",
                 path.string()};
  };
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored))
    return Error{ErrorCode::kNotFound, fmt::format("data set {} does not exist", folder.string()),
                 "", folder.string()};
  const auto text = readFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return damaged("is missing");
  if (!text) return text.error();
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return damaged("is no JSON object");
  const auto version = json.find("parapet_dataset");
  if (version == json.end() || !version->is_number_integer()) return damaged("has no version");
  if (*version < kOldestVersion)
    return Error{
        ErrorCode::kNotFound,
        fmt::format("data set manifest {}: has version {}, written by an older program; {} "
                    "is accepted",
                    path.string(), version->dump(), kVersion),
        "", path.string()};
  if (*version > kVersion)
    return damaged(fmt::format("has version {}, written by a newer program; {} is accepted",
                               version->dump(), kVersion));
  if (json.value(kHashKey, Json()) != hashWithoutKey(json))
    return damaged("does not match its own hash");
  // The hash is blind to white space, escapes and repeated keys.
  if (layOut(json) != *text) return damaged("was changed after it was written");
  try {
    Manifest manifest = fromJson(json);
    if (manifest.rows < 1 || manifest.rows > kMaxRows)
      return damaged(fmt::format("has {} rows; at least 1 is accepted", manifest.rows));
    return manifest;
  } catch (const Json::exception& malformed) {
    return damaged(fmt::format("is malformed: {}", malformed.what()));
  }
}

}  // namespace parapet::data
