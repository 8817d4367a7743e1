// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/npy.h"
#include "engine/base/text.h"
#include "engine/checkpoint/element_type.h"

namespace parapet::checkpoint {
namespace {

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

}  // namespace

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

}  // namespace parapet::checkpoint
