// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/atomic_file.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/element_type.h"

namespace parapet::checkpoint {
namespace {

/// NumPy's own limit; a longer header than version 1.0 can hold cannot come about below it.
constexpr std::size_t kMaxRank = 32;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPrefixBytes = 10;  // magic 6, version 2, header length 2

/// "()", "(3,)", "(3, 4)": a Python tuple.
std::string tuple(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string npyHeader(const TensorView& tensor) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 npyDescription(tensor.type), tuple(tensor.shape));
  const std::size_t used = (kPrefixBytes + text.size() + 1) % kAlignment;
  if (used != 0) text.append(kAlignment - used, ' ');
  text += '\n';
  std::string prefix = "\x93NUMPY";
  prefix += '\x01';
  prefix += '\x00';
  prefix += static_cast<char>(text.size() & 0xff);
  prefix += static_cast<char>(text.size() >> 8);
  return prefix + text;
}

}  // namespace

Status writeNpy(const std::filesystem::path& path, const TensorView& tensor) {
  requireConsistent(tensor);
  if (tensor.shape.size() > kMaxRank)
    throw InvalidArgument(fmt::format("npy: tensor \"{}\" has {} axes; at most {} are accepted",
                                      printable(tensor.name), tensor.shape.size(), kMaxRank));
  return writeAtomically(path, [&](FileWriter& writer) -> Status {
    PARAPET_TRY(writer.write(npyHeader(tensor)));
    return writer.write(tensor.bytes);
  });
}

}  // namespace parapet::checkpoint
