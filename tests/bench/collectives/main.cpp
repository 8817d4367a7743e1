// SPDX-License-Identifier: Apache-2.0
// All-reduce and all-to-all among processes of this machine, by Parapet over its TCP plugin and by
// Gloo. The processes are the same for both, which take turns: what else the machine does meets
// both alike. Process 0 prints a line for each size.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "tests/bench/collectives/participants.h"
#include "tests/bench/common/arguments.h"

namespace parapet::bench {
namespace {

constexpr int kRounds = 5;
/// Bytes that the buffer of a process has.
constexpr std::array<std::int64_t, 4> kSizes{4096, 65'536, 1'048'576, 4'194'304};

struct Collective {
  const char* name;
  void (*call)(Participant&, std::vector<float>&, std::vector<float>&);
};
constexpr std::array<Collective, 2> kCollectives{{
    {"all-reduce",
     [](Participant& by, std::vector<float>& in, std::vector<float>&) { by.allReduce(in); }},
    {"all-to-all", [](Participant& by, std::vector<float>& in,
                      std::vector<float>& out) { by.allToAll(in, out); }},
}};

/// Seconds of one call, the mean of as many as take a moment. All processes make the same calls.
double secondsOf(Participant& by, const Collective& collective, std::int64_t bytes, int calls) {
  const auto elements = static_cast<std::size_t>(bytes) / sizeof(float);
  std::vector<float> in(elements, 0.0f), out(elements);
  for (int warm = 0; warm < 3; ++warm) collective.call(by, in, out);
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) collective.call(by, in, out);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void runProcess(const std::filesystem::path& folder, int processes, int process, int calls) {
  const std::array<std::unique_ptr<Participant>, 2> participants{
      parapetParticipant(folder, processes, process),
      glooParticipant(folder / "gloo", processes, process)};
  for (const Collective& collective : kCollectives)
    for (const std::int64_t bytes : kSizes) {
      const auto few =
          std::max<std::int64_t>(3, calls * 65'536 / std::max<std::int64_t>(bytes, 65'536));
      std::array<std::vector<double>, 2> seconds;
      for (int round = 0; round < kRounds; ++round)
        for (std::size_t turn = 0; turn < 2; ++turn) {
          const std::size_t who = (turn + static_cast<std::size_t>(round)) % 2;
          seconds[who].push_back(
              secondsOf(*participants[who], collective, bytes, static_cast<int>(few)));
        }
      if (process == 0)
        printLine({{"collective", collective.name},
                   {"processes", processes},
                   {"bytes", bytes},
                   {"parapet_seconds", median(seconds[0])},
                   {"gloo_seconds", median(seconds[1])},
                   {"ratio", median(seconds[0]) / median(seconds[1])}});
    }
}

/// The processes are forked while this one has no thread.
void runAll(int processes, int calls) {
  std::string made = (std::filesystem::temp_directory_path() / "parapet-bench-XXXXXX").string();
  if (!mkdtemp(made.data())) throw std::runtime_error("no folder");
  std::vector<pid_t> others;
  for (int process = 1; process < processes; ++process) {
    const pid_t pid = fork();
    if (pid == 0) {
      runProcess(made, processes, process, calls);
      _exit(0);
    }
    others.push_back(pid);
  }
  runProcess(made, processes, 0, calls);
  for (const pid_t pid : others) waitpid(pid, nullptr, 0);
  std::filesystem::remove_all(made);
}

}  // namespace
}  // namespace parapet::bench

int main(int argc, char** argv) {
  CLI::App program{"Collectives among processes, as JSON lines"};
  std::vector<int> processes{2, 4, 8};
  int calls = 200;
  program.add_option("--processes", processes, "How many processes, one after the other [2 4 8]");
  program.add_option("--calls", calls, "Calls of a round with 64 KiB; fewer with more [200]");
  CLI11_PARSE(program, argc, argv);
  for (const int count : processes) parapet::bench::runAll(count, calls);
  return 0;
}
