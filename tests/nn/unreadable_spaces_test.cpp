// SPDX-License-Identifier: Apache-2.0
// Separate memory spaces of one process, each of whose ops runs while nobody can read or write the
// others: what crosses a space goes through the communicator and nowhere else.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <array>
#include <cstring>
#include <utility>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using sample::Kind, sample::Outcome;

namespace {

constexpr std::size_t kSpaces = 3;
constexpr std::size_t kFirstSlot = offsetof(PpOps, fill);
constexpr std::size_t kSlots = (sizeof(PpOps) - kFirstSlot) / sizeof(void*);
using Op = std::int32_t (*)(const PpCall*, const void*);

/// The memory of the spaces, one after the other.
class Pages {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{1} << 26;  // of a space

  void* allocate(std::size_t space, std::uint64_t bytes) {
    constexpr std::uint64_t kLine = 64;
    const std::uint64_t at = used_[space];
    used_[space] += (bytes + kLine - 1) / kLine * kLine;
    ++arrays_[space];
    return used_[space] <= kBytes ? of(space) + at : nullptr;
  }
  /// The last one leaves all room to the next.
  void release(std::size_t space) {
    if (--arrays_[space] == 0) used_[space] = 0;
  }
  [[nodiscard]] std::byte* of(std::size_t space) const { return begin_ + space * kBytes; }
  void closeAllBut(std::size_t space) const {
    if (space > 0) ::mprotect(begin_, space * kBytes, PROT_NONE);
    if (space + 1 < kSpaces) ::mprotect(of(space + 1), (kSpaces - space - 1) * kBytes, PROT_NONE);
  }
  void open() const { ::mprotect(begin_, kSpaces * kBytes, PROT_READ | PROT_WRITE); }

 private:
  std::byte* begin_ = static_cast<std::byte*>(
      ::mmap(nullptr, kSpaces* kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::array<std::uint64_t, kSpaces> used_{};
  std::array<std::int64_t, kSpaces> arrays_{};
};

Pages& pages() {
  static Pages all;
  return all;
}

/// While it lives, the pages of all other spaces cannot be touched. One worker at a time.
class Alone {
 public:
  explicit Alone(std::size_t space) { pages().closeAllBut(space); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone() { pages().open(); }
};

// A stream is where the pages of its device begin.
std::size_t spaceOf(const PpCall& call) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(call.stream) - pages().of(0)) /
         Pages::kBytes;
}

std::array<Op, kSlots> kernels() {
  std::array<Op, kSlots> all{};
  std::memcpy(all.data(),
              reinterpret_cast<const std::byte*>(tensor::hostDevice().backend().ops) + kFirstSlot,
              sizeof all);
  return all;
}

template <std::size_t slot>
std::int32_t runAlone(const PpCall* call, const void* args) {
  static const Op kernel = kernels()[slot];
  const Alone alone(spaceOf(*call));
  return kernel(call, args);
}

template <std::size_t... slots>
PpOps guardedOps(std::index_sequence<slots...>) {
  const std::array<Op, kSlots> guarded{runAlone<slots>...};
  PpOps ops = *tensor::hostDevice().backend().ops;
  std::memcpy(reinterpret_cast<std::byte*>(&ops) + kFirstSlot, guarded.data(), sizeof guarded);
  return ops;
}

const PpDevice& guardedBackend() {
  static const PpOps ops = guardedOps(std::make_index_sequence<kSlots>{});
  static const PpDevice backend = [] {
    PpDevice made = tensor::hostDevice().backend();
    made.ops = &ops;
    made.allocate = [](std::int32_t index, std::uint64_t bytes) {
      return pages().allocate(static_cast<std::size_t>(index), bytes);
    };
    made.release = [](std::int32_t index, void*) {
      pages().release(static_cast<std::size_t>(index));
    };
    made.stream = [](std::int32_t index) -> void* {
      return pages().of(static_cast<std::size_t>(index));
    };
    return made;
  }();
  return backend;
}

std::vector<tensor::Device> guardedDevices(int count) {
  std::vector<tensor::Device> devices;
  for (int index = 0; index < count; ++index)
    devices.emplace_back("cpu:" + std::to_string(index), guardedBackend(), index, "portable");
  return devices;
}

Outcome trainedOn(std::vector<tensor::Device> devices, const Kind& kind,
                  experiment::Placement placement) {
  const auto mesh = mesh::DeviceMesh::arrange(std::move(devices), std::nullopt, {"data"},
                                              experiment::MemorySpaces::kSeparate)
                        .value();
  // The communicator alone sees every space: its sums are the host's own ops.
  nn::Model model = sample::modelOf(kind);
  auto idsPerRow = sample::idsPerRow(model);
  sample::Trainer trainer(
      std::move(model), mesh, 1, sample::kExamples + kind.extra, std::move(idsPerRow), placement,
      mesh::makeLocalCommunicator(mesh.ranks(), {&tensor::hostDevice(), nullptr}));
  return sample::trained(trainer, kind.extra);
}

}  // namespace

class UnreadableSpacesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSpaceTouchesItsOwnPagesAlone_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("spaces");
    for (std::size_t kind = 0; kind < sample::kinds().size(); ++kind)
      for (const int spaces : {2, static_cast<int>(kSpaces)})
        QTest::addRow("%s, %d spaces", sample::kinds()[kind].name, spaces)
            << static_cast<int>(kind) << spaces;
  }
  void aSpaceTouchesItsOwnPagesAlone() {
    QFETCH(int, kind);
    QFETCH(int, spaces);
    const Kind& of = sample::kinds()[static_cast<std::size_t>(kind)];
    for (const auto placement : {experiment::Placement::kReplicated, experiment::Placement::kRow}) {
      const Outcome plain = trainedOn(
          std::vector(static_cast<std::size_t>(spaces), tensor::hostDevice()), of, placement);
      const Outcome guarded = trainedOn(guardedDevices(spaces), of, placement);
      QCOMPARE(guarded.losses.size(), static_cast<std::size_t>(sample::kSteps) + 1);
      QCOMPARE(guarded.losses, plain.losses);
      QVERIFY(guarded.arrays == plain.arrays);
    }
  }

  // Broken on purpose: an op of one space writes what is another's, and its process ends.
  void anOpThatTouchesAnotherSpaceFaults() {
    const std::vector<tensor::Device> devices = guardedDevices(2);
    tensor::Buffer<float> own(devices[0], 4), foreign(devices[1], 4);
    const auto endOf = [&](tensor::Buffer<float>& buffer) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::signal(SIGSEGV, [](int) { ::_exit(7); });
        tensor::run({&devices[0], nullptr}, PpFill{buffer.data(), 4, 1.0f});
        ::_exit(0);
      }
      int status = -1;
      ::waitpid(child, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    QCOMPARE(endOf(own), 0);
    QCOMPARE(endOf(foreign), 7);
  }
};

QTEST_GUILESS_MAIN(UnreadableSpacesTest)
#include "unreadable_spaces_test.moc"
