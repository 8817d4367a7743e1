// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/workspace/downloads.h"

namespace parapet::cli {
namespace {

struct DownloadArguments {
  std::string what, out, checksum;
  std::optional<std::int64_t> maxBytes;
  bool acceptLicence = false;
};

/// The file to fetch; `known` is null for an address of the user's own.
struct Plan {
  workspace::DownloadRequest request;
  const workspace::KnownDataset* known = nullptr;
};

Json bytesOrNull(std::optional<std::uint64_t> bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Answer listKnown() {
  Json list = Json::array();
  TextTable table({{"name"}, {"size", Align::kRight}, {"title"}});
  for (const workspace::KnownDataset& set : workspace::knownDatasets()) {
    list.push_back(
        Json{{"name", set.name},
             {"title", set.title},
             {"url", set.url},
             {"bytes", bytesOrNull(set.bytes)},
             {"licence", set.licence},
             {"licence_url", set.licenceUrl},
             {"checksum", set.checksum ? Json(set.checksum->text()) : Json(nullptr)},
             {"source", set.source ? Json(experiment::sourceName(*set.source)) : Json(nullptr)}});
    table.add({set.name, set.bytes ? formatBytes(*set.bytes) : "?", set.title});
  }
  return Answer::of(
      std::move(list),
      table.text() + "\nEach has its licence: `parapet-cli download NAME` shows it and asks.\n");
}

Result<Plan> planOf(const Invocation& invocation, const DownloadArguments& arguments) {
  Plan plan;
  std::string fileName;
  if (arguments.what.find("://") == std::string::npos) {
    plan.known = workspace::findKnownDataset(arguments.what);
    if (!plan.known) {
      std::vector<std::string> names;
      for (const workspace::KnownDataset& set : workspace::knownDatasets())
        names.push_back(set.name);
      return Error{ErrorCode::kNotFound,
                   fmt::format("data set \"{}\" is unknown{}; accepted: an address, {}",
                               arguments.what, didYouMean(arguments.what, names), join(names))};
    }
    plan.request.url = plan.known->url;
    plan.request.checksum = plan.known->checksum;
    fileName = plan.known->fileName;
  } else {
    PARAPET_ASSIGN(const workspace::WebAddress address, workspace::parseWebAddress(arguments.what));
    plan.request.url = arguments.what;
    fileName = address.fileName;
  }
  if (!arguments.checksum.empty()) {
    PARAPET_ASSIGN(plan.request.checksum, workspace::parseChecksum(arguments.checksum));
  }
  if (arguments.maxBytes) plan.request.maxBytes = static_cast<std::uint64_t>(*arguments.maxBytes);
  const std::filesystem::path out = arguments.out;
  const bool intoFolder = out.empty() || !out.has_filename() || std::filesystem::is_directory(out);
  if (intoFolder && fileName.empty())
    return wrongArgument("the address names no file; say where to write with --out FILE");
  const std::filesystem::path folder =
      out.empty() ? workspace::downloadsFolder(invocation.workspaceFolder) : out;
  plan.request.target = intoFolder ? folder / fileName : out;
  return plan;
}

std::string licenceText(const workspace::KnownDataset& set) {
  return fmt::format("{}\n\nLicence: {}\nIts own words: {}", set.title, set.licence,
                     set.licenceUrl);
}

/// The licence is shown before anything is fetched; nothing is fetched without a yes.
Status acceptLicence(const workspace::KnownDataset& set, bool accepted) {
  writeStderr(licenceText(set), LineEnds::kKeep);
  if (accepted) return {};
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1)
    return wrongArgument(
        fmt::format("the licence of {} has to be accepted first; accepted: "
                    "parapet-cli download {} --accept-licence",
                    set.name, set.name));
  writeStderr("\nDo you accept it? y/N", LineEnds::kKeep);
  const auto line = LineReader(STDIN_FILENO).next();
  const std::string reply = line ? toLowerAscii(trim(*line)) : "";
  if (reply == "y" || reply == "yes") return {};
  return Error{ErrorCode::kCancelled, "the licence was not accepted; nothing was downloaded"};
}

std::string describe(const workspace::DownloadReport& report,
                     const workspace::KnownDataset* known) {
  const std::string path = report.path.string();
  std::string text =
      report.alreadyThere
          ? fmt::format("{} is there already, {}.\n", path, formatBytes(report.bytes))
          : fmt::format("{} written to {} in {}.\n", formatBytes(report.bytes), path,
                        formatDuration(report.seconds));
  text +=
      fmt::format("{}{}\n", report.checksum.text(),
                  report.verified ? ", as it should be" : ", not compared with a published one");
  if (!known)
    text += fmt::format("\nUse it:   parapet-cli train DOC --data {}\n", path);
  else if (!known->trainCommand.empty())
    text +=
        fmt::format("\nTrain on it:   parapet-cli train {} --data {}\n", known->trainCommand, path);
  return text;
}

Answer fetch(Invocation& invocation, const Plan& plan) {
  const std::string path = plan.request.target.string();
  const WorkContext work = invocation.work();
  if (invocation.style() != ProgressStyle::kNone)
    writeStderr(fmt::format("downloading {} to {}", plan.request.url, path));
  const auto report =
      workspace::download(plan.request, {transferProgress(invocation.style()), work.stop});
  if (!report.ok())
    return Answer(
        report.error(),
        Json{{"path", path}, {"partial_bytes", workspace::partialBytes(plan.request.target)}});
  for (const std::string& note : report->notes) printWarning(note);
  Json json{{"path", path},
            {"bytes", report->bytes},
            {"seconds", number(report->seconds)},
            {"resumed", report->resumedFrom > 0},
            {"checksum", report->checksum.text()},
            {"verified", report->verified},
            {"already_there", report->alreadyThere},
            {"notes", report->notes}};
  return Answer::of(std::move(json), describe(*report, plan.known));
}

Answer download(Invocation& invocation, const DownloadArguments& arguments) {
  if (arguments.what.empty()) return listKnown();
  PARAPET_ASSIGN(const auto plan, planOf(invocation, arguments));
  if (plan.known) {
    PARAPET_TRY(acceptLicence(*plan.known, arguments.acceptLicence));
  }
  return fetch(invocation, plan);
}

}  // namespace

void addDownload(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("download", "Download a public data set, or any file from the web");
  command->footer(
      "Example: parapet-cli download ml-100k\n"
      "         parapet-cli download https://example.org/ratings.csv --checksum sha256:…\n"
      "Without arguments it lists the data sets it knows. What Ctrl-C or a broken connection "
      "leaves is\ncontinued by the same command.");
  const auto arguments = std::make_shared<DownloadArguments>();
  command->add_option("NAME", arguments->what, "A name from the list, or an http(s) address");
  command->add_option("--out", arguments->out, "File or folder to write to [WORKSPACE/downloads]")
      ->type_name("PATH");
  command->add_option("--checksum", arguments->checksum, "md5:… or sha256:… of the file")
      ->type_name("SUM");
  addInteger(*command, "--max-bytes", arguments->maxBytes, 1,
             fmt::format("Refuse larger files [{}]", workspace::DownloadRequest{}.maxBytes));
  command->add_flag("--accept-licence", arguments->acceptLicence,
                    "You have read the licence of the data set and accept it");
  onRun(*command, invocation,
        [&invocation, arguments] { return download(invocation, *arguments); });
}

}  // namespace parapet::cli
