// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/element_type.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/strict_json.h"

namespace parapet::checkpoint {
namespace {

using nlohmann::json;

/// The bound of the format itself; without it a flipped bit makes a reader allocate the machine
/// away.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
/// Document, tensor, list of its shape: nothing in a header is nested deeper.
constexpr int kMaxHeaderDepth = 3;
/// More axes than any array library has; bounds what one entry may cost.
constexpr std::size_t kMaxRank = 64;

/// A tensor and where its bytes are in the data part.
struct Entry {
  TensorView tensor;
  std::uint64_t begin = 0, end = 0;
};

Error malformed(std::string what) {
  return Error{ErrorCode::kData, "safetensors: " + std::move(what)};
}

Error malformed(const std::string& name, std::string_view what) {
  return malformed(fmt::format("tensor \"{}\": {}", printable(name), what));
}

Result<std::string_view> headerText(std::span<const std::byte> bytes) {
  if (bytes.size() < kLengthBytes)
    return malformed(fmt::format("{} bytes; a file has at least 8", bytes.size()));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  const std::uint64_t available =
      std::min<std::uint64_t>(bytes.size() - kLengthBytes, kMaxHeaderBytes);
  if (length > available)
    return malformed(fmt::format("header of {} bytes; at most {} fit the file", length, available));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
                          static_cast<std::size_t>(length));
}

/// The value of `key` as a list of non-negative integers below 2^63.
Result<std::vector<std::int64_t>> integers(const std::string& name, const json& value,
                                           const char* key) {
  const auto found = value.find(key);
  if (found == value.end() || !found->is_array() || found->size() > kMaxRank)
    return malformed(name, fmt::format("{} is not a list of at most {} integers", key, kMaxRank));
  std::vector<std::int64_t> extents;
  for (const json& item : *found) {
    if (!item.is_number_unsigned() ||
        item.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return malformed(name, fmt::format("{} holds {}; non-negative integers are accepted", key,
                                         printable(item.dump())));
    extents.push_back(item.get<std::int64_t>());
  }
  return extents;
}

Result<Entry> readEntry(const std::string& name, const json& value) {
  if (name.empty()) return malformed("a tensor without a name");
  if (!value.is_object() || value.size() != 3)
    return malformed(name, "dtype, shape and data_offsets are accepted, and nothing else");
  const auto dtype = value.find("dtype");
  if (dtype == value.end() || !dtype->is_string()) return malformed(name, "dtype is not a text");
  const auto type = elementFromName(dtype->get_ref<const std::string&>());
  if (!type)
    return malformed(name,
                     fmt::format("type \"{}\"; F32, F64, F16, BF16, I32, I64 and U8 are accepted",
                                 printable(dtype->get_ref<const std::string&>())));
  PARAPET_ASSIGN(std::vector<std::int64_t> shape, integers(name, value, "shape"));
  PARAPET_ASSIGN(const auto offsets, integers(name, value, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    return malformed(name, "data_offsets is not [begin, end] with begin ≤ end");
  const auto expected = tensorBytes(shape, *type);
  if (!expected || *expected != offsets[1] - offsets[0])
    return malformed(
        name, fmt::format("{} bytes of data do not fill its shape", offsets[1] - offsets[0]));
  return Entry{TensorView{name, *type, std::move(shape), {}}, std::uint64_t(offsets[0]),
               std::uint64_t(offsets[1])};
}

Status checkMetadata(const json& value) {
  if (!value.is_object()) return malformed("__metadata__ is not an object of texts");
  for (const auto& [key, text] : value.items())
    if (!text.is_string())
      return malformed(fmt::format("__metadata__ \"{}\" is not a text", printable(key)));
  return {};
}

/// The format allows no gap and no overlap: data are the tensors, end to end.
Status placeData(std::vector<Entry>& entries, std::span<const std::byte> data) {
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (Entry& entry : entries) {
    if (entry.begin != expected)
      return malformed(entry.tensor.name, fmt::format("begins at byte {} of the data, {} expected",
                                                      entry.begin, expected));
    if (entry.end > data.size())
      return malformed(entry.tensor.name, fmt::format("ends at byte {} of the data, which have {}",
                                                      entry.end, data.size()));
    entry.tensor.bytes = data.subspan(static_cast<std::size_t>(entry.begin),
                                      static_cast<std::size_t>(entry.end - entry.begin));
    expected = entry.end;
  }
  if (expected != data.size())
    return malformed(fmt::format("{} bytes of data, {} belong to tensors", data.size(), expected));
  return {};
}

}  // namespace

Result<std::vector<TensorView>> parseSafetensors(std::span<const std::byte> bytes) {
  PARAPET_ASSIGN(const std::string_view text, headerText(bytes));
  const auto header = parseStrictJson(text, kMaxHeaderDepth);
  if (!header.ok()) return malformed("header: " + header.error().message);
  if (!header.value().is_object()) return malformed("header is not an object");

  std::vector<Entry> entries;
  for (const auto& [name, value] : header.value().items()) {
    if (name == "__metadata__") {
      PARAPET_TRY(checkMetadata(value));
      continue;
    }
    PARAPET_ASSIGN(Entry entry, readEntry(name, value));
    entries.push_back(std::move(entry));
  }
  PARAPET_TRY(placeData(entries, bytes.subspan(kLengthBytes + text.size())));

  std::vector<TensorView> tensors;
  for (Entry& entry : entries) tensors.push_back(std::move(entry.tensor));
  return tensors;
}

}  // namespace parapet::checkpoint
