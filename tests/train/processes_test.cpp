// SPDX-License-Identifier: Apache-2.0
// A run of several processes, of which one drives and the others follow, is the run of one process
// with the same memory spaces: events, metrics and checkpoints, bit for bit.
#include <fmt/format.h>

#include <QtTest>
#include <condition_variable>
#include <deque>
#include <thread>

#include "tests/mesh/thread_processes.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;

namespace {

/// Commands on their way to a process.
class Inbox {
 public:
  void put(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(bytes);
    arrived_.notify_all();
  }
  std::string take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !waiting_.empty(); });
    auto bytes = std::move(waiting_.front());
    waiting_.pop_front();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> waiting_;
};

/// Makes every session of a training the one that drives, with followers in threads.
class Followers {
 public:
  Followers(testing::SmallTraining& training, const Experiment& document, int processes)
      : document_(document),
        dataset_(training.dataset(document)),
        firstRanks_(sample::firstRanksOf(processes, processes)) {
    training.options.firstRanks = firstRanks_;
    training.options.communicators = communicatorsOf(0);
    training.whenMade = [this](train::Session& session) { begin(session); };
  }
  ~Followers() { end(); }

  /// Ends the last session; the outcomes of its followers.
  std::vector<Status> end() {
    for (const auto& inbox : inboxes_) inbox->put("");
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    inboxes_.clear();
    return std::exchange(ended_, {});
  }
  std::int64_t commands = 0;
  std::size_t largest = 0;  ///< bytes of a command that gives rows to a table

 private:
  mesh::CommunicatorFactory communicatorsOf(int process) {
    return [this, process](std::span<const tensor::Device> devices,
                           Workers* workers) -> Result<std::unique_ptr<mesh::Communicator>> {
      const auto processes = static_cast<int>(firstRanks_.size());
      if (process == 0) post_ = std::make_shared<sample::Post>();
      return mesh::makeProcessCommunicator(
          std::make_shared<sample::PostTransport>(post_, processes, process), firstRanks_, devices,
          workers);
    };
  }

  void begin(train::Session& session) {
    end();
    writer_ = {};
    ended_.resize(firstRanks_.size() - 1);
    for (std::size_t process = 1; process < firstRanks_.size(); ++process) {
      inboxes_.push_back(std::make_unique<Inbox>());
      threads_.emplace_back([this, process, inbox = inboxes_.back().get()] {
        auto follower =
            testing::makeSession(document_, dataset_,
                                 {.threads = static_cast<int>(process),
                                  .communicators = communicatorsOf(static_cast<int>(process)),
                                  .firstRanks = firstRanks_,
                                  .process = static_cast<int>(process)});
        ended_[process - 1] =
            follower ? (*follower)->follow([&]() -> Result<std::string> { return inbox->take(); })
                     : follower.error();
      });
    }
    session.driveBy([this](const train::Command& command) -> Status {
      ++commands;
      const std::string_view bytes = writer_.write(command);
      largest =
          std::max(largest, std::holds_alternative<train::ScatterRows>(command) ? bytes.size() : 0);
      for (const auto& inbox : inboxes_) inbox->put(bytes);
      return {};
    });
  }

  const Experiment document_;
  const std::shared_ptr<const data::Dataset> dataset_;
  const std::vector<int> firstRanks_;
  std::shared_ptr<sample::Post> post_;
  train::CommandWriter writer_;
  std::vector<std::unique_ptr<Inbox>> inboxes_;
  std::vector<std::thread> threads_;
  std::vector<Status> ended_;
};

struct Kind {
  const char* name;
  void (*change)(Experiment&);
};

const std::vector<Kind>& kinds() {
  using experiment::LossKind, experiment::Placement;
  static const std::vector<Kind> all{
      {"tables by rows",
       [](Experiment& document) {
         for (experiment::Table& table : document.tables) table.placement = Placement::kRow;
       }},
      {"tables by columns, accumulated steps",
       [](Experiment& document) {
         for (experiment::Table& table : document.tables) table.placement = Placement::kColumn;
         document.optimizer.accumulateSteps = 2;
       }},
      {"a table on the last device, extra negatives, a schedule of the run",
       [](Experiment& document) {
         document.tables[1].placement = Placement::kTable;
         document.tables[1].device =
             document.mesh.devices.size() > 1 ? document.mesh.devices.back() : "cpu:1";
         document.loss.extraNegatives = {{.count = 8}};
         document.schedule = {.kind = experiment::ScheduleKind::kCosine};
       }},
      {"replicated, BPR", [](Experiment& document) { document.loss = {.kind = LossKind::kBpr}; }},
  };
  return all;
}

Experiment documentOf(const Kind& kind, int processes) {
  Experiment document = testing::ratingsDocument();
  document.mesh.devices = {fmt::format("cpu*{}", processes)};
  document.mesh.spaces = experiment::MemorySpaces::kSeparate;
  kind.change(document);
  return document;
}

std::vector<std::vector<std::byte>> bytesOf(train::Session& session) {
  std::vector<std::vector<std::byte>> all;
  for (const checkpoint::TensorView& tensor : session.tensors())
    all.emplace_back(tensor.bytes.begin(), tensor.bytes.end());
  return all;
}

}  // namespace

class ProcessesTest : public QObject {
  Q_OBJECT

  static void compareEvents(testing::EventList& found, testing::EventList& expected) {
    QCOMPARE(found.steps.size(), expected.steps.size());
    for (std::size_t step = 0; step < found.steps.size(); ++step)
      QCOMPARE(found.steps[step].loss, expected.steps[step].loss);
    const auto epochs = found.all<experiment::EpochEnded>(),
               others = expected.all<experiment::EpochEnded>();
    QCOMPARE(epochs.size(), others.size());
    QVERIFY(!epochs.empty());
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      QVERIFY(!epochs[epoch].summary.metrics.empty());
      QCOMPARE(epochs[epoch].summary.metrics, others[epoch].summary.metrics);
    }
  }

 private Q_SLOTS:
  void trainTheSameRun_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("processes");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const int processes : {2, 3})
        QTest::addRow("%s, %d", kinds()[kind].name, processes)
            << static_cast<int>(kind) << processes;
  }
  void trainTheSameRun() {
    QFETCH(int, kind);
    QFETCH(int, processes);
    const Experiment document = documentOf(kinds()[static_cast<std::size_t>(kind)], processes);
    testing::SmallTraining alone, driven;
    testing::EventList ofOne, ofAll;
    const auto expected = alone.train(document, "run", ofOne);
    QVERIFY(!expected.result.error);
    Followers followers(driven, document, processes);
    const auto found = driven.train(document, "run", ofAll);
    QVERIFY2(!found.result.error, found.result.error ? found.result.error->text().c_str() : "");
    compareEvents(ofAll, ofOne);
    QCOMPARE(bytesOf(*found.session), bytesOf(*expected.session));
    const auto snapshot = found.session->snapshot(), whole = expected.session->snapshot();
    QVERIFY(snapshot.ok() && whole.ok());
    QCOMPARE(snapshot->candidates, whole->candidates);
    QCOMPARE(snapshot->queries, whole->queries);
    for (const Status& ended : followers.end())
      QVERIFY2(ended.ok(), ended.ok() ? "" : ended.error().text().c_str());
    QVERIFY(followers.commands > found.result.steps);
  }

  // The number of processes may be another one: a checkpoint does not know how many there were.
  void goOnFromACheckpoint() {
    const Experiment document = documentOf(kinds()[0], 2);
    testing::SmallTraining alone, driven;
    testing::EventList ofOne, before, after;
    const auto expected = alone.train(document, "run", ofOne);
    Followers followers(driven, document, 2);
    const auto half = driven.train(document, "run", before, expected.result.steps / 2);
    QVERIFY(!half.result.checkpoint.empty());
    for (const bool divided : {true, false}) {
      if (!divided) {
        followers.end();
        driven.options = {};
        driven.whenMade = {};
      }
      const auto rest = driven.train(document, divided ? "again" : "alone", after, 0,
                                     checkpoint::open(half.result.checkpoint).value());
      QVERIFY(!rest.result.error);
      QCOMPARE(bytesOf(*rest.session), bytesOf(*expected.session));
    }
    // Tables are larger than any message may be.
    QVERIFY(followers.largest > 0);
    QVERIFY2(followers.largest < 16, qPrintable(QString::number(followers.largest)));
  }

  void refuseWhatIsNoCommand() {
    train::CommandReader reader;
    train::CommandWriter writer;
    const auto refuses = [&](std::string_view bytes) {
      const auto read = reader.read(bytes);
      return !read.ok() && read.error().code == ErrorCode::kPeer;
    };
    QVERIFY(refuses(""));
    QVERIFY(refuses("\xc8"));
    std::string bytes(writer.write(train::RunSteps{7}));
    QCOMPARE(std::get<train::RunSteps>(reader.read(bytes).value()).steps, 7);
    for (std::size_t size = 0; size < bytes.size(); ++size) QVERIFY(refuses(bytes.substr(0, size)));
    bytes.push_back(0);
    QVERIFY(refuses(bytes));
    // A length that is more than there is, in a command with arrays.
    const std::vector<float> labels(9, 1.0f);
    const nn::StepBatch input{.rows = 9, .features = {}, .labels = labels, .itemLogQ = labels};
    const std::string longer(writer.write(train::TrainBatch{1, {}, input, input}));
    for (std::size_t at = 0; at < longer.size(); ++at) {
      std::string damaged = longer;
      damaged[at] = '\xff';
      const auto read = train::CommandReader().read(damaged);
      if (!read.ok()) QCOMPARE(read.error().code, ErrorCode::kPeer);
    }
  }

  // A batch that was said to be next is not written again, unless it has become another one.
  void writeABatchOnce() {
    train::CommandReader reader;
    train::CommandWriter writer;
    const std::vector<std::int32_t> ids(1000, 7), others(1000, 8);
    const std::vector<float> shares(1000, 0.5f), otherShares(1000, 0.25f);
    const std::vector<data::FeatureIds> ofFirst{{ids}}, ofSecond{{others}};
    const nn::StepBatch first{.rows = 1000, .features = ofFirst, .itemLogQ = shares},
        second{.rows = 1000, .features = ofSecond, .itemLogQ = shares},
        third{.rows = 1000, .features = ofSecond, .itemLogQ = otherShares};
    std::string last;
    const auto arrives = [&](const nn::StepBatch& input, const std::optional<nn::StepBatch>& next) {
      last = writer.write(train::TrainBatch{1, {}, input, next});
      const auto read = reader.read(last);
      if (!read.ok()) return false;
      const auto same = [](const nn::StepBatch& found, const nn::StepBatch& expected) {
        return found.rows == expected.rows &&
               std::ranges::equal(found.features[0].ids, expected.features[0].ids) &&
               std::ranges::equal(found.itemLogQ, expected.itemLogQ);
      };
      const auto& found = std::get<train::TrainBatch>(*read);
      return same(found.input, input) && found.next.has_value() == next.has_value() &&
             (!next || same(*found.next, *next));
    };
    QVERIFY(arrives(first, second));
    QVERIFY(arrives(second, first));
    QVERIFY(last.size() < 5000);
    QVERIFY(arrives(first, std::nullopt));
    QVERIFY(last.size() < 100);
    QVERIFY(!train::CommandReader().read(last).ok());
    QVERIFY(arrives(second, third));
    QVERIFY(arrives(first, std::nullopt));  // another one than was said
    QVERIFY(last.size() > 4000);
    QVERIFY(arrives(second, second));
    // Shares that become others meanwhile make another batch of it.
    QVERIFY(reader.read(writer.write(train::ForwardBatch{-1, third})).ok());
    QVERIFY(arrives(third, std::nullopt));
    QVERIFY(last.size() > 4000);
  }
};

QTEST_GUILESS_MAIN(ProcessesTest)
#include "processes_test.moc"
