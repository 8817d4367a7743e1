// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/wire.h"

#include <fmt/format.h>

#include "engine/base/byte_fields.h"

namespace parapet::launch {
namespace {

class WireWriter : public ByteWriter<WireWriter> {
 public:
  using ByteWriter::ByteWriter;
};

class WireReader : public ByteReader<WireReader> {
 public:
  using ByteReader::ByteReader;
  using ByteReader::get;
  void get(CommandKind& kind) { getEnum(kind, kCommandKinds, "a kind of command"); }
  void get(Ending& ending) { getEnum(ending, kEndings, "an ending"); }
};

Error wrongMessage(const std::string& what) {
  return {ErrorCode::kPeer, "launch: a message cannot be read: " + what};
}

}  // namespace

std::string encode(const Message& message) {
  std::string bytes;
  WireWriter writer(bytes);
  writer.put(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& each) { writer.put(each); }, message);
  if (bytes.size() > kMaxMessageBytes)
    throw InvalidArgument(fmt::format("launch: a message of {} bytes; {} are the most",
                                      bytes.size(), kMaxMessageBytes));
  return bytes;
}

Result<Message> decode(std::string_view bytes) {
  if (bytes.size() > kMaxMessageBytes) return wrongMessage("it is too long");
  WireReader reader(bytes);
  std::uint8_t number = 0;
  reader.get(number);
  Message message;
  if (!reader.problem.empty() || !holdAlternative(number, message))
    return wrongMessage(fmt::format("there is none with the number {}", number));
  std::visit([&](auto& each) { reader.get(each); }, message);
  if (!reader.problem.empty()) return wrongMessage(reader.problem);
  if (reader.left() > 0) return wrongMessage(fmt::format("{} bytes too many", reader.left()));
  return message;
}

}  // namespace parapet::launch
