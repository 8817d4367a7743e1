// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "app/cli/commands/processes.h"
#include "app/cli/output.h"
#include "engine/base/clock.h"
#include "engine/base/threads.h"

extern char** environ;

namespace parapet::cli {
namespace {

constexpr int kPollMs = 20, kGraceMs = 500;

using Pipe = std::array<int, 2>;

void closeEnd(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

/// Starts sh with the command in a process group of its own: Ctrl-C in a terminal is for this
/// process, which tells the others. Returns what errno says, 0 if it runs.
int spawn(const std::string& command, int input, int output, pid_t& pid) {
  std::string shell = "sh", option = "-c", text = command;
  const std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = ::posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

}  // namespace

struct StartedProcesses::Process {
  int rank;
  std::string host, unsent;
  pid_t pid = 0;
  int input = -1, output = -1;
  std::string line{};  ///< printed without its end so far

  void print(std::string_view text) {
    line += text;
    for (std::size_t end; (end = line.find('\n')) != std::string::npos; line.erase(0, end + 1))
      writeStderr(fmt::format("[{}] {}", host,
                              line.substr(0, end > 0 && line[end - 1] == '\r' ? end - 1 : end)));
  }
  /// Whether there may be more.
  bool read() {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(output, bytes.data(), bytes.size());
    if (count > 0) print({bytes.data(), static_cast<std::size_t>(count)});
    if (count > 0) return true;
    if (count == 0 && !line.empty()) print("\n");
    if (count == 0) closeEnd(output);
    return false;
  }
  void write() {
    const ssize_t count = ::write(input, unsent.data(), unsent.size());
    // Whoever does not read any more has ended, and its end is told.
    if (count > 0) unsent.erase(0, static_cast<std::size_t>(count));
    if (count < 0 && errno == EPIPE) unsent.clear();
  }
};

Result<std::unique_ptr<StartedProcesses>> StartedProcesses::start(
    const std::vector<ProcessStart>& processes, const std::string& input,
    std::function<void(int rank, const std::string&)> onFailure) {
  auto started = std::make_unique<StartedProcesses>();
  started->onFailure_ = std::move(onFailure);
  for (const ProcessStart& start : processes) {
    Process process{start.rank, start.host, input};
    Pipe in{-1, -1}, out{-1, -1};
    int failed =
        ::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ? errno : 0;
    if (failed == 0) failed = spawn(start.command, in[0], out[1], process.pid);
    closeEnd(in[0]);
    closeEnd(out[1]);
    process.input = in[1];
    process.output = out[0];
    for (const int end : {process.input, process.output})
      if (end >= 0) ::fcntl(end, F_SETFL, O_NONBLOCK);
    started->processes_.push_back(std::move(process));
    if (failed != 0)
      return Error{ErrorCode::kPeer,
                   fmt::format("process {} did not start: {}", start.rank, std::strerror(failed))};
  }
  started->watch_ = std::jthread([self = started.get()](const std::stop_token& stop) {
    const ThreadName name("processes");
    self->watch(stop);
  });
  return started;
}

StartedProcesses::~StartedProcesses() {
  watch_ = {};
  for (Process& process : processes_) {
    closeEnd(process.input);
    closeEnd(process.output);
  }
}

void StartedProcesses::exchange() {
  std::vector<pollfd> waits;
  for (const Process& process : processes_) {
    waits.push_back({process.output, POLLIN, 0});
    waits.push_back({process.unsent.empty() ? -1 : process.input, POLLOUT, 0});
  }
  if (::poll(waits.data(), waits.size(), kPollMs) <= 0) return;
  for (std::size_t index = 0; index < processes_.size(); ++index) {
    if (waits[2 * index].revents != 0) processes_[index].read();
    if (waits[2 * index + 1].revents != 0) processes_[index].write();
  }
}

// A process that has been told of the end leaves at once; one that was stopped cannot.
void StartedProcesses::watch(const std::stop_token& stop) {
  std::optional<Stopwatch> stopped;
  for (std::size_t left = processes_.size(); left > 0;) {
    exchange();
    if (stop.stop_requested() && !stopped) stopped.emplace();
    for (Process& process : processes_) {
      if (process.pid == 0) continue;
      if (stopped && stopped->seconds() * 1000 > kGraceMs) ::kill(-process.pid, SIGKILL);
      int status = 0;
      if (::waitpid(process.pid, &status, WNOHANG) == 0) continue;
      process.pid = 0;
      --left;
      while (process.output >= 0 && process.read()) {
      }
      closeEnd(process.input);
      if (WIFSIGNALED(status))
        onFailure_(process.rank,
                   fmt::format("its process was ended by signal {}", WTERMSIG(status)));
      else if (WEXITSTATUS(status) != 0)
        onFailure_(process.rank, fmt::format("its process on {} ended with exit code {}",
                                             process.host, WEXITSTATUS(status)));
    }
  }
}

}  // namespace parapet::cli
