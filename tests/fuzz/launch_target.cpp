// SPDX-License-Identifier: Apache-2.0
// The first byte of an input chooses: a message, or bytes that a connection receives before and
// within its greeting.
#include "engine/launch/channel.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::launch;

namespace {

constexpr Secret kFuzzSecret{1};

std::string greetingOf(Channel& client, Channel& server) {
  std::string said(client.unsent());
  client.wrote(said.size());
  (void)client.receive(server.unsent());
  said += client.unsent();
  client.wrote(client.unsent().size());
  return said;
}

Channel channelOf(Channel::Side side) {
  return {side, kFuzzSecret, std::string(kNonceBytes, side == Channel::Side::kServer ? 's' : 'c')};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::asText(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    const auto message = decode(bytes);
    fuzz::tell(message.ok() ? "read" : message.error().message);
    if (message.ok() && encode(*message) != bytes)
      fuzz::breakInvariant("a message has one spelling");
    return 0;
  }
  Channel server = channelOf(Channel::Side::kServer);
  const Status received = server.receive(bytes);
  fuzz::tell(received.ok() ? "accepted" : received.error().message);
  if (!server.isOpen() && !server.take().empty())
    fuzz::breakInvariant("nothing is read before the greeting is over");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const Message& message : std::initializer_list<Message>{
           Join{1, 1, 4, "node1", 5, {{"build", "x"}}}, Begin{1, {0, 1}, {"a", "b"}, "plan", "c"},
           Beat{1, 2}, Command{1, 2, CommandKind::kValidate, "arguments", 3},
           Done{1, 2, 3, {{"piece", 4, "hash"}}, "full"}, Failure{1, "reason", 2},
           Verdict{1, Ending::kRestart, 2, "node2", "reason"}, Bye{1}, Set{"key", "value"},
           Get{1, "key", 1000}, Value{1, true, "value"}})
    seeds.push_back('\0' + encode(message));
  Channel client = channelOf(Channel::Side::kClient), server = channelOf(Channel::Side::kServer);
  const std::string greeting = greetingOf(client, server);
  // The keys come from both nonces, which are always the same here.
  Channel peer = channelOf(Channel::Side::kServer);
  (void)peer.receive(greeting);
  (void)client.receive(peer.unsent());
  seeds.push_back('\1' + greeting);
  client.send(Beat{1, 2});
  client.send(Set{"key", "value"});
  seeds.push_back('\1' + greeting + std::string(client.unsent()));
  return seeds;
}

std::vector<std::string> fuzz::words() {
  return {"parapet",
          std::string("parapet\0\1\0", 10),
          "\xff\xff\xff\xff",
          std::string(4, '\0'),
          std::string("\1\0\0\0", 4),
          "\x7f",
          std::string(16, 'c')};
}
