// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"

using namespace parapet;

namespace fs = std::filesystem;

namespace {

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::atomic<int> faultsOutside{0};

// A handler of somebody else: lets the reader of its own mapping go on.
void onOutside(int, siginfo_t* info, void*) {
  ++faultsOutside;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / kPage * kPage;
  ::mmap(reinterpret_cast<void*>(address), kPage, PROT_READ,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

// A mapping that no MappedRange knows, of a file that has become empty.
volatile const char* lostElsewhere(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  (void)::ftruncate(descriptor, static_cast<off_t>(kPage));
  void* const data = ::mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, descriptor, 0);
  (void)::ftruncate(descriptor, 0);
  ::close(descriptor);
  return static_cast<const char*>(data);
}

std::size_t sumOf(std::span<const std::byte> bytes) {
  return std::accumulate(
      bytes.begin(), bytes.end(), std::size_t{0},
      [](std::size_t sum, std::byte byte) { return sum + std::to_integer<std::size_t>(byte); });
}

}  // namespace

/// A mapped file loses pages while it is read.
class MappedRangeTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  [[nodiscard]] fs::path at(const char* name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  [[nodiscard]] MappedFile pages(const char* name, std::size_t count) const {
    (void)writeFileAtomically(at(name), std::string(count * kPage, '\1'));
    return MappedFile::open(at(name)).value();
  }

 private Q_SLOTS:
  // First: no handler is installed yet, neither ours nor another.
  void aFaultElsewhereEndsAProcessWithoutAnotherHandler() {
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGBUS, SIG_DFL);
      const MappedFile known = pages("known", 1);
      (void)*lostElsewhere(at("elsewhere"));
      ::_exit(0);
    }
    int outcome = 0;
    QCOMPARE(::waitpid(child, &outcome, 0), child);
    QVERIFY(WIFSIGNALED(outcome));
    QCOMPARE(WTERMSIG(outcome), SIGBUS);
  }

  void aFaultElsewhereGoesToTheHandlerBefore() {
    struct sigaction action {};
    action.sa_sigaction = onOutside;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, nullptr);
    const MappedFile known = pages("known", 1);
    QCOMPARE(*lostElsewhere(at("elsewhere")), '\0');
    QCOMPARE(faultsOutside.load(), 1);
    QVERIFY(!known.isLost());
    QVERIFY(!MappedRange::anyLost());
  }

  void lostPagesAreZerosAndTheFileIsNamed() {
    const MappedFile other = pages("other", 4), file = pages("file", 64);
    QVERIFY(file.intact().ok());
    fs::resize_file(at("file"), 8 * kPage);
    QCOMPARE(sumOf(file.bytes()), 8 * kPage);
    QVERIFY(file.isLost());
    const Status status = file.intact();
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::kData);
    QCOMPARE(status.error().path, at("file").string());
    QVERIFY(!other.isLost());
    QVERIFY(other.intact().ok());
    QVERIFY(MappedRange::anyLost());
    QCOMPARE(MappedRange::lostNames(), std::vector{at("file").string()});
    QCOMPARE(faultsOutside.load(), 1);
  }

  // The rest of the last page reads as zeros without a fault.
  void aFileThatIsShorterByLessThanAPageIsNotIntact() {
    const MappedFile file = pages("file", 1);
    fs::resize_file(at("file"), kPage - 1);
    QCOMPARE(sumOf(file.bytes()), kPage - 1);
    QVERIFY(!file.isLost());
    QVERIFY(!file.intact().ok());
  }

  void aFileThatIsReplacedOrRemovedStaysReadable() {
    const MappedFile file = pages("file", 3);
    QVERIFY(writeFileAtomically(at("file"), "other").ok());
    QCOMPARE(sumOf(file.bytes()), 3 * kPage);
    QVERIFY(file.intact().ok());
    fs::remove(at("file"));
    QVERIFY(file.intact().ok());
  }

  void aSlotThatIsUsedAgainIsSound() {
    {
      const MappedFile file = pages("file", 2);
      fs::resize_file(at("file"), 0);
      QCOMPARE(sumOf(file.bytes()), std::size_t{0});
      QVERIFY(file.isLost());
    }
    const MappedFile file = pages("file", 2);
    QVERIFY(!file.isLost());
    QCOMPARE(sumOf(file.bytes()), 2 * kPage);
    // Names of closed files are kept for whoever answers at the end.
    QVERIFY(!MappedRange::lostNames().empty());
  }

  void anotherThreadReadsZerosToo() {
    const MappedFile file = pages("file", 256);
    fs::resize_file(at("file"), 0);
    std::atomic<std::size_t> sum{0};
    {
      std::vector<std::jthread> readers;
      for (int reader = 0; reader < 4; ++reader)
        readers.emplace_back([&] { sum += sumOf(file.bytes()); });
    }
    QCOMPARE(sum.load(), std::size_t{0});
    QVERIFY(file.isLost());
  }

  void aFileThatIsReadEndsWithAnError() {
    (void)writeFileAtomically(at("file"), std::string(10 * kPage, '\1'));
    const FileReader reader = FileReader::open(at("file")).value();
    std::string bytes(10 * kPage, '\0');
    QVERIFY(reader.read(0, std::as_writable_bytes(std::span(bytes))).ok());
    fs::resize_file(at("file"), kPage);
    const Status status = reader.read(0, std::as_writable_bytes(std::span(bytes)));
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::kData);
    QCOMPARE(status.error().path, at("file").string());
  }
};

QTEST_GUILESS_MAIN(MappedRangeTest)
#include "mapped_range_test.moc"
