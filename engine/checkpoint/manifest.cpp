// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/strict_json.h"

namespace parapet::checkpoint {
namespace {

using nlohmann::json;

constexpr const char* kFormatName = "parapet-checkpoint";
constexpr const char* kHashKey = "manifest_hash";
/// Experiment documents are nested as deep as people write them, which is far less than this.
constexpr int kMaxManifestDepth = 64;

/// Bytes that are no UTF-8 (a file name in an error text) become U+FFFD rather than an exception.
std::string dump(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// The hash is over the parsed form, so that it does not depend on how the text is laid out.
std::string hashWithoutKey(json document) {
  document.erase(kHashKey);
  return hashHex(dump(document, -1));
}

std::string layOut(const json& document) {
  return dump(document, 1) + "\n";
}

json tensorList(const std::vector<TensorView>& tensors) {
  json list = json::array();
  for (const TensorView& tensor : tensors)
    list.push_back(
        {{"name", tensor.name}, {"dtype", elementName(tensor.type)}, {"shape", tensor.shape}});
  return list;
}

Error mismatch(std::string what) {
  return Error{ErrorCode::kData, "manifest: " + std::move(what)};
}

Manifest readFields(const json& document) {
  Manifest manifest;
  manifest.step = document.at("step").get<std::int64_t>();
  manifest.epoch = document.at("epoch").get<std::int64_t>();
  manifest.batch = document.at("batch").get<std::int64_t>();
  manifest.runId = document.at("run_id").get<std::string>();
  manifest.fingerprint = document.at("fingerprint").get<std::string>();
  manifest.dataset = document.at("dataset").get<std::string>();
  manifest.build = document.at("build").get<std::string>();
  manifest.experiment = document.at("experiment");
  manifest.trainerState = document.at("trainer_state");
  manifest.mesh = document.at("mesh");
  for (const auto& [key, value] : document.at("metrics").items())
    manifest.metrics[key] =
        value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  return manifest;
}

Result<TensorFile> readFile(const json& document) {
  const json& described = document.at("file");
  if (described.at("name") != kTensorFile || described.at("block_bytes") != kBlockBytes)
    return mismatch("describes another file or block size than this format has");
  TensorFile file;
  file.bytes = described.at("bytes").get<std::uint64_t>();
  file.blockHashes = described.at("blocks").get<std::vector<std::string>>();
  for (const json& entry : document.at("tensors")) {
    const auto type = elementFromName(entry.at("dtype").get_ref<const std::string&>());
    if (!type) return mismatch("unknown element type " + printable(entry.at("dtype").dump()));
    file.tensors.push_back({entry.at("name").get<std::string>(),
                            *type,
                            entry.at("shape").get<std::vector<std::int64_t>>(),
                            {}});
  }
  return file;
}

/// Name and version come first: they decide whether the rest means what we think.
Status checkFormat(const json& document) {
  if (!document.is_object() || document.value("format", json()) != kFormatName)
    return mismatch("is not the manifest of a checkpoint");
  const json version = document.value("version", json());
  if (version != kFormatVersion)
    return mismatch(fmt::format("format version {}; this program reads version {}",
                                printable(version.dump()), kFormatVersion));
  return {};
}

}  // namespace

void BlockHashes::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (!block_) block_ = std::make_unique<Hasher>();
    const std::size_t count = std::min(kBlockBytes - filled_, bytes.size());
    block_->update(bytes.first(count));
    bytes = bytes.subspan(count);
    filled_ += count;
    if (filled_ == kBlockBytes) closeBlock();
  }
}

std::vector<std::string> BlockHashes::finish() {
  if (filled_ > 0) closeBlock();
  return std::exchange(hashes_, {});
}

void BlockHashes::closeBlock() {
  hashes_.push_back(block_->hex());
  block_.reset();
  filled_ = 0;
}

std::string manifestText(const Manifest& manifest, const TensorFile& file) {
  json document{{"format", kFormatName},
                {"version", kFormatVersion},
                {"step", manifest.step},
                {"epoch", manifest.epoch},
                {"batch", manifest.batch},
                {"run_id", manifest.runId},
                {"fingerprint", manifest.fingerprint},
                {"dataset", manifest.dataset},
                {"build", manifest.build},
                {"experiment", manifest.experiment},
                {"trainer_state", manifest.trainerState},
                {"mesh", manifest.mesh},
                {"metrics", manifest.metrics},
                {"tensors", tensorList(file.tensors)},
                {"file",
                 {{"name", kTensorFile},
                  {"bytes", file.bytes},
                  {"block_bytes", kBlockBytes},
                  {"blocks", file.blockHashes}}}};
  // The hash is of the text that a reader will parse (replaced bytes, NaN as null), not of the
  // values in memory.
  document = json::parse(dump(document, -1));
  document[kHashKey] = hashWithoutKey(document);
  return layOut(document);
}

Result<ParsedManifest> parseManifest(std::string_view text) {
  const auto parsed = parseStrictJson(text, kMaxManifestDepth);
  if (!parsed.ok()) return mismatch(parsed.error().message);
  const json& document = parsed.value();
  PARAPET_TRY(checkFormat(document));
  if (document.value(kHashKey, json()) != hashWithoutKey(document))
    return mismatch("its content does not match its own hash");
  // The hash is blind to white space and escapes; damage there is still damage.
  if (layOut(document) != text) return mismatch("its text was changed after it was written");
  try {
    PARAPET_ASSIGN(TensorFile file, readFile(document));
    return ParsedManifest{readFields(document), std::move(file)};
  } catch (const json::exception& error) {
    return mismatch(fmt::format("a field is missing or of another type ({})", error.what()));
  }
}

}  // namespace parapet::checkpoint
