// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "plugins/tcp/connections.h"

struct PcConnections {
  explicit PcConnections(const PcMeeting& meeting) : inner(meeting) {}
  parapet::tcp::Connections inner;
};

namespace parapet::tcp {
namespace {

std::int32_t refuse(PcError* error, std::int32_t code, int process, const char* text) {
  error->rank = process;
  std::snprintf(error->text, sizeof error->text, "%s", text);
  return code;
}

/// No exception leaves the plugin.
template <class Body>
std::int32_t bordered(PcError* error, const Body& body) {
  try {
    body();
    return PC_OK;
  } catch (const Failure& failure) {
    return refuse(error, failure.process() >= 0 ? PC_PEER : PC_FAILED, failure.process(),
                  failure.what());
  } catch (const std::bad_alloc&) {
    return refuse(error, PC_OUT_OF_MEMORY, -1, "no memory");
  } catch (const std::exception& exception) {
    return refuse(error, PC_FAILED, -1, exception.what());
  }
}

std::int32_t create(const PcMeeting* meeting, PcConnections** made, PcError* error) {
  return bordered(error, [&] { *made = new PcConnections(*meeting); });
}

void destroy(PcConnections* of) {
  delete of;
}

/// A call that returns nothing leaves its error to wait.
template <class Body>
void begun(PcConnections* of, const Body& body) {
  PcError error{.rank = -1, .text = {}};
  if (bordered(&error, body) != PC_OK) of->inner.close(error.text);
}

void send(PcConnections* of, std::int32_t to, std::uint64_t tag, const void* bytes,
          std::int64_t size) {
  begun(of, [&] { of->inner.send(to, tag, bytes, static_cast<std::size_t>(size)); });
}

void receive(PcConnections* of, std::int32_t from, std::uint64_t tag, void* bytes,
             std::int64_t size) {
  begun(of, [&] { of->inner.receive(from, tag, bytes, static_cast<std::size_t>(size)); });
}

std::int32_t wait(PcConnections* of, PcError* error) {
  return bordered(error, [&] { of->inner.wait(); });
}

void close(PcConnections* of, const char* reason) {
  of->inner.close(reason);
}

const PcPlugin& plugin() {
  static const PcTransport table{.structSize = sizeof(PcTransport),
                                 .create = create,
                                 .destroy = destroy,
                                 .send = send,
                                 .receive = receive,
                                 .wait = wait,
                                 .close = close};
  static const PcPlugin made{sizeof(PcPlugin), "tcp", nullptr, &table};
  return made;
}

}  // namespace
}  // namespace parapet::tcp

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PC_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PcPlugin* parapet_plugin(void) {
  return &parapet::tcp::plugin();
}

}  // extern "C"
