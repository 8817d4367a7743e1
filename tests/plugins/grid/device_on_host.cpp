// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/grid/device_on_host.h"

#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace parapet::cuda::on_host {

Running running;
std::uint64_t shown[kMaxThreads];

namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;

enum class State { kReady, kAtBlock, kAtWarp, kDone };

#if defined(__x86_64__)
/// Where a fiber goes on: its registers are on its stack. swapcontext asks the kernel for the signal
/// mask each time, which takes a hundred times as long.
struct Context {
  void* stack = nullptr;
};
extern "C" void parapetSwitchFiber(void** from, void* to);
asm(R"(
.text
.local parapetSwitchFiber
.type parapetSwitchFiber, @function
parapetSwitchFiber:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size parapetSwitchFiber, .-parapetSwitchFiber
)");
void switchContext(Context& from, Context& to) {
  parapetSwitchFiber(&from.stack, to.stack);
}
void prepare(Context& context, std::byte* stack, std::size_t bytes, void (*entry)()) {
  // Six registers and the address to return to; the stack is then as after a call.
  auto** const top = reinterpret_cast<void**>(stack + bytes) - 2;
  *top = reinterpret_cast<void*>(entry);
  context.stack = top - 6;
}
#else
using Context = ucontext_t;
void switchContext(Context& from, Context& to) {
  ::swapcontext(&from, &to);
}
void prepare(Context& context, std::byte* stack, std::size_t bytes, void (*entry)()) {
  ::getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  ::makecontext(&context, entry, 0);
}
#endif

/// A stack on which threads of a block run: one until it waits, or several that never do.
struct Fiber {
  Context context{};
  std::byte* stack = nullptr;
  void* shadow = nullptr;  // of the address sanitizer
};

struct Thread {
  State state = State::kDone;
  Fiber* fiber = nullptr;
  int line = 0;
};

/// The block that runs.
class Block {
 public:
  const char* run(std::int64_t threads, void (*body)(const void*), const void* argument);
  void wait(State state, int line);

 private:
  void resume(std::int64_t thread);
  void work();
  static void enter();
  bool release();
  bool releaseWarps();
  const char* describe();
  Fiber* freshFiber();

  void switchTo(Context& from, Fiber* fiber);
  void switchBack(Fiber& fiber, bool ends);

  std::vector<Thread> threads_;
  std::vector<Fiber*> idle_;
  Context scheduler_{};
  void* schedulerShadow_ = nullptr;
  const void* schedulerStack_ = nullptr;
  std::size_t schedulerBytes_ = 0;
  Fiber* current_ = nullptr;
  std::int64_t next_ = 0;
  bool forwards_ = true;
  void (*body_)(const void*) = nullptr;
  const void* argument_ = nullptr;
  char text_[256] = {};
};

Block& theBlock() {
  static Block block;
  return block;
}

void Block::switchTo(Context& from, Fiber* fiber) {
  current_ = fiber;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&schedulerShadow_, fiber->stack, kStackBytes);
#endif
  switchContext(from, fiber->context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(schedulerShadow_, nullptr, nullptr);
#endif
}

void Block::switchBack(Fiber& fiber, [[maybe_unused]] bool ends) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(ends ? nullptr : &fiber.shadow, schedulerStack_, schedulerBytes_);
#endif
  switchContext(fiber.context, scheduler_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fiber.shadow, &schedulerStack_, &schedulerBytes_);
#endif
}

Fiber* Block::freshFiber() {
  Fiber* fiber = nullptr;
  if (!idle_.empty()) {
    fiber = idle_.back();
    idle_.pop_back();
  } else {
    fiber = new Fiber;
    void* const stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) std::abort();
    fiber->stack = static_cast<std::byte*>(stack);
  }
  prepare(fiber->context, fiber->stack, kStackBytes, &Block::enter);
  return fiber;
}

void Block::enter() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &theBlock().schedulerStack_,
                                  &theBlock().schedulerBytes_);
#endif
  theBlock().work();
}

// Threads that never wait share a stack; one that has waited ends alone on its own.
void Block::work() {
  Fiber& mine = *current_;
  const auto count = static_cast<std::int64_t>(threads_.size());
  bool waited = false;
  while (!waited && next_ < count) {
    const std::int64_t thread = forwards_ ? next_ : count - 1 - next_;
    ++next_;
    running.thread = thread;
    threads_[static_cast<std::size_t>(thread)] = {State::kReady, &mine, 0};
    body_(argument_);
    Thread& done = threads_[static_cast<std::size_t>(running.thread)];
    waited = done.line != 0;
    done.state = State::kDone;
  }
  idle_.push_back(&mine);
  switchBack(mine, true);
}

void Block::wait(State state, int line) {
  Thread& thread = threads_[static_cast<std::size_t>(running.thread)];
  thread.state = state;
  thread.line = line;
  const std::int64_t number = running.thread;
  switchBack(*thread.fiber, false);
  running.thread = number;
}

void Block::resume(std::int64_t thread) {
  running.thread = thread;
  switchTo(scheduler_, threads_[static_cast<std::size_t>(thread)].fiber);
}

/// The warps all of whose threads wait for each other go on.
bool Block::releaseWarps() {
  bool any = false;
  for (std::size_t first = 0; first < threads_.size(); first += 32) {
    bool all = true;
    for (std::size_t t = first; t < first + 32; ++t)
      all = all && threads_[t].state == State::kAtWarp && threads_[t].line == threads_[first].line;
    if (!all) continue;
    for (std::size_t t = first; t < first + 32; ++t) threads_[t].state = State::kReady;
    any = true;
  }
  return any;
}

bool Block::release() {
  if (releaseWarps()) return true;
  for (const Thread& thread : threads_)
    if (thread.state != State::kAtBlock || thread.line != threads_.front().line) return false;
  for (Thread& thread : threads_) thread.state = State::kReady;
  return true;
}

const char* Block::describe() {
  std::size_t atBlock = 0, atWarp = 0, done = 0;
  int line = 0, other = 0;
  for (const Thread& thread : threads_) {
    atBlock += thread.state == State::kAtBlock ? 1 : 0;
    atWarp += thread.state == State::kAtWarp ? 1 : 0;
    done += thread.state == State::kDone ? 1 : 0;
    if (thread.state == State::kDone) continue;
    if (line == 0) line = thread.line;
    if (thread.line != line) other = thread.line;
  }
  std::snprintf(
      text_, sizeof text_,
      "block %lld never meets: of %zu threads %zu wait for the block, %zu for their warp, "
      "%zu have ended (lines %d and %d)",
      static_cast<long long>(running.block), threads_.size(), atBlock, atWarp, done, line, other);
  return text_;
}

// Each time the threads take turns in the other direction, so that a kernel in which one reads what
// another writes without a meeting between them is likely to be found out.
const char* Block::run(std::int64_t threads, void (*body)(const void*), const void* argument) {
  threads_.assign(static_cast<std::size_t>(threads), Thread{});
  body_ = body;
  argument_ = argument;
  next_ = 0;
  while (next_ < threads) switchTo(scheduler_, freshFiber());
  while (true) {
    bool allDone = true;
    for (const Thread& thread : threads_) allDone = allDone && thread.state == State::kDone;
    forwards_ = !forwards_;
    if (allDone) return nullptr;
    if (!release()) return describe();
    for (std::int64_t i = 0; i < threads; ++i) {
      const std::int64_t thread = forwards_ ? i : threads - 1 - i;
      if (threads_[static_cast<std::size_t>(thread)].state == State::kReady) resume(thread);
    }
  }
}

}  // namespace

void meetBlock(int line) {
  theBlock().wait(State::kAtBlock, line);
}

void meetWarp(int line) {
  theBlock().wait(State::kAtWarp, line);
}

const char* run(Grid grid, void (*body)(const void*), const void* argument) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (grid.threads % kWarp != 0 || grid.threads < kWarp || grid.threads > kMaxThreads)
    return "a block has whole warps, and at most 1,024 threads";
  if (grid.blocks > 0x7fffffff) return "a grid has at most 2^31 - 1 blocks";
  running.threads = grid.threads;
  running.blocks = grid.blocks;
  for (running.block = 0; running.block < grid.blocks; ++running.block)
    if (const char* const wrong = theBlock().run(grid.threads, body, argument)) return wrong;
  return nullptr;
}

}  // namespace parapet::cuda::on_host
