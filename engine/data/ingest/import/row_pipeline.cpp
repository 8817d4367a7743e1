// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/row_pipeline.h"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/threads.h"

namespace parapet::data {
namespace {

// The state that the threads share. A slot holds one piece from its fetch until it is taken; piece
// n has slot n mod slots, so a full ring is what makes the fetch wait.
class Pipeline {
 public:
  Pipeline(Source& source, const RowShaper& shaper, int slots,
           const std::function<Status(ShapedRows&)>& take, const WorkContext& context)
      : source_(source), shaper_(shaper), take_(take), context_(context), slots_(slots) {}

  // Until the source ends or something fails. Every thread runs it.
  void work() noexcept {
    try {
      while (Slot* slot = fetch()) {
        const Status shaped =
            shaper_.shape(slot->rows, 0, std::numeric_limits<std::int64_t>::max());
        if (!shaped) return fail(shaped.error());
        takeReady(*slot);
      }
    } catch (const std::exception& failure) {
      fail(Error{ErrorCode::kInternal, failure.what()});
    }
  }

  [[nodiscard]] Status outcome() const { return failure_ ? Status{*failure_} : Status{}; }

 private:
  enum class State { kFree, kFetched, kShaped };
  struct Slot {
    State state = State::kFree;
    ShapedRows rows;
  };

  // The next piece in its slot, or null at the end. One thread at a time asks the source, and not
  // under the lock of the slots: to unpack a piece may take long.
  Slot* fetch() {
    const std::lock_guard fetching(fetchMutex_);
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[static_cast<std::size_t>(fetched_) % slots_.size()];
    changed_.wait(lock, [&] { return ended_ || failure_ || slot.state == State::kFree; });
    if (ended_ || failure_) return nullptr;
    if (context_.cancelled()) {
      failure_ = importCancelled();
      return nullptr;
    }
    lock.unlock();
    const Result<bool> more = source_.next(slot.rows.piece);
    const std::int64_t done = source_.done();
    lock.lock();
    if (!more && !failure_) failure_ = more.error();
    ended_ = !more || !*more;
    if (ended_) return nullptr;
    slot.state = State::kFetched;
    ++fetched_;
    done_ = done;
    return &slot;
  }

  // Marks the slot; whoever finds the next piece of the order ready takes it, and those behind it.
  void takeReady(Slot& shaped) {
    std::unique_lock lock(mutex_);
    shaped.state = State::kShaped;
    if (taking_) return;
    taking_ = true;
    for (;;) {
      Slot& slot = slots_[static_cast<std::size_t>(taken_) % slots_.size()];
      if (failure_ || slot.state != State::kShaped || taken_ == fetched_) break;
      const std::int64_t done = done_;
      lock.unlock();
      const Status outcome = take_(slot.rows);
      context_.report("reading", done, source_.total());
      lock.lock();
      slot.state = State::kFree;
      ++taken_;
      if (!outcome && !failure_) failure_ = outcome.error();
      changed_.notify_all();
    }
    taking_ = false;
  }

  void fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
    changed_.notify_all();
  }

  Source& source_;
  const RowShaper& shaper_;
  const std::function<Status(ShapedRows&)>& take_;
  const WorkContext& context_;

  std::mutex fetchMutex_;  // taken before mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::int64_t fetched_ = 0, taken_ = 0, done_ = 0;
  bool ended_ = false, taking_ = false;
  std::optional<Error> failure_;
};

Status shapeSlice(Source& source, const RowShaper& shaper, const RowSlice& slice,
                  const std::function<Status(ShapedRows&)>& take, const WorkContext& context) {
  ShapedRows rows;
  std::int64_t position = 0;
  while (position < slice.last) {
    if (context.cancelled()) return importCancelled();
    PARAPET_ASSIGN(const bool more, source.next(rows.piece));
    if (!more) break;
    PARAPET_TRY(shaper.shape(rows, slice.first - position, slice.last - position));
    position += rows.block.rows;
    PARAPET_TRY(take(rows));
    context.report("reading", source.done(), source.total());
  }
  return {};
}

}  // namespace

Error importCancelled() {
  return Error{ErrorCode::kCancelled, "import cancelled"};
}

Status forEachBlock(Source& source, std::string_view stage,
                    const std::function<Status(const Source::Piece&, const RowBlock&)>& take,
                    const WorkContext& context) {
  Source::Piece piece;
  RowBlock block;
  for (;;) {
    if (context.cancelled()) return importCancelled();
    PARAPET_ASSIGN(const bool more, source.next(piece));
    if (!more) return {};
    PARAPET_TRY(source.parse(piece, block));
    PARAPET_TRY(take(piece, block));
    context.report(stage, source.done(), source.total());
  }
}

Status shapeInOrder(Source& source, const RowShaper& shaper, const RowSlice& slice, int threads,
                    const std::function<Status(ShapedRows&)>& take, const WorkContext& context) {
  if (!slice.isAll()) return shapeSlice(source, shaper, slice, take, context);
  Pipeline pipeline(source, shaper, 2 * threads, take, context);
  {
    std::vector<std::jthread> workers;
    for (int thread = 1; thread < threads; ++thread)
      workers.emplace_back([&pipeline] {
        const ThreadName name("import");
        pipeline.work();
      });
    pipeline.work();
  }
  return pipeline.outcome();
}

}  // namespace parapet::data
