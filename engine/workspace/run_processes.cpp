// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/run_processes.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/base/log.h"
#include "engine/base/record/problem.h"
#include "engine/base/text.h"
#include "engine/base/threads.h"
#include "engine/base/wait_limit.h"
#include "engine/experiment/experiment.h"
#include "engine/launch/secret.h"
#include "engine/mesh/plugin_communicator.h"
#include "engine/mesh/process_communicator.h"
#include "engine/train/build_id.h"
#include "engine/workspace/resolved_experiment.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

constexpr std::chrono::milliseconds kReportEvery{500};
const std::string kStoppedWaiting = "stopped while it waited for the other processes";

/// Facts that must be equal in all processes: the build, and the settings of the document by their
/// pointers. The name, the threads and the path of the data are those of a process.
std::vector<launch::Fact> factsOf(Experiment experiment) {
  experiment.name.clear();
  experiment.mesh.threads = {};
  experiment.dataset.path.reset();
  // "cpu*2" and its two names are the same.
  if (auto names = experiment::expandDevices(experiment.mesh.devices))
    experiment.mesh.devices = *std::move(names);
  std::vector<launch::Fact> facts{{"build", train::buildId()}};
  const nlohmann::json document(experiment::toJson(experiment));
  const nlohmann::json leaves = document.flatten();
  for (const auto& [pointer, leaf] : leaves.items()) {
    // Empty lists and objects are null when they are flattened.
    const nlohmann::json& value = document.at(nlohmann::json::json_pointer(pointer));
    facts.push_back({pointer, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return facts;
}

/// Reports, again and again while it lives, what another thread waits for; "" is not reported. A
/// wait of less than half a second is not worth a line.
std::jthread reportWait(const WorkContext& context, std::function<std::string()> text) {
  return std::jthread(
      [progress = context.progress, text = std::move(text)](const std::stop_token& stop) {
        const ThreadName name("waiting");
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (progress && !ended.wait_for(lock, stop, kReportEvery, [] { return false; }) &&
               !stop.stop_requested())
          if (const std::string stage = text(); !stage.empty()) progress(stage, 0, 0);
      });
}

/// The keys of the store by which processes tell that they have the data set of the plan.
std::string hasDataKey(int process) {
  return fmt::format("data/{}", process);
}
constexpr const char* kAllHaveData = "data";
constexpr launch::Milliseconds kMaxImportMs = 86'400'000;

/// The first rank of each process.
std::vector<int> firstRanks(int ranks, int processes) {
  std::vector<int> first;
  for (int process = 0; process < processes; ++process)
    first.push_back(static_cast<int>(std::int64_t{ranks} * process / processes));
  return first;
}

Result<mesh::DeviceMesh> dividedMesh(const Experiment& experiment, const ProcessPlace& place) {
  PARAPET_ASSIGN(const mesh::DeviceMesh mesh, mesh::DeviceMesh::create(experiment.mesh));
  if (mesh.ranks() < place.processes)
    return record::documentError(
        "/mesh/devices",
        fmt::format(
            "{} device{} for {} processes; accepted: one for each or more, such as --devices "
            "'cpu*{}'",
            mesh.ranks(), mesh.ranks() == 1 ? "" : "s", place.processes, place.processes));
  return mesh.divided(firstRanks(mesh.ranks(), place.processes), place.rank);
}

Result<const PcTransport*> transportPlugin() {
  std::vector<std::string> refused;
  for (const mesh::CommunicatorPlugin& plugin : mesh::communicatorPlugins()) {
    if (plugin.transport) return plugin.transport;
    if (!plugin.reason.empty()) refused.push_back(plugin.file + ": " + plugin.reason);
  }
  return Error{ErrorCode::kDevice,
               fmt::format("no plugin connects processes{}{}; accepted is one in the folder "
                           "communicators of the plugins, such as tcp",
                           refused.empty() ? "" : "; cannot be used: ", join(refused))};
}

}  // namespace

std::string ProcessPlace::meeting() const {
  const bool isV6 = address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", isV6 ? "[" : "", address, isV6 ? "]" : "", port);
}

/// The connections of this process with all others. They end with the generation, on the thread of
/// the sockets, and what waits for a peer then says why.
class RunConnections : public std::enable_shared_from_this<RunConnections> {
 public:
  launch::Settings settings(const ProcessPlace& place, const Experiment& experiment) {
    return {.rank = place.rank,
            .processes = place.processes,
            .address = place.address,
            .port = place.port,
            .secret = place.secret,
            .secretFile = place.secretFile,
            .facts = factsOf(experiment),
            .limits = {.silenceMs = waitLimit().count(), .maxRestarts = 0},
            .onStop = [self = shared_from_this()](const launch::Verdict& verdict) {
              self->close(verdict.text());
            }};
  }

  /// Communicators of the mesh that all have begun with; `own` is the address at which the others
  /// reach this process.
  mesh::CommunicatorFactory communicators(const ProcessPlace& place, const std::string& own,
                                          const launch::Store& store, std::int64_t generation) {
    return [self = shared_from_this(), place, own, store, generation](
               std::span<const tensor::Device> devices,
               Workers* workers) -> Result<std::unique_ptr<mesh::Communicator>> {
      PARAPET_ASSIGN(auto transport, self->connect(place, own, store, generation));
      return mesh::makeProcessCommunicator(
          std::move(transport), firstRanks(static_cast<int>(devices.size()), place.processes),
          devices, workers);
    };
  }

 private:
  Result<std::shared_ptr<mesh::Transport>> connect(const ProcessPlace& place,
                                                   const std::string& own, launch::Store store,
                                                   std::int64_t generation) {
    PARAPET_ASSIGN(const PcTransport* plugin, transportPlugin());
    auto transport = mesh::makePluginTransport(
        *plugin,
        {.processes = place.processes,
         .process = place.rank,
         .timeout = waitLimit(),
         .bindAddress = place.bindAddress.empty() ? own : place.bindAddress,
         .generation = generation,
         .store = {[store](const std::string& key, const std::string& value) mutable {
                     return store.set(key, value);
                   },
                   [store](const std::string& key, std::chrono::milliseconds timeout) mutable {
                     return store.get(key, timeout.count());
                   }}});
    const std::lock_guard lock(mutex_);
    if (!closed_.empty()) return Error{ErrorCode::kPeer, closed_};
    if (transport) transport_ = *transport;
    return transport;
  }

  void close(const std::string& reason) {
    std::shared_ptr<mesh::Transport> closing;
    {
      const std::lock_guard lock(mutex_);
      closed_ = reason;
      closing = transport_;
    }
    if (closing) closing->close(reason);
  }

  std::mutex mutex_;
  std::shared_ptr<mesh::Transport> transport_;
  std::string closed_;  // why; empty: they are open
};

RunProcesses::RunProcesses(ProcessPlace place, mesh::DeviceMesh mesh)
    : place_(std::move(place)),
      mesh_(std::move(mesh)),
      connections_(std::make_shared<RunConnections>()) {}

Result<std::unique_ptr<RunProcesses>> RunProcesses::start(const ProcessPlace& place,
                                                          const Experiment& experiment) {
  PARAPET_ASSIGN(mesh::DeviceMesh mesh, dividedMesh(experiment, place));
  PARAPET_TRY(transportPlugin());
  std::unique_ptr<RunProcesses> processes(new RunProcesses(place, std::move(mesh)));
  PARAPET_ASSIGN(processes->driver_,
                 launch::Driver::start(processes->connections_->settings(place, experiment)));
  return processes;
}

RunProcesses::~RunProcesses() = default;

Result<std::string> RunProcesses::newSecret() {
  return launch::newSecret();
}

std::uint16_t RunProcesses::port() const {
  return driver_->port();
}

Status RunProcesses::gather(const WorkContext& context) {
  const std::stop_callback cancel(context.stop, [&] { driver_->cancel(kStoppedWaiting); });
  const auto waiting = reportWait(context, [&] { return driver_->waiting(); });
  const auto formed = driver_->form();
  if (!formed && context.cancelled()) return Error{ErrorCode::kCancelled, kStoppedWaiting};
  if (!formed) return formed.error();
  generation_ = static_cast<std::int64_t>(formed->generation);
  return {};
}

Result<std::unique_ptr<train::Session>> RunProcesses::session(
    const Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
    train::ResolvedModel resolved, int threads, const WorkContext& context) {
  const nlohmann::json plan{{"dataset", dataset->hash()}, {"resolved", resolved.toJson()}};
  PARAPET_TRY(driver_->begin(plan.dump(), ""));
  PARAPET_TRY(awaitData(context));
  PARAPET_ASSIGN(auto session, train::Session::create(
                                   experiment, std::move(dataset), std::move(resolved), threads,
                                   connections_->communicators(place_, place_.address,
                                                               driver_->store(), generation_),
                                   train::Session::Use::kTraining, context.stop));
  session->driveBy([this](const train::Command& command) { return send(command); });
  return session;
}

// The limit of an exchange must not count the import of another process, nor may a peer that is still
// missing there hide the verdict of why: nobody connects before all have the data.
Status RunProcesses::awaitData(const WorkContext& context) {
  const std::stop_callback cancel(context.stop, [&] { driver_->cancel(kStoppedWaiting); });
  std::atomic<int> process = 1;
  const auto waiting = reportWait(
      context, [&] { return fmt::format("waiting for the data of rank {}", process.load()); });
  for (; process < place_.processes; ++process)
    if (const auto has = driver_->store().get(hasDataKey(process), kMaxImportMs); !has)
      return context.cancelled() ? Error{ErrorCode::kCancelled, kStoppedWaiting} : has.error();
  return driver_->store().set(kAllHaveData, "");
}

Status RunProcesses::send(const train::Command& command) {
  PARAPET_TRY(awaitLast());
  const bool isStep = std::holds_alternative<train::TrainBatch>(command);
  driver_->issue(isStep ? launch::CommandKind::kStep : launch::CommandKind::kQuery,
                 std::string(writer_.write(command)));
  isUnderWay_ = true;
  return {};
}

// The share of this process is done by its session.
Status RunProcesses::awaitLast() {
  if (!std::exchange(isUnderWay_, false)) return {};
  const auto own = [](const launch::Command&) { return launch::Work{}; };
  PARAPET_ASSIGN(const launch::Outcome outcome, driver_->complete(own));
  if (outcome.problem.empty()) return {};
  return Error{ErrorCode::kPeer, outcome.problem};
}

void RunProcesses::fail(int rank, const std::string& reason) {
  driver_->cancel(reason, rank);
}

void RunProcesses::end(const std::string& problem) {
  if (std::exchange(hasEnded_, true)) return;
  if (problem.empty()) (void)awaitLast();
  (void)driver_->finish(problem);
}

namespace {

/// Data set and model of a process that follows.
struct Plan {
  std::shared_ptr<const data::Dataset> dataset;
  train::ResolvedModel model;
};

/// The data set of process 0. The source of this process is read first: the data set of the workspace
/// must not hide that the source is another one. It stands in for a source that is not here, and for
/// that of a run which goes on with the data of an older program.
Result<data::ImportReport> sameData(Shared& shared, const Experiment& experiment,
                                    const std::string& hash, int process,
                                    const WorkContext& context) {
  auto own = importFor(shared, experiment, context);
  if (own && own->dataset->hash() == hash) return own;
  auto known = data::openImported(experiment.dataset, shared.datasetsFolder() / hash);
  if (known && !own) {
    log(LogLevel::kWarning,
        fmt::format("process {} uses the data set {} of its workspace, since its source cannot be "
                    "read: {}",
                    process, hash, own.error().text()));
    return known;
  }
  if (known && !known->dataset->keepsAllIds()) return known;
  if (!own)
    return own.error().wrap(
        fmt::format("process {} has not the data set of process 0, {}", process, hash));
  return Error{ErrorCode::kData,
               fmt::format("the data set of process 0 is {}; the source of process {} gives {}",
                           hash, process, own->dataset->hash())};
}

/// The data set and the placements of process 0.
Result<Plan> planOf(Shared& shared, const Experiment& experiment, const mesh::DeviceMesh& mesh,
                    const std::string& text, const WorkContext& context) {
  const auto plan = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!plan.is_object() || !plan.contains("resolved") || !plan.contains("dataset") ||
      !plan["dataset"].is_string())
    return Error{ErrorCode::kPeer, "the plan of process 0 does not read"};
  PARAPET_ASSIGN(
      const data::ImportReport import,
      sameData(shared, experiment, plan["dataset"].get<std::string>(), mesh.process(), context));
  Resolution answer = resolveExperiment(shared, experiment, storedFigures(shared, experiment),
                                        train::vocabularySizes(experiment, *import.dataset),
                                        {.dataset = import.dataset,
                                         .mesh = mesh,
                                         .kept = train::keptPlacements(plan["resolved"], mesh)});
  if (answer.resolved) return Plan{import.dataset, answer.resolved->model};
  experiment::Findings findings;
  findings.problems = std::move(answer.problems);
  return firstProblem(findings);
}

/// The arguments of the commands of process 0, each answered when the next one is asked for.
class Orders {
 public:
  explicit Orders(launch::Follower& follower) : follower_(follower) {}

  Result<std::string> next() {
    if (std::exchange(isOpen_, false)) follower_.done(launch::Work{});
    PARAPET_ASSIGN(launch::Follower::Order order, follower_.next());
    auto* const command = std::get_if<launch::Command>(&order);
    if (!command) return std::string();
    isOpen_ = true;
    return std::move(command->arguments);
  }

 private:
  launch::Follower& follower_;
  bool isOpen_ = false;
};

}  // namespace

Status followRun(Shared& shared, const Experiment& experiment, const ProcessPlace& place,
                 int threads, const WorkContext& context) {
  PARAPET_ASSIGN(const mesh::DeviceMesh mesh, dividedMesh(experiment, place));
  PARAPET_TRY(transportPlugin());
  const auto connections = std::make_shared<RunConnections>();
  auto waiting = reportWait(context, [&] { return "waiting for process 0 at " + place.meeting(); });
  PARAPET_ASSIGN(const auto follower,
                 launch::Follower::start(connections->settings(place, experiment)));
  PARAPET_ASSIGN(const launch::Follower::Order first, follower->next());
  waiting = {};
  const auto* const begin = std::get_if<launch::Begin>(&first);
  if (!begin) return Error{ErrorCode::kPeer, "process 0 ended the run before it began"};
  const auto follow = [&]() -> Status {
    PARAPET_ASSIGN(Plan plan, planOf(shared, experiment, mesh, begin->plan, context));
    PARAPET_TRY(follower->store().set(hasDataKey(place.rank), ""));
    PARAPET_TRY(follower->store().get(kAllHaveData, kMaxImportMs));
    PARAPET_ASSIGN(
        const auto session,
        train::Session::create(
            experiment, plan.dataset, std::move(plan.model), threadsFor(experiment, threads),
            connections->communicators(place, follower->localAddress(), follower->store(),
                                       static_cast<std::int64_t>(begin->generation))));
    context.report("following process 0", 0, 0);
    Orders orders(*follower);
    return session->follow([&] { return orders.next(); });
  };
  Status followed;
  try {
    followed = follow();
  } catch (const std::exception& failure) {
    followed = Error{ErrorCode::kInternal, failure.what()};
  }
  if (followed.ok()) return {};
  // The run ends for all; if another process has failed first, the verdict tells.
  follower->done(launch::WorkLost{followed.error().text()});
  if (const auto verdict = follower->next(); !verdict.ok()) return verdict.error();
  return followed;
}

Status Workspace::follow(const Experiment& experiment, const ProcessPlace& place, int threads,
                         const WorkContext& context) {
  return followRun(*state_->shared, experiment, place, threads, context);
}

}  // namespace parapet::workspace
