// SPDX-License-Identifier: Apache-2.0
#include "plugins/tcp/meeting.h"

#include <poll.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <sstream>

namespace parapet::tcp {
namespace {

using Token = std::array<unsigned char, 16>;

/// Shown to the process that listens, by the one that connects.
struct Greeting {
  std::array<char, 8> protocol{'p', 'a', 'r', 'a', 'p', 'e', 't', '1'};
  std::int64_t generation = 0;
  std::int32_t from = 0, to = 0;
  Token tokenOfTo{};
};
static_assert(sizeof(Greeting) == 40, "no byte of it is left unset");

/// So many strangers may be silent at a time; the longest of them is sent away for the next.
constexpr std::size_t kMaxSilent = 64;
constexpr std::int64_t kMaxValueBytes = 1024;

/// The entry of a process in the store, as text: token, port and address.
struct Entry {
  Token token{};
  int port = 0;  ///< 0: it does not listen, as all others do
  std::string address;

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    for (const unsigned char byte : token)
      out << "0123456789abcdef"[byte / 16] << "0123456789abcdef"[byte % 16];
    out << ' ' << port << ' ' << address;
    return out.str();
  }
  static std::optional<Entry> parse(const std::string& text) {
    Entry entry;
    std::istringstream in(text);
    std::string digits;
    if (!(in >> digits >> entry.port >> entry.address) || digits.size() != 2 * entry.token.size())
      return std::nullopt;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const std::size_t value = std::string("0123456789abcdef").find(digits[i]);
      if (value == std::string::npos) return std::nullopt;
      entry.token[i / 2] = static_cast<unsigned char>(entry.token[i / 2] * 16 + value);
    }
    return entry;
  }
};

std::string keyOf(int process) {
  return "process/" + std::to_string(process);
}

/// One who has connected and not yet shown a token.
struct Guest {
  Descriptor socket;
  Greeting greeting{};
  std::size_t got = 0;
};

class Host {
 public:
  Host(const PcMeeting& meeting, const Board& board)
      : meeting_(meeting),
        board_(board),
        deadline_(Clock::now() + std::chrono::milliseconds(meeting.timeoutMs)),
        address_(meeting.bindAddress),
        sockets_(static_cast<std::size_t>(meeting.processes)) {}

  std::vector<Descriptor> run() {
    own_.address = meeting_.bindAddress;
    if (getrandom(own_.token.data(), own_.token.size(), 0) !=
        static_cast<ssize_t>(own_.token.size()))
      throw Failure(-1, "no random token: " + systemError());
    if (meeting_.process + 1 < meeting_.processes) {
      listener_ = listenAt(address_);
      own_.port = address_.port();
    }
    board_.set(keyOf(meeting_.process), own_.text());
    address_.setPort(0);  // from any port to the others
    // A process that connects waits for no answer before all of its guests have come, so that none
    // waits for one that waits for it.
    for (int to = 0; to < meeting_.process; ++to) blaming(to, [&] { visit(to); });
    receiveGuests();
    for (int to = 0; to < meeting_.process; ++to)
      blaming(to, [&] {
        Token shown{};
        receiveAll(at(to).get(), shown.data(), shown.size(), deadline_);
        if (shown != own_.token)
          throw Failure(-1, "what answers at its address does not know the token");
      });
    return std::move(sockets_);
  }

 private:
  Descriptor& at(int process) { return sockets_[static_cast<std::size_t>(process)]; }

  template <class Body>
  static void blaming(int process, const Body& body) {
    try {
      body();
    } catch (const Failure& failure) {
      throw Failure(process, failure.what());
    }
  }

  Entry entryOf(int process) const {
    const auto text = board_.get(keyOf(process), deadline_);
    if (!text) throw Failure(process, "it did not come in time");
    const auto entry = Entry::parse(*text);
    if (!entry) throw Failure(process, "the store has no address of it, but \"" + *text + "\"");
    return *entry;
  }

  void visit(int to) {
    const Entry entry = entryOf(to);
    Address address(entry.address);
    address.setPort(entry.port);
    at(to) = connectTo(address_, address, deadline_);
    Greeting greeting;
    greeting.generation = meeting_.generation;
    greeting.from = meeting_.process;
    greeting.to = to;
    greeting.tokenOfTo = entry.token;
    sendAll(at(to).get(), &greeting, sizeof greeting, deadline_);
  }

  [[nodiscard]] int firstMissing() const {
    for (int process = meeting_.process + 1; process < meeting_.processes; ++process)
      if (!sockets_[static_cast<std::size_t>(process)]) return process;
    return -1;
  }

  void receiveGuests() {
    std::vector<pollfd> waiting;
    while (firstMissing() >= 0) {
      waiting.assign(1, {listener_.get(), POLLIN, 0});
      for (const Guest& guest : guests_) waiting.push_back({guest.socket.get(), POLLIN, 0});
      const int ready = poll(waiting.data(), waiting.size(), millisecondsUntil(deadline_));
      if (ready < 0 && errno != EINTR) throw Failure(-1, "cannot wait: " + systemError());
      if (Clock::now() >= deadline_) throw Failure(firstMissing(), "it did not come in time");
      if (ready <= 0) continue;
      for (std::size_t i = waiting.size(); --i > 0;)
        if (waiting[i].revents != 0 && listenTo(guests_[i - 1]))
          guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(i - 1));
      if (waiting[0].revents != 0) open();
    }
    guests_.clear();
    listener_ = Descriptor();
  }

  void open() {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return;  // gone again
    if (guests_.size() == kMaxSilent) guests_.pop_front();
    guests_.push_back({std::move(socket)});
  }

  /// Whether a guest has been let in or sent away.
  bool listenTo(Guest& guest) {
    const ssize_t got =
        recv(guest.socket.get(), reinterpret_cast<std::byte*>(&guest.greeting) + guest.got,
             sizeof(Greeting) - guest.got, 0);
    if (got < 0) return errno != EAGAIN && errno != EINTR;
    guest.got += static_cast<std::size_t>(got);
    if (guest.got < sizeof(Greeting)) return got == 0;
    const int from = guest.greeting.from;
    Greeting expected;
    expected.generation = meeting_.generation;
    expected.from = from;
    expected.to = meeting_.process;
    expected.tokenOfTo = own_.token;
    if (std::memcmp(&guest.greeting, &expected, sizeof expected) != 0 || from <= meeting_.process ||
        from >= meeting_.processes || at(from))
      return true;
    const Entry entry = entryOf(from);
    blaming(from, [&] {
      sendAll(guest.socket.get(), entry.token.data(), entry.token.size(), deadline_);
    });
    tune(guest.socket.get());
    at(from) = std::move(guest.socket);
    return true;
  }

  const PcMeeting& meeting_;
  const Board& board_;
  const Clock::time_point deadline_;
  Address address_;
  Entry own_;
  Descriptor listener_;
  std::deque<Guest> guests_;
  std::vector<Descriptor> sockets_;
};

}  // namespace

void Board::set(const std::string& key, const std::string& value) const {
  PcError error{.rank = -1, .text = {}};
  if (store_.set(store_.self, (prefix_ + key).c_str(), value.data(),
                 static_cast<std::int64_t>(value.size()), &error) != PC_OK)
    throw Failure(-1, "cannot write into the store: " + std::string(error.text));
}

std::optional<std::string> Board::get(const std::string& key, Clock::time_point deadline) const {
  PcError error{.rank = -1, .text = {}};
  std::string value(kMaxValueBytes, '\0');
  std::int64_t size = 0;
  const std::int32_t code = store_.get(store_.self, (prefix_ + key).c_str(), value.data(),
                                       kMaxValueBytes, &size, millisecondsUntil(deadline), &error);
  if (code == PC_PEER) return std::nullopt;
  if (code != PC_OK) throw Failure(-1, "cannot read from the store: " + std::string(error.text));
  value.resize(static_cast<std::size_t>(size));
  return value;
}

std::vector<Descriptor> meet(const PcMeeting& meeting, const Board& board) {
  return Host(meeting, board).run();
}

}  // namespace parapet::tcp
