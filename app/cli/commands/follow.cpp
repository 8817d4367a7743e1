// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/processes.h"
#include "app/cli/output.h"
#include "engine/base/files.h"
#include "engine/base/threads.h"

namespace parapet::cli {
namespace {

constexpr int kInputPollMs = 100;

/// Ends this process once its standard input ends: whoever started it has gone, however that was.
std::jthread endWithInput() {
  return std::jthread([](const std::stop_token& stop) {
    const ThreadName name("input");
    std::array<char, 4096> bytes;
    while (!stop.stop_requested()) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (::poll(&input, 1, kInputPollMs) <= 0) continue;
      if (const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
          count > 0 || (count < 0 && errno == EINTR))
        continue;
      writeStderr("error: the process that started this one has gone");
      removeUnfinished();
      std::_Exit(static_cast<int>(ExitCode::kFailed));
    }
  });
}

Answer follow(Invocation& invocation, const ProcessOptions& options,
              std::optional<std::int64_t> threads) {
  PARAPET_ASSIGN(RunPlaces places, options.places());
  LineReader input(STDIN_FILENO);
  const auto secret = input.next();
  const auto text = secret ? input.next() : std::nullopt;
  if (!text)
    return wrongArgument(
        "the standard input ended too soon; accepted: a line with the secret of the run, 64 hex "
        "digits, a line with the document, and an end when this process is to end");
  const auto document = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return wrongArgument("the second line of the standard input is no document; accepted: JSON");
  places.own.secret = *secret;
  const experiment::Parsed parsed = experiment::parse(document);
  if (!parsed.findings.problems.empty()) return Answer::refused(parsed.findings.problems);
  const auto watch = endWithInput();
  return takePart(invocation, parsed.experiment, places.own, static_cast<int>(threads.value_or(0)));
}

}  // namespace

Answer takePart(Invocation& invocation, const experiment::Experiment& experiment,
                const workspace::ProcessPlace& place, int threads) {
  if (place.rank == 0)
    return wrongArgument("--rank is 0, which drives the run; accepted: a rank from 1");
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  PARAPET_TRY(opened->follow(experiment, place, threads, invocation.work()));
  return Answer::of(Json{{"rank", place.rank},
                         {"of", place.processes},
                         {"state", experiment::runStateName(experiment::RunState::kFinished)}},
                    "");
}

void addFollow(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "follow", "Take part in a run of several processes; launch starts this on each host");
  command->footer(
      "Reads a line with the secret and a line with the document from the standard input, and ends "
      "when that ends.");
  const auto options = std::make_shared<ProcessOptions>();
  const auto threads = std::make_shared<std::optional<std::int64_t>>();
  options->addPlaceTo(*command);
  addThreads(*command, *threads);
  onRun(*command, invocation,
        [&invocation, options, threads] { return follow(invocation, *options, *threads); });
}

}  // namespace parapet::cli
