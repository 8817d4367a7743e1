// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts.h"

#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/base/text.h"
#include "engine/launch/addresses.h"

namespace parapet::launch {
namespace {

constexpr const char* kLine = "NAME [slots=K] [address=A]";

Error wrongLine(const std::string& file, std::int64_t line, std::string what) {
  return {ErrorCode::kInvalidDocument, fmt::format("{}:{}: {}", file, line, what), "", file, line};
}

Error wrongHosts(const std::string& file, const std::string& what) {
  return {ErrorCode::kInvalidDocument, fmt::format("{}: {}", file, what), "", file};
}

/// Takes `slots=K` or `address=A`; returns what is wrong with the word, "" if nothing is.
std::string readWord(Host& host, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string value(equals == word.npos ? "" : word.substr(equals + 1));
  if (equals != word.npos && key == "slots") {
    const auto slots = parseInt(value);
    if (!slots || *slots < 1 || *slots > kMaxProcesses)
      return fmt::format("slots is \"{}\"; accepted: a whole number from 1 to {}", printable(value),
                         kMaxProcesses);
    host.slots = static_cast<int>(*slots);
    return {};
  }
  if (equals != word.npos && key == "address") {
    if (!resolve(value, 0, AI_NUMERICHOST))
      return fmt::format("address is \"{}\"; accepted: an address in numbers, such as 10.0.0.2",
                         printable(value));
    host.address = value;
    return {};
  }
  return fmt::format("\"{}\" is not known here; accepted: {}", printable(word), kLine);
}

/// Whether a host is this machine; its address is resolved for that.
Result<SocketAddress> locate(Host& host, const std::string& file) {
  auto found = resolve(host.address.empty() ? host.name : host.address, 0);
  if (!found) {
    const std::string& text = found.error().message;
    return wrongLine(file, host.line,
                     fmt::format("the host \"{}\" has no address{}; accepted: a name that this "
                                 "machine resolves, or address=A behind it",
                                 printable(host.name), text.substr(text.rfind(": "))));
  }
  host.isHere = isHere(*found);
  return found;
}

}  // namespace

int RunHosts::processes() const {
  return std::transform_reduce(hosts.begin(), hosts.end(), 0, std::plus<>(),
                               [](const Host& host) { return host.slots; });
}

Result<std::vector<Host>> parseHosts(const std::string& text, const std::string& file) {
  std::vector<Host> hosts;
  std::int64_t number = 0;
  for (const std::string_view line : splitFields(text, '\n')) {
    ++number;
    Host host{.name = {}, .line = number};
    std::string words(line.substr(0, line.find('#')));
    std::ranges::replace_if(
        words, [](char c) { return c == '\t' || c == '\r'; }, ' ');
    for (const std::string_view word : splitFields(words, ' ')) {
      if (word.empty()) continue;
      // A name that begins with "-" would be an option of ssh.
      if (host.name.empty() && (word.find('=') != word.npos || word.front() == '-'))
        return wrongLine(
            file, number,
            fmt::format("\"{}\" is no name of a host; accepted: {}", printable(word), kLine));
      if (host.name.empty())
        host.name = word;
      else if (const std::string problem = readWord(host, word); !problem.empty())
        return wrongLine(file, number, problem);
    }
    if (host.name.empty()) continue;
    if (const auto first = std::ranges::find(hosts, host.name, &Host::name); first != hosts.end())
      return wrongLine(file, number,
                       fmt::format("the host \"{}\" is also on line {}; accepted: one line for "
                                   "each host, slots=K for several processes",
                                   printable(host.name), first->line));
    hosts.push_back(std::move(host));
  }
  if (hosts.empty())
    return wrongHosts(file, fmt::format("it names no host; accepted: a host a line, {}", kLine));
  return hosts;
}

Result<RunHosts> readHosts(const std::string& text, const std::string& file) {
  RunHosts run;
  PARAPET_ASSIGN(run.hosts, parseHosts(text, file));
  std::optional<SocketAddress> other;
  for (Host& host : run.hosts) {
    PARAPET_ASSIGN(const SocketAddress address, locate(host, file));
    if (!host.isHere && !other) other = address;
  }
  const auto here = std::ranges::find_if(run.hosts, &Host::isHere);
  if (here == run.hosts.end())
    return wrongHosts(file,
                      "none of its hosts is this machine, where process 0 runs; accepted: a line "
                      "with a name or an address=A of this machine");
  std::rotate(run.hosts.begin(), here, here + 1);
  if (const int processes = run.processes(); processes < 2 || processes > kMaxProcesses)
    return wrongHosts(file, fmt::format("its slots are {} in all, one for each process; accepted: "
                                        "2 to {}, by more hosts or slots=K",
                                        processes, kMaxProcesses));
  run.address = run.hosts.front().address;
  if (run.address.empty()) run.address = "127.0.0.1";
  if (run.hosts.front().address.empty() && other) {
    PARAPET_ASSIGN(run.address, addressTowards(*other));
  }
  return run;
}

}  // namespace parapet::launch
