// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/tcp/processes.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "engine/base/plugin_library.h"

namespace parapet::sample {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Keys name folders to people; here a file has no other.
fs::path fileOf(const fs::path& folder, std::string key) {
  std::ranges::replace(key, '/', '_');
  return folder / key;
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeAtOnce(const fs::path& file, const std::string& text) {
  static std::atomic<int> count = 0;
  const fs::path part = fmt::format("{}.{}.{}", file.string(), getpid(), count++);
  std::ofstream(part, std::ios::binary) << text;
  fs::rename(part, file);
}

}  // namespace

mesh::Store storeIn(const fs::path& folder) {
  return {.set = [folder](const std::string& key, const std::string& value) -> Status {
            writeAtOnce(fileOf(folder, key), value);
            return {};
          },
          .get = [folder](const std::string& key, milliseconds timeout) -> Result<std::string> {
            const auto deadline = Clock::now() + timeout;
            const fs::path file = fileOf(folder, key);
            while (!fs::exists(file)) {
              if (Clock::now() >= deadline) return Error{ErrorCode::kPeer, "nobody has set " + key};
              std::this_thread::sleep_for(milliseconds(1));
            }
            return contentOf(file);
          }};
}

mesh::Meeting meetingIn(const fs::path& folder, int processes, int process, milliseconds timeout,
                        std::int64_t generation) {
  return {.processes = processes,
          .process = process,
          .timeout = timeout,
          .bindAddress = "127.0.0.1",
          .generation = generation,
          .store = storeIn(folder)};
}

const PcTransport& pluginTransport() {
  static const PcTransport* const table = [] {
    const PluginOpening opening = openPlugin(
        PARAPET_TCP_PLUGIN, {PC_ABI_VERSION, PARAPET_BUILD_TAG, PluginKind::kCommunicator});
    if (!opening.table) throw std::runtime_error(opening.reason);
    return static_cast<const PcPlugin*>(opening.table)->transport;
  }();
  return *table;
}

Processes::Processes(const std::string& scenario, int processes, fs::path folder)
    : folder_(std::move(folder)) {
  for (int process = 0; process < processes; ++process) {
    std::vector<std::string> words{
        "/proc/self/exe",        "--process",     scenario, std::to_string(processes),
        std::to_string(process), folder_.string()};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = -1;
    if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0)
      throw std::runtime_error("a process cannot be started");
    pids_.push_back(pid);
  }
}

Processes::~Processes() {
  for (const pid_t pid : pids_) {
    if (pid < 0) continue;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

End Processes::wait(int process) {
  pid_t& pid = pids_[static_cast<std::size_t>(process)];
  int status = 0;
  waitpid(pid, &status, 0);
  pid = -1;
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .said = contentOf(folder_ / fmt::format("said.{}", process))};
}

std::vector<int> Processes::listening() const {
  std::set<std::string> inodes;
  for (const pid_t pid : pids_) {
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), gone))
      inodes.insert(fs::read_symlink(entry.path(), gone).string());
  }
  std::vector<int> ports;
  std::ifstream table("/proc/self/net/tcp");
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::istringstream in(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    constexpr std::size_t kLocal = 1, kState = 3, kInode = 9;
    if (words.size() > kInode && words[kState] == "0A" &&
        inodes.contains(fmt::format("socket:[{}]", words[kInode])))
      ports.push_back(std::stoi(words[kLocal].substr(words[kLocal].find(':') + 1), nullptr, 16));
  }
  return ports;
}

void note(const fs::path& folder, const std::string& name, const std::string& text) {
  writeAtOnce(folder / name, text);
}

bool awaitNote(const fs::path& folder, const std::string& name) {
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  while (!fs::exists(folder / name)) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

}  // namespace parapet::sample
