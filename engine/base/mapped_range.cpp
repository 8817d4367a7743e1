// SPDX-License-Identifier: Apache-2.0
#include "engine/base/mapped_range.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

namespace parapet {
namespace {

// A signal handler may touch lock-free atomics and little else, so it finds the range of an address
// in a table of fixed size. `version` is odd while a slot changes. A slot in change is none of a
// range that is being read, so the handler passes it over.
struct Slot {
  std::atomic<std::uint32_t> version{0};
  std::atomic<bool> isLost{false};
  std::atomic<int> protection{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

std::array<Slot, MappedRange::kMaxRanges> slots;
std::atomic<std::uint32_t> usedSlots{0};  // no range is in a slot from here on
std::atomic<bool> anyRangeLost{false};
std::atomic<std::uintptr_t> pageBytes{0};
struct sigaction previous {};

void fill(Slot& slot, std::uintptr_t begin, std::uintptr_t end, int protection) {
  slot.version.fetch_add(1);
  slot.begin = begin;
  slot.end = end;
  slot.protection = protection;
  slot.isLost = false;
  slot.version.fetch_add(1);
}

// Zeros from the page of the address to the end of its range; false if it is in none.
bool replacePages(std::uintptr_t address) {
  for (std::uint32_t index = 0, count = usedSlots; index < count; ++index) {
    Slot& slot = slots[index];
    const std::uint32_t version = slot.version;
    const std::uintptr_t begin = slot.begin, end = slot.end;
    const int protection = slot.protection;
    if (version % 2 != 0 || slot.version != version || address < begin || address >= end) continue;
    slot.isLost = true;
    anyRangeLost = true;
    const std::uintptr_t page = address / pageBytes * pageBytes;
    return ::mmap(reinterpret_cast<void*>(page), end - page, protection,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

void passOn(int signal, siginfo_t* info, void* context) {
  const bool isFault = info->si_code > 0;  // else another process has sent it
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || (previous.sa_handler == SIG_IGN && isFault)) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    ::raise(signal);  // delivered when this handler returns
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

extern "C" void onBusError(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  const bool isPage = info->si_code > 0 && info->si_code != BUS_ADRALN;
  if (!isPage || !replacePages(reinterpret_cast<std::uintptr_t>(info->si_addr)))
    passOn(signal, info, context);
  errno = kept;
}

// Hands out the slots. Never destroyed: ranges of static life are closed late.
class Registry {
 public:
  static Registry& instance() {
    static Registry& registry = *new Registry;
    return registry;
  }
  std::optional<std::uint32_t> add(void* data, std::size_t bytes, int protection,
                                   std::string name) {
    const std::lock_guard lock(mutex_);
    std::uint32_t index = usedSlots;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else if (index == MappedRange::kMaxRanges) {
      return std::nullopt;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    fill(slots[index], begin, begin + bytes, protection);
    if (index == usedSlots) {
      names_.emplace_back();
      usedSlots = index + 1;
    }
    names_[index] = std::move(name);
    return index;
  }
  void remove(std::uint32_t index) {
    const std::lock_guard lock(mutex_);
    if (slots[index].isLost) closed_.push_back(std::move(names_[index]));
    fill(slots[index], 0, 0, 0);
    free_.push_back(index);
  }
  std::vector<std::string> lostNames() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names = closed_;
    for (std::size_t index = 0; index < names_.size(); ++index)
      if (slots[index].isLost) names.push_back(names_[index]);
    return names;
  }

 private:
  Registry() {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    ::sigaction(SIGBUS, nullptr, &previous);  // first: another thread may fault in between
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigaction(SIGBUS, &action, nullptr);
  }
  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
  std::vector<std::string> names_;   // by slot
  std::vector<std::string> closed_;  // of lost ranges
};

}  // namespace

std::optional<MappedRange> MappedRange::adopt(void* data, std::size_t bytes, int protection,
                                              std::string name) {
  const auto slot = Registry::instance().add(data, bytes, protection, std::move(name));
  if (!slot) {
    ::munmap(data, bytes);
    return std::nullopt;
  }
  MappedRange range;
  range.data_ = static_cast<std::byte*>(data);
  range.size_ = bytes;
  range.slot_ = *slot;
  return range;
}

MappedRange::MappedRange(MappedRange&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      slot_(other.slot_) {}

MappedRange& MappedRange::operator=(MappedRange&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(slot_, other.slot_);
  return *this;
}

MappedRange::~MappedRange() {
  if (data_ == nullptr) return;
  Registry::instance().remove(slot_);  // before the addresses may become those of something else
  ::munmap(data_, size_);
}

bool MappedRange::isLost() const {
  return data_ != nullptr && slots[slot_].isLost;
}

bool MappedRange::anyLost() {
  return anyRangeLost;
}

std::vector<std::string> MappedRange::lostNames() {
  return anyLost() ? Registry::instance().lostNames() : std::vector<std::string>();
}

}  // namespace parapet
