// SPDX-License-Identifier: Apache-2.0
#include "engine/base/plugin_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/process.h"
#include "engine/base/result.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

using Clock = std::chrono::steady_clock;

// How long one wait for the child lasts before stop and time limit are looked at again.
constexpr std::chrono::milliseconds kLook{20};
// The descriptor on which the child says that the plugin came back.
constexpr int kSayDescriptor = 3;

std::mutex stopMutex;
std::function<bool()> stopQuestion;  // guarded by stopMutex

bool userAsksToStop() {
  const std::lock_guard lock(stopMutex);
  return stopQuestion && stopQuestion();
}

/// A pipe whose ends close with it.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) ends = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  void closeWriteEnd() { ::close(std::exchange(ends[1], -1)); }
  [[nodiscard]] bool saysReturned() const {
    char said = 0;
    return ::read(ends[0], &said, 1) == 1 && said == '1';
  }
};

/// Starts the child in a process group of its own: Ctrl-C reaches this program alone, which then
/// ends the group. Its standard streams go nowhere, because a plugin may write to them while it is
/// loaded. Returns 0, or the reason as errno has it.
int spawn(const std::filesystem::path& program, std::vector<std::string> words, const Pipe& pipe,
          pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], kSayDescriptor);
  sigset_t handled, blocked;
  ::sigemptyset(&blocked);
  ::sigfillset(&handled);
  ::posix_spawnattr_setsigmask(&attributes, &blocked);
  ::posix_spawnattr_setsigdefault(&attributes, &handled);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int refusal =
      ::posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return refusal;
}

/// The wait status of a child that has ended.
std::optional<int> statusOf(pid_t child, int options) {
  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(child, &status, options);
  while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

void endGroup(pid_t child) {
  ::kill(-child, SIGKILL);
  (void)statusOf(child, 0);
}

Trial ended(int status, const Pipe& pipe) {
  if (WIFSIGNALED(status))
    return {TrialEnd::kDied, fmt::format("it ended the process that tried it by signal {} ({})",
                                         WTERMSIG(status), ::strsignal(WTERMSIG(status)))};
  if (WEXITSTATUS(status) != 0 || !pipe.saysReturned())
    return {TrialEnd::kDied, fmt::format("it ended the process that tried it with exit code {}",
                                         WEXITSTATUS(status))};
  return {};
}

}  // namespace

const char* pluginKindName(PluginKind kind) {
  switch (kind) {
    case PluginKind::kDevice:
      return "device";
    case PluginKind::kSource:
      return "source";
    case PluginKind::kCommunicator:
      return "communicator";
  }
  return "";
}

void setTrialStop(std::function<bool()> asksToStop) {
  const std::lock_guard lock(stopMutex);
  stopQuestion = std::move(asksToStop);
}

Trial tryInChild(const std::filesystem::path& plugin, const PluginContract& contract,
                 std::chrono::milliseconds limit) {
  const auto program =
      (programFolder() / ".." / "lib" / "parapet" / "parapet-plugin-trial").lexically_normal();
  Pipe pipe;
  pid_t child = 0;
  const int refusal =
      pipe.ends[0] < 0
          ? errno
          : spawn(program,
                  {program.string(), std::filesystem::absolute(plugin).string(),
                   fmt::to_string(contract.abi), contract.buildTag, pluginKindName(contract.kind)},
                  pipe, child);
  if (refusal != 0)
    return {TrialEnd::kNotStarted,
            fmt::format("{} cannot be started: {}", program.string(), std::strerror(refusal))};
  pipe.closeWriteEnd();
  const auto deadline = Clock::now() + limit;
  // The pipe ends with the child, or earlier if the plugin closes it; then only waiting is left.
  for (bool pipeStands = true;;) {
    if (const auto status = statusOf(child, WNOHANG)) return ended(*status, pipe);
    if (userAsksToStop()) {
      endGroup(child);
      return {TrialEnd::kStopped, "the program was stopped while it was tried"};
    }
    if (Clock::now() >= deadline) {
      endGroup(child);
      return {TrialEnd::kHung,
              fmt::format("it did not return within {}",
                          formatDuration(std::chrono::duration<double>(limit).count()))};
    }
    if (pipeStands) {
      pollfd end{pipe.ends[0], 0, 0};  // POLLHUP is always reported
      pipeStands = ::poll(&end, 1, static_cast<int>(kLook.count())) <= 0;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

}  // namespace parapet
