// SPDX-License-Identifier: Apache-2.0
#include "engine/base/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/atomic_file.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Far more than the header of an array of f32 needs.
constexpr std::uint64_t kMaxHeaderBytes = 1 << 20;

/// The header's dictionary, a Python literal, and where the elements begin.
struct Header {
  std::string_view dictionary;
  std::size_t dataOffset = 0;
};

/// magic, version, length of the dictionary (2 bytes in version 1, 4 afterwards), dictionary.
std::optional<Header> headerOf(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + 4 || !bytes.starts_with(kMagic)) return std::nullopt;
  const auto byteAt = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const std::size_t version = byteAt(kMagic.size()), lengthAt = kMagic.size() + 2;
  const std::size_t lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || bytes.size() < lengthAt + lengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = lengthBytes; i-- > 0;) length = length << 8 | byteAt(lengthAt + i);
  const std::size_t begin = lengthAt + lengthBytes;
  if (length > bytes.size() - begin) return std::nullopt;
  return Header{bytes.substr(begin, length), begin + length};
}

/// The text behind "'key':" in the dictionary; empty if the key is not there.
std::string_view valueOf(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return {};
  const std::size_t colon = dictionary.find(':', at);
  return colon == std::string_view::npos ? std::string_view{} : trim(dictionary.substr(colon + 1));
}

/// Up to `end`, without the character before it begins.
std::optional<std::string_view> between(std::string_view text, char begin, char end) {
  const std::size_t last = text.find(end, 1);
  if (!text.starts_with(begin) || last == std::string_view::npos) return std::nullopt;
  return text.substr(1, last - 1);
}

/// "(3, 4)", "(3,)", "()".
std::optional<std::vector<std::int64_t>> shapeOf(std::string_view value) {
  const auto inside = between(value, '(', ')');
  if (!inside) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const std::string_view field : splitFields(*inside, ',')) {
    if (trim(field).empty()) continue;
    const auto length = parseInt(trim(field));
    if (!length || *length < 0) return std::nullopt;
    shape.push_back(*length);
  }
  return shape;
}

/// Product of the lengths; nullopt if there is no memory for so many f32.
std::optional<std::int64_t> elementsOf(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t length : shape)
    if (__builtin_mul_overflow(count, length, &count)) return std::nullopt;
  constexpr auto kMaxCount = std::numeric_limits<std::int64_t>::max() / std::int64_t{sizeof(float)};
  return count <= kMaxCount ? std::optional(count) : std::nullopt;
}

constexpr std::size_t kMaxAxes = 32;  // NumPy's own limit
constexpr std::size_t kAlignment = 64;

/// "()", "(3,)", "(3, 4)": a Python tuple.
std::string tupleText(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Magic, version 1.0, length of the dictionary, dictionary; elements follow at a multiple of 64.
std::string headerText(std::string_view type, std::span<const std::int64_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type,
                                 tupleText(shape));
  const std::size_t prefixBytes = kMagic.size() + 4;
  const std::size_t used = (prefixBytes + text.size() + 1) % kAlignment;
  if (used != 0) text.append(kAlignment - used, ' ');
  text += '\n';
  std::string prefix(kMagic);
  prefix += '\x01';
  prefix += '\x00';
  prefix += static_cast<char>(text.size() & 0xff);
  prefix += static_cast<char>(text.size() >> 8);
  return prefix + text;
}

}  // namespace

Result<NpyFile> NpyFile::openFloats(const std::filesystem::path& path) {
  const auto refused = [&](std::string_view found, std::string_view accepted) {
    return Error{.code = ErrorCode::kData,
                 .message = fmt::format("{}: {}; {}", path.string(), found, accepted),
                 .path = path.string()};
  };
  PARAPET_ASSIGN(FileReader file, FileReader::open(path));
  std::string start(static_cast<std::size_t>(std::min(file.size(), kMaxHeaderBytes)), '\0');
  PARAPET_TRY(file.read(0, std::as_writable_bytes(std::span(start))));
  const auto header = headerOf(start);
  if (!header) return refused("no NumPy file", "accepted is an array that numpy.save has written");
  const auto type = between(valueOf(header->dictionary, "descr"), '\'', '\'');
  const std::string_view order = valueOf(header->dictionary, "fortran_order");
  const auto shape = shapeOf(valueOf(header->dictionary, "shape"));
  const auto count = shape ? elementsOf(*shape) : std::nullopt;
  if (!type || !count || !(order.starts_with("True") || order.starts_with("False")))
    return refused(fmt::format("the header is {}", printable(header->dictionary)),
                   "accepted are 'descr', 'fortran_order' and 'shape' of one array");
  if (*type != "<f4")
    return refused(fmt::format("elements of type '{}'", printable(*type)),
                   "accepted is '<f4' (numpy.float32)");
  if (order.starts_with("True"))
    return refused("the array is in Fortran order", "accepted is C order");
  const std::uint64_t wanted = static_cast<std::uint64_t>(*count) * sizeof(float);
  const std::uint64_t found = file.size() - header->dataOffset;
  if (found < wanted)
    return refused(fmt::format("{} of data", formatBytes(found)),
                   fmt::format("the shape has {}", formatBytes(wanted)));
  NpyFile made(std::move(file));
  made.dataOffset_ = header->dataOffset;
  made.shape_ = *shape;
  made.size_ = *count;
  return made;
}

Status NpyFile::read(std::int64_t first, std::span<float> out) const {
  if (first < 0 || first + static_cast<std::int64_t>(out.size()) > size_)
    throw InvalidArgument(fmt::format("[base.NpyFile] elements {} … {} of {}", first,
                                      first + static_cast<std::int64_t>(out.size()) - 1, size_));
  return file_.read(dataOffset_ + static_cast<std::uint64_t>(first) * sizeof(float),
                    std::as_writable_bytes(out));
}

Status writeNpy(const std::filesystem::path& path, std::string_view type,
                std::span<const std::int64_t> shape, std::span<const std::byte> bytes) {
  if (shape.size() > kMaxAxes)
    throw InvalidArgument(fmt::format("[writeNpy] an array of {} axes; at most {} are accepted",
                                      shape.size(), kMaxAxes));
  return writeAtomically(path, [&](FileWriter& writer) -> Status {
    PARAPET_TRY(writer.write(headerText(type, shape)));
    return writer.write(bytes);
  });
}

}  // namespace parapet
