// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/npy.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/strict_json.h"

namespace parapet::checkpoint {
namespace {

struct ElementTraits {
  ElementType type;
  const char* name;
  const char* npy;
  std::size_t bytes;
};

constexpr std::array kElements{
    ElementTraits{ElementType::kF32, "F32", "<f4", 4},
    ElementTraits{ElementType::kF64, "F64", "<f8", 8},
    ElementTraits{ElementType::kI32, "I32", "<i4", 4},
    ElementTraits{ElementType::kI64, "I64", "<i8", 8},
    ElementTraits{ElementType::kU8, "U8", "|u1", 1},
    ElementTraits{ElementType::kF16, "F16", "<f2", 2},
    // NumPy has no type of it; the bytes are there.
    ElementTraits{ElementType::kBf16, "BF16", "|V2", 2},
};

const ElementTraits& traitsOf(ElementType type) {
  for (const ElementTraits& traits : kElements)
    if (traits.type == type) return traits;
  throw InvalidArgument(fmt::format("checkpoint: {} is no element type", static_cast<int>(type)));
}

void requireNames(std::span<const TensorView> tensors) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    if (tensor.name.empty() || tensor.name == "__metadata__" || !isValidUtf8(tensor.name))
      throw InvalidArgument(
          fmt::format("safetensors: \"{}\" cannot name a tensor", printable(tensor.name)));
    if (!names.insert(tensor.name).second)
      throw InvalidArgument(fmt::format("safetensors: two tensors are named \"{}\"", tensor.name));
  }
}

/// Length of the JSON, little-endian whatever the machine.
std::string lengthPrefix(std::size_t length) {
  std::string prefix(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    prefix[i] = static_cast<char>((length >> (8 * i)) & 0xff);
  return prefix;
}

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

/// IEEE binary16: sign, 5 bits of exponent (bias 15), 10 of fraction.
float fromHalf(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, fraction = bits & 0x3ffu;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  if (exponent == 0) {
    const float small = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(small) | sign);
  }
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

/// The upper half of an f32.
float fromBf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace

std::size_t elementBytes(ElementType type) {
  return traitsOf(type).bytes;
}
const char* elementName(ElementType type) {
  return traitsOf(type).name;
}
const char* npyDescription(ElementType type) {
  return traitsOf(type).npy;
}

std::optional<ElementType> elementFromName(std::string_view name) {
  for (const ElementTraits& traits : kElements)
    if (name == traits.name) return traits.type;
  return std::nullopt;
}

std::optional<std::int64_t> tensorBytes(std::span<const std::int64_t> shape, ElementType type) {
  auto bytes = static_cast<std::int64_t>(elementBytes(type));
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (bytes > std::numeric_limits<std::int64_t>::max() / extent) return std::nullopt;
    bytes *= extent;
  }
  return empty ? 0 : bytes;
}

void requireConsistent(const TensorView& tensor) {
  const auto expected = tensorBytes(tensor.shape, tensor.type);
  if (expected && static_cast<std::uint64_t>(*expected) == tensor.bytes.size()) return;
  throw InvalidArgument(fmt::format(
      "checkpoint: tensor \"{}\" of shape [{}] and type {} has {} bytes", printable(tensor.name),
      fmt::join(tensor.shape, ", "), elementName(tensor.type), tensor.bytes.size()));
}

SafetensorsPlan planSafetensors(std::span<const TensorView> tensors,
                                const std::map<std::string, std::string>& metadata) {
  requireNames(tensors);
  SafetensorsPlan plan;
  for (const TensorView& tensor : tensors) {
    requireConsistent(tensor);
    plan.order.push_back(&tensor);
  }
  std::ranges::stable_sort(plan.order, std::ranges::greater{},
                           [](const TensorView* tensor) { return elementBytes(tensor->type); });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t begin = 0;
  for (const TensorView* tensor : plan.order) {
    const std::uint64_t end = begin + tensor->bytes.size();
    header[tensor->name] = {{"dtype", elementName(tensor->type)},
                            {"shape", tensor->shape},
                            {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  const std::size_t used = (kLengthBytes + text.size()) % kDataAlignment;
  if (used != 0) text.append(kDataAlignment - used, ' ');
  plan.header = lengthPrefix(text.size()) + text;
  return plan;
}

Status writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                        const std::map<std::string, std::string>& metadata) {
  const SafetensorsPlan plan = planSafetensors(tensors, metadata);
  return writeAtomically(path, [&](FileWriter& writer) -> Status {
    PARAPET_TRY(writer.write(plan.header));
    for (const TensorView* tensor : plan.order) PARAPET_TRY(writer.write(tensor->bytes));
    return {};
  });
}

Status writeNpy(const std::filesystem::path& path, const TensorView& tensor) {
  requireConsistent(tensor);
  return parapet::writeNpy(path, npyDescription(tensor.type), tensor.shape, tensor.bytes);
}

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

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile opened;
  opened.path_ = path;
  PARAPET_ASSIGN(opened.file_, MappedFile::open(path));
  auto tensors = parseSafetensors(opened.file_.bytes());
  if (!tensors)
    return Error{ErrorCode::kData,
                 fmt::format("{}: {}", path.string(), tensors.error().message),
                 {},
                 path.string()};
  opened.tensors_ = std::move(tensors).value();
  return opened;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &TensorView::name);
  return found == tensors_.end() ? nullptr : &*found;
}

bool isFloat(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBf16;
}

void readFloats(const TensorView& tensor, std::span<float> out) {
  requireConsistent(tensor);
  if (!isFloat(tensor.type) || tensor.bytes.size() != out.size() * elementBytes(tensor.type))
    throw InvalidArgument(fmt::format("[checkpoint.readFloats] \"{}\" of type {} into {} floats",
                                      printable(tensor.name), elementName(tensor.type),
                                      out.size()));
  if (tensor.type == ElementType::kF32) {
    std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
    return;
  }
  const bool isHalf = tensor.type == ElementType::kF16;
  for (std::size_t index = 0; index < out.size(); ++index) {
    std::uint16_t bits = 0;
    // A file of others may have its data at an odd address.
    std::memcpy(&bits, tensor.bytes.data() + index * sizeof bits, sizeof bits);
    out[index] = isHalf ? fromHalf(bits) : fromBf16(bits);
  }
}

}  // namespace parapet::checkpoint
