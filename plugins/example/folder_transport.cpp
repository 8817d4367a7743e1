// SPDX-License-Identifier: Apache-2.0
// A whole plugin in one file: the processes of a run exchange messages through a folder that all of
// them see. A message is the file `<from>-<to>-<number>` there, which its receiver removes.
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/mesh/communicator_abi.h"

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct PcConnections {
  const int process;
  const std::chrono::milliseconds timeout;
  fs::path folder{};
  std::map<std::string, int> sent{}, received{};  // messages so far, by "<from>-<to>-"
  std::vector<std::function<void()>> awaited{};

  /// The first process makes the folder; the store of the host tells the others where it is.
  void meet(const PcMeeting& meeting, PcError* error) {
    const PcStore& store = meeting.store;
    const std::string key = "folder/" + std::to_string(meeting.generation);
    char path[4096] = {};
    std::int64_t size = std::snprintf(path, sizeof path, "%s/parapet-folder-XXXXXX",
                                      fs::temp_directory_path().c_str());
    const bool met = process == 0 ? ::mkdtemp(path) && store.set(store.self, key.c_str(), path,
                                                                 size, error) == PC_OK
                                  : store.get(store.self, key.c_str(), path, sizeof path, &size,
                                              meeting.timeoutMs, error) == PC_OK;
    if (!met) throw std::runtime_error(std::string("no folder in TMPDIR: ") + error->text);
    folder = std::string(path, static_cast<std::size_t>(size));
  }
  /// A file appears with all that is in it.
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = folder / name,
                   unfinished = folder / (name + "." + std::to_string(process));
    std::ofstream out(unfinished, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(file.string() + " cannot be written");
    fs::rename(unfinished, file);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void requireOpen() const {
    if (!fs::exists(folder)) throw std::runtime_error("the first process has left");
    if (fs::exists(folder / "closed")) throw std::runtime_error(read("closed"));
  }
  void take(int from, const std::string& head, void* bytes, std::size_t size) {
    const std::string line = std::to_string(from) + "-" + std::to_string(process) + "-";
    const std::string name = line + std::to_string(received[line]++);
    for (const auto end = Clock::now() + timeout; !fs::exists(folder / name);
         std::this_thread::sleep_for(std::chrono::microseconds(50))) {
      requireOpen();
      if (Clock::now() > end) throw std::runtime_error("no message from " + line);
    }
    const std::string text = read(name);
    if (text.size() != head.size() + size || !text.starts_with(head))
      throw std::runtime_error(name + " is not the message that was expected");
    text.copy(static_cast<char*>(bytes), size, head.size());
    fs::remove(folder / name);
  }
};

namespace {

/// No exception leaves a plugin. What fails ends the run, for the other processes too.
template <class Body>
std::int32_t run(PcConnections* of, PcError* error, const Body& body) {
  try {
    body();
    return PC_OK;
  } catch (const std::exception& failure) {
    error->rank = -1;
    std::snprintf(error->text, sizeof error->text, "%s", failure.what());
    if (fs::exists(of->folder)) std::ofstream(of->folder / "closed") << error->text;
    return PC_PEER;
  }
}

std::int32_t create(const PcMeeting* meeting, PcConnections** made, PcError* error) {
  *made = new PcConnections{meeting->process, std::chrono::milliseconds(meeting->timeoutMs)};
  return run(*made, error, [&] { (*made)->meet(*meeting, error); });
}
void destroy(PcConnections* of) {
  std::error_code ignored;
  if (of->process == 0) fs::remove_all(of->folder, ignored);
  delete of;
}
void send(PcConnections* of, std::int32_t to, std::uint64_t tag, const void* bytes,
          std::int64_t n) {
  PcError error{};
  run(of, &error, [&] {
    const std::string line = std::to_string(of->process) + "-" + std::to_string(to) + "-";
    const std::string text(static_cast<const char*>(bytes), static_cast<std::size_t>(n));
    of->write(line + std::to_string(of->sent[line]++), std::to_string(tag) + "\n" + text);
  });
}
void receive(PcConnections* of, std::int32_t from, std::uint64_t tag, void* bytes, std::int64_t n) {
  of->awaited.push_back(
      [=] { of->take(from, std::to_string(tag) + "\n", bytes, static_cast<std::size_t>(n)); });
}
std::int32_t wait(PcConnections* of, PcError* error) {
  return run(of, error, [&] {
    of->requireOpen();
    for (const auto& take : std::exchange(of->awaited, {})) take();
  });
}
void close(PcConnections* of, const char* reason) {
  PcError error{};
  run(of, &error, [&] { of->write("closed", reason); });
}

constexpr PcTransport kTransport{sizeof(PcTransport), create, destroy, send, receive, wait, close};
constexpr PcPlugin kPlugin{sizeof(PcPlugin), "folder", nullptr, &kTransport};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PC_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PcPlugin* parapet_plugin(void) {
  return &kPlugin;
}
}
