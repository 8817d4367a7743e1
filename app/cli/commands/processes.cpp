// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/processes.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/cli/arguments.h"
#include "app/cli/document.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

constexpr std::int64_t kMaxPort = 65535;
/// A question of ssh for a password would stop it: the terminal is not its own.
constexpr const char* kSsh = "ssh -o BatchMode=yes {host} {command}";

/// Variables by which a launcher tells a process its rank and the number of processes.
struct Launcher {
  const char *rank, *of;
};
constexpr std::array kLaunchers{Launcher{"SLURM_PROCID", "SLURM_NTASKS"},
                                Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                Launcher{"PMI_RANK", "PMI_SIZE"}};

std::optional<std::int64_t> numberIn(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? parseInt(text) : std::nullopt;
}

/// The number of an option and of the launcher's variable, which must not contradict each other.
Result<std::optional<std::int64_t>> agreed(std::optional<std::int64_t> option, const char* name,
                                           const char* variable) {
  const auto told = variable ? numberIn(variable) : std::nullopt;
  if (option && told && *option != *told)
    return wrongArgument(
        fmt::format("{} is {}, and {} of the environment is {}; accepted: the same, "
                    "or no {}",
                    name, *option, variable, *told, name));
  return option ? option : told;
}

/// A command with every {word} of it replaced.
std::string filledIn(std::string command, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = command.find(word, at)) != std::string::npos; at += by.size())
    command.replace(at, word.size(), by);
  return command;
}

std::string commandOf(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shellWord(word);
  return command;
}

}  // namespace

void ProcessOptions::addTo(CLI::App& command) {
  addInteger(
      command, "--processes", local_, 2,
      "Train with so many processes of this machine, which share the devices of the document");
  readsLauncher_ = true;
  addPlaceTo(command);
  command
      .add_option("--secret", secret_,
                  "A file of 64 hex digits that only its owner may read, the same for all "
                  "processes [PARAPET_SECRET]")
      ->type_name("FILE");
}

void ProcessOptions::addPlaceTo(CLI::App& command) {
  const std::string rank =
      "Be this process of several; process 0 drives the run, the others follow it";
  addInteger(command, "--rank", rank_, 0,
             readsLauncher_ ? rank + ". Under srun and mpirun: the rank that they give" : rank);
  addInteger(command, "--of", of_, 2, "The number of processes");
  command
      .add_option("--meet", meet_,
                  "Where process 0 listens: a numeric address of it, and a port. The others may "
                  "use its name")
      ->type_name("HOST:PORT");
  command
      .add_option("--bind", bind_,
                  "The numeric address at which the others reach this process [that from which it "
                  "reaches process 0]")
      ->type_name("ADDRESS");
}

void ProcessOptions::addHostsTo(CLI::App& command) {
  command
      .add_option("--hosts", hosts_,
                  "A host a line: NAME [slots=K] [address=A], with K processes [1]. One is this "
                  "machine, which has process 0")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--with", way_,
                  "The command that starts a process, with {host} and {command}, for every process "
                  "but this one [" +
                      std::string(kSsh) + " for other machines]")
      ->type_name("COMMAND");
  addInteger(command, "--port", port_, 1, "The port at which process 0 listens [one that is free]");
  for (const char* option : {"--processes", "--rank", "--of", "--meet", "--secret", "--bind"})
    command
        .add_option_function<std::string>(
            option,
            [option](const std::string&) {
              throw CLI::ValidationError(
                  fmt::format("{} is not accepted beside --hosts, which gives each process its "
                              "rank, its secret "
                              "and the place where they meet; accepted: --with and --port",
                              option));
            })
        ->group("");
}

Result<RunPlaces> ProcessOptions::onHosts() const {
  if (!way_.empty() && way_.find("{command}") == std::string::npos)
    return wrongArgument(
        fmt::format("--with: \"{}\" has no {{command}}; accepted: a command such as '{}'",
                    printable(way_), kSsh));
  if (port_.value_or(1) > kMaxPort)
    return wrongArgument(fmt::format("--port is {}; accepted: 1 to {}", *port_, kMaxPort));
  PARAPET_ASSIGN(const std::string text, readDocumentFile(hosts_));
  PARAPET_ASSIGN(workspace::RunHosts run, workspace::readHosts(text, hosts_));
  const workspace::ProcessPlace own{.processes = run.processes(),
                                    .address = run.address,
                                    .port = static_cast<std::uint16_t>(port_.value_or(0))};
  return RunPlaces{own, std::move(run.hosts), way_};
}

Result<RunPlaces> ProcessOptions::places() const {
  if (!hosts_.empty()) return onHosts();
  if (local_) {
    if (rank_ || of_ || !meet_.empty() || !secret_.empty() || !bind_.empty())
      return wrongArgument(
          "--processes starts the processes of this machine itself; not accepted beside it: "
          "--rank, --of, --meet, --secret and --bind");
    if (*local_ > workspace::kMaxProcesses)
      return wrongArgument(
          fmt::format("--processes is {}; accepted: 2 to {}", *local_, workspace::kMaxProcesses));
    const int processes = static_cast<int>(*local_);
    return RunPlaces{
        {.processes = processes}, {{.name = {}, .slots = processes, .isHere = true}}, {}};
  }
  if (meet_.empty())
    return wrongArgument("--rank and --of need a place to meet; accepted: --meet HOST:PORT");
  Launcher launcher{nullptr, nullptr};
  for (const Launcher& known : kLaunchers)
    if (readsLauncher_ && !launcher.rank && numberIn(known.rank) && numberIn(known.of))
      launcher = known;
  PARAPET_ASSIGN(const auto rank, agreed(rank_, "--rank", launcher.rank));
  PARAPET_ASSIGN(const auto of, agreed(of_, "--of", launcher.of));
  if (!rank || !of)
    return wrongArgument("--meet needs --rank and --of, or srun or mpirun, which tell them");
  if (*of < 2 || *of > workspace::kMaxProcesses || *rank < 0 || *rank >= *of)
    return wrongArgument(fmt::format("--rank {} of {} processes; accepted: 0 to {}", *rank, *of,
                                     std::max<std::int64_t>(*of, 2) - 1));
  const std::size_t colon = meet_.rfind(':');
  const auto port = colon == std::string::npos ? std::nullopt : parseInt(meet_.substr(colon + 1));
  if (!port || *port < 1 || *port > kMaxPort || colon == 0)
    return wrongArgument(
        fmt::format("--meet: \"{}\" is not accepted; accepted: HOST:PORT with a "
                    "port from 1 to {}",
                    printable(meet_), kMaxPort));
  std::string host = meet_.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return RunPlaces{{.rank = static_cast<int>(*rank),
                    .processes = static_cast<int>(*of),
                    .address = std::move(host),
                    .port = static_cast<std::uint16_t>(*port),
                    .secretFile = secret_,
                    .bindAddress = bind_},
                   {},
                   {}};
}

Result<std::vector<ProcessStart>> RunPlaces::others(const Invocation& invocation, int threads,
                                                    std::uint16_t port) const {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error)
    return Error{ErrorCode::kIo, "the path of this program is not known: " + error.message()};
  workspace::ProcessPlace meeting = own;
  meeting.port = port;
  std::vector<ProcessStart> starts;
  int rank = 0;
  for (const workspace::Host& host : hosts)
    for (int slot = 0; slot < host.slots; ++slot, ++rank) {
      if (rank == 0) continue;  // this process
      std::vector<std::string> words{program.string(), "--quiet"};
      if (invocation.workspaceFolder != workspace::Workspace::defaultFolder())
        words.insert(words.end(), {"--workspace", invocation.workspaceFolder});
      words.insert(words.end(), {"follow", "--rank", std::to_string(rank), "--of",
                                 std::to_string(own.processes), "--meet", meeting.meeting()});
      if (!host.address.empty()) words.insert(words.end(), {"--bind", host.address});
      if (threads > 0) words.insert(words.end(), {"--threads", std::to_string(threads)});
      // Relative paths of the document mean those of this folder.
      std::string command =
          fmt::format("cd {} && exec {}", shellWord(folder.string()), commandOf(words));
      if (!way.empty() || !host.isHere)
        command = filledIn(filledIn(way.empty() ? kSsh : way, "{host}", shellWord(host.name)),
                           "{command}", shellWord(command));
      starts.push_back({rank, host.name.empty() ? fmt::format("process {}", rank) : host.name,
                        std::move(command)});
    }
  return starts;
}

}  // namespace parapet::cli
