// SPDX-License-Identifier: Apache-2.0
// Processes on this machine meet, train the toy engine, and lose one of them. This program is all
// of them: it starts itself with a role.
#include "engine/launch/driver.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/launch/secret.h"
#include "tests/launch/toy_engine.h"

using namespace parapet;
using namespace parapet::launch;
using namespace parapet::launch::test;
namespace fs = std::filesystem;

namespace {

constexpr int kFinished = 0, kEndedBadly = 3;
constexpr Limits kDriverLimits{.beatMs = 250,
                               .silenceMs = 2000,
                               .joinMs = 60'000,
                               .graceMs = 250,
                               .commandMs = 60'000,
                               .skewMs = 60'000,
                               .maxRestarts = 3,
                               .restartWindowMs = 600'000};

/// How a process differs from the others: "build=2,fail=20,restarts=0".
std::map<std::string, std::string> optionsOf(const std::string& text) {
  std::map<std::string, std::string> options;
  for (const std::string_view each : splitFields(text, ','))
    if (const auto at = each.find('='); at != each.npos)
      options[std::string(each.substr(0, at))] = each.substr(at + 1);
  return options;
}

struct Role {
  explicit Role(char** values) : folder(values[5]), options(optionsOf(values[6])) {
    settings.rank = static_cast<int>(parseInt(values[2]).value_or(0));
    settings.processes = static_cast<int>(parseInt(values[3]).value_or(1));
    settings.port = static_cast<std::uint16_t>(parseInt(values[4]).value_or(0));
    settings.secretFile = folder / "secret";
    settings.host = fmt::format("node{}", settings.rank);
    settings.facts = {{"build", options.contains("build") ? options["build"] : "1"}};
    settings.limits = kDriverLimits;
    if (options.contains("restarts"))
      settings.limits.maxRestarts = static_cast<int>(*parseInt(options["restarts"]));
    if (options.contains("steps"))
      plan.steps = static_cast<std::uint64_t>(*parseInt(options["steps"]));
  }
  Settings settings;
  fs::path folder;
  std::map<std::string, std::string> options;
  ToyPlan plan;
};

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::optional<ToyState> readFolder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  return readCheckpoint([&](const std::string& name) -> const std::string* {
    auto text = readFile(folder / name);
    if (!text.ok()) return nullptr;
    return &(files[name] = std::move(*text));
  });
}

/// The engine of a process: a piece of the state.
class Worker {
 public:
  explicit Worker(const Role& role) : role_(role) {}
  void load(const Begin& begin) {
    const auto index = static_cast<std::size_t>(
        std::ranges::find(begin.ranks, role_.settings.rank) - begin.ranks.begin());
    state_ = ToyState::begin(index, begin.ranks.size());
    if (begin.checkpoint.empty()) return;
    const auto whole = readFolder(begin.checkpoint);
    if (!whole) return;
    state_.step = whole->step;
    for (std::size_t i = 0; i < state_.words.size(); ++i)
      state_.words[i] = whole->words[state_.first + i];
  }
  WorkResult work(const Command& command) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto fail = role_.options.find("fail");
    if (fail != role_.options.end() &&
        state_.step == static_cast<std::uint64_t>(*parseInt(fail->second)))
      return WorkLost{"the device has failed", -1};
    if (command.kind == CommandKind::kStep)
      state_.advance(parseStepArguments(command.arguments).decision);
    Work work{.status = state_.sum()};
    if (command.kind != CommandKind::kCheckpoint) return work;
    const std::string text = state_.text();
    work.folder = command.arguments;
    work.pieces = {{fmt::format("piece-{:03}", state_.first), text.size(), hashHex(text)}};
    std::ofstream file(work.folder / work.pieces[0].name);
    if (!(file << text)) work.problem = "cannot write " + work.folder.string();
    return work;
  }

 private:
  const Role& role_;
  ToyState state_;
};

int follow(const Role& role) {
  auto follower = Follower::start(role.settings);
  if (!follower.ok()) return say(follower.error().text()), kEndedBadly;
  (void)(*follower)->store().set(fmt::format("hello/{}", role.settings.rank), "from a follower");
  Worker worker(role);
  for (;;) {
    auto order = (*follower)->next();
    if (!order.ok()) return say("end: " + order.error().text()), kEndedBadly;
    if (const auto* begin = std::get_if<Begin>(&*order)) {
      say(fmt::format("begin {}", begin->generation));
      if (role.options.contains("unready"))
        (*follower)->done(WorkLost{"cannot load the checkpoint"});
      else
        worker.load(*begin);
    } else if (const auto* command = std::get_if<Command>(&*order)) {
      (*follower)->done(worker.work(*command));
    } else {
      return say("finished"), kFinished;
    }
  }
}

/// The trainer: the plan from a checkpoint to the last step.
Status trainFrom(Driver& driver, const Role& role, const Formed& formed, std::uint64_t step,
                 std::uint64_t decision, Worker& worker) {
  const auto own = [&](const Command& command) { return worker.work(command); };
  std::uint64_t issued = step;
  while (step < role.plan.steps) {
    while (issued < role.plan.steps && issued < step + 2 &&
           (issued == step || role.plan.after(issued).empty())) {
      ++issued;
      driver.issue(CommandKind::kStep, stepArguments(issued, decision));
    }
    PARAPET_ASSIGN(Outcome outcome, driver.complete(own));
    ++step;
    if (step % 10 == 0) say(fmt::format("step {}", step));
    for (const CommandKind kind : role.plan.after(step)) {
      const fs::path committed = role.folder / fmt::format("ckpt-{}", step);
      const fs::path temporary = committed.string() + fmt::format(".g{}.tmp", formed.generation);
      if (kind == CommandKind::kCheckpoint) fs::create_directories(temporary);
      PARAPET_ASSIGN(outcome, driver.command(kind, temporary.string(), own));
      if (kind == CommandKind::kValidate) decision = outcome.total;
      if (kind != CommandKind::kCheckpoint) continue;
      if (!outcome.problem.empty()) return Error{ErrorCode::kIo, outcome.problem};
      PARAPET_TRY(driver.commit(temporary, committed, kManifestName,
                                manifestOf(step, decision, outcome.pieces)));
    }
    if (step == role.plan.steps) say(fmt::format("total {}", outcome.total));
  }
  return {};
}

int drive(Role& role) {
  role.settings.onStop = [](const Verdict& verdict) {
    if (verdict.ending != Ending::kFinished) say("stopped: " + verdict.text());
  };
  auto started = Driver::start(role.settings);
  if (!started.ok()) return say(started.error().text()), kEndedBadly;
  Driver& driver = **started;
  say(fmt::format("port {}", driver.port()));
  Worker worker(role);
  for (;;) {
    const auto formed = driver.form();
    if (!formed.ok()) return say("end: " + formed.error().text()), kEndedBadly;
    if (formed->generation == 1 && formed->ranks.size() > 1)
      say("stored: " + driver.store().get("hello/1", 5000).value());
    std::uint64_t step = 0, decision = 0;
    for (const auto& entry : fs::directory_iterator(role.folder)) {
      const auto number = parseInt(entry.path().filename().string().substr(
          std::min<std::size_t>(5, entry.path().filename().string().size())));
      const auto state = number ? readFolder(entry.path()) : std::nullopt;
      if (state && state->step > step) step = state->step, decision = state->decided;
    }
    const std::string checkpoint =
        step == 0 ? "" : (role.folder / fmt::format("ckpt-{}", step)).string();
    Begin begin{formed->generation, formed->ranks, formed->hosts, "", checkpoint};
    worker.load(begin);
    say(fmt::format("generation {} of {} from step {}", formed->generation, formed->ranks.size(),
                    step));
    if (!driver.begin("plan", checkpoint).ok()) continue;
    const Status trained = trainFrom(driver, role, *formed, step, decision, worker);
    if (!trained.ok()) continue;
    const Status finished = driver.finish();
    if (finished.ok()) return say("finished"), kFinished;
    return say("end: " + finished.error().text()), kEndedBadly;
  }
}

}  // namespace

class LaunchDriverTest : public QObject {
  Q_OBJECT

  /// A run of processes of this machine.
  struct Run {
    explicit Run(int count, const std::string& options0 = "",
                 std::map<int, std::string> options = {})
        : processes(static_cast<std::size_t>(count)) {
      const fs::path secret = path() / "secret";
      std::ofstream(secret) << newSecret().value();
      ::chmod(secret.c_str(), 0600);
      start(0, "--drive", "0", options0);
      if (!waitFor(0, "port ")) return;
      const QString port =
          QString::fromStdString(output(0)).section("port ", 1).section('\n', 0, 0);
      for (int rank = 1; rank < count; ++rank)
        start(rank, "--follow", port, options.contains(rank) ? options[rank] : options0);
    }
    ~Run() {
      for (auto& process : processes) {
        if (process.state() == QProcess::NotRunning) continue;
        ::kill(static_cast<pid_t>(process.processId()), SIGCONT);
        process.kill();
        process.waitForFinished();
      }
    }
    void start(int rank, const char* role, const QString& port, const std::string& options) {
      QProcess& process = processes[static_cast<std::size_t>(rank)];
      process.setProcessChannelMode(QProcess::MergedChannels);
      process.start(QCoreApplication::applicationFilePath(),
                    {role, QString::number(rank), QString::number(processes.size()), port,
                     folder.path(), QString::fromStdString(options)});
      process.waitForStarted();
    }
    std::string output(int rank) {
      QProcess& process = processes[static_cast<std::size_t>(rank)];
      texts[rank] += process.readAll().toStdString();
      return texts[rank];
    }
    bool waitFor(int rank, const std::string& text) {
      return QTest::qWaitFor([&] { return output(rank).find(text) != std::string::npos; }, 60'000);
    }
    int waitForEnd(int rank) {
      QProcess& process = processes[static_cast<std::size_t>(rank)];
      if (!QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 60'000))
        return -1;
      return process.exitStatus() == QProcess::CrashExit ? -2 : process.exitCode();
    }
    void signal(int rank, int number) {
      ::kill(static_cast<pid_t>(processes[static_cast<std::size_t>(rank)].processId()), number);
    }
    [[nodiscard]] fs::path path() const { return folder.path().toStdString(); }

    QTemporaryDir folder;
    std::vector<QProcess> processes;
    std::map<int, std::string> texts;
  };

  static std::string totalOf(std::uint64_t steps) {
    ToyPlan plan;
    plan.steps = steps;
    return fmt::format("total {}\n", referenceRun(plan).back().sum());
  }
  static void contains(const std::string& text, const std::string& part) {
    QVERIFY2(text.find(part) != std::string::npos,
             (text + "\n\ndoes not contain: " + part).c_str());
  }

 private Q_SLOTS:
  void processesMeetAndTrain_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 3, 8}) QTest::addRow("%d processes", count) << count;
  }
  void processesMeetAndTrain() {
    QFETCH(const int, count);
    Run run(count);
    for (int rank = 0; rank < count; ++rank) QCOMPARE(run.waitForEnd(rank), kFinished);
    contains(run.output(0), totalOf(40));
    if (count > 1) contains(run.output(0), "stored: from a follower");
  }

  void aKilledMemberIsNamedAndTheOthersFinish() {
    Run run(4, "steps=200");
    QVERIFY(run.waitFor(0, "step 20\n"));
    QElapsedTimer timer;
    timer.start();
    run.signal(2, SIGKILL);
    QVERIFY(run.waitFor(0, "stopped: rank 2 (node2): its connection was closed"));
    qInfo("named after %d ms", static_cast<int>(timer.elapsed()));
    for (const int rank : {0, 1, 3}) QCOMPARE(run.waitForEnd(rank), kFinished);
    contains(run.output(0), "generation 2 of 3 from step ");
    contains(run.output(0), totalOf(200));
  }

  void aStoppedMemberIsNamedAndTheOthersFinish() {
    Run run(3, "steps=200");
    QVERIFY(run.waitFor(0, "step 20\n"));
    QElapsedTimer timer;
    timer.start();
    run.signal(1, SIGSTOP);
    QVERIFY(run.waitFor(0, "stopped: rank 1 (node1): nothing was heard of it for 2000 ms"));
    qInfo("named after %d ms", static_cast<int>(timer.elapsed()));
    run.signal(1, SIGCONT);
    QCOMPARE(run.waitForEnd(1), kEndedBadly);
    contains(run.output(1), "end: rank 1 (node1): nothing was heard of it");
    for (const int rank : {0, 2}) QCOMPARE(run.waitForEnd(rank), kFinished);
    contains(run.output(0), totalOf(200));
  }

  void withoutRestartsAllNameTheOneThatFailed() {
    Run run(4, "steps=200,restarts=0", {{3, "steps=200,restarts=0,fail=15"}});
    for (const int rank : {0, 1, 2, 3}) {
      QCOMPARE(run.waitForEnd(rank), kEndedBadly);
      contains(run.output(rank), "end: rank 3 (node3): the device has failed");
    }
  }

  void aMemberThatCannotBeginIsNamed() {
    Run run(3, "restarts=0", {{2, "restarts=0,unready=1"}});
    for (const int rank : {0, 1, 2}) {
      QCOMPARE(run.waitForEnd(rank), kEndedBadly);
      contains(run.output(rank), "end: rank 2 (node2): cannot load the checkpoint");
    }
  }

  void withoutProcess0TheOthersEnd() {
    Run run(3, "steps=2000");
    QVERIFY(run.waitFor(0, "step 20\n"));
    run.signal(0, SIGKILL);
    for (const int rank : {1, 2}) {
      QCOMPARE(run.waitForEnd(rank), kEndedBadly);
      contains(run.output(rank), "end: rank 0 (node0): its connection was closed");
    }
  }

  void whoDiffersEndsTheRun() {
    Run run(3, "", {{2, "build=2"}});
    for (const int rank : {0, 1, 2}) {
      QCOMPARE(run.waitForEnd(rank), kEndedBadly);
      contains(run.output(rank), "build: rank 2 (node2) has \"2\", rank 0 (node0) has \"1\"");
    }
  }

  void aSecretThatOthersMayReadStartsNothing() {
    QTemporaryDir folder;
    const fs::path secret = fs::path(folder.path().toStdString()) / "secret";
    std::ofstream(secret) << newSecret().value();
    ::chmod(secret.c_str(), 0644);
    Settings settings;
    settings.secretFile = secret;
    const auto driver = Driver::start(settings);
    QVERIFY(!driver.ok());
    contains(driver.error().text(), "0600");
    settings.rank = 1;
    QVERIFY_EXCEPTION_THROWN((void)Driver::start(settings), InvalidArgument);
  }
};

int main(int count, char** values) {
  const std::string role = count == 7 ? values[1] : "";
  if (role == "--follow") return follow(Role(values));
  if (role == "--drive") {
    Role own(values);
    return drive(own);
  }
  QCoreApplication application(count, values);
  LaunchDriverTest test;
  return QTest::qExec(&test, count, values);
}

#include "driver_test.moc"
