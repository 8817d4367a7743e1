// SPDX-License-Identifier: GPL-3.0-or-later
// Median time from a change of a context value to the list that Browse shows, over a catalogue of
// 138,102 items and vectors of 64, as JSON: asked of the session of the page, which computes off the
// GUI thread. Every list is compared with one that is ranked pair by pair. Run with
// QT_QPA_PLATFORM=offscreen where there is no display.
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "ui/controllers/browse_session.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kItems = 138'102, kUsers = 2'000, kRows = 300'000;
constexpr int kWarmUp = 5, kRepetitions = 101;

bool writeRows(const std::string& path) {
  std::ofstream file(path);
  file << "user,item,moment,hour\n";
  std::uint32_t noise = 1;
  for (int row = 0; row < kRows; ++row) {
    noise = noise * 1664525u + 1013904223u;
    file << 1 + (noise >> 8) % kUsers << ',' << 1 + row % kItems << ",m" << (noise >> 16) % 8 << ','
         << (noise >> 20) % 24 << '\n';
  }
  return static_cast<bool>(file.flush());
}

Result<experiment::Experiment> document(const std::string& path) {
  auto json = nlohmann::ordered_json::parse(R"({"parapet": 1, "name": "context switch",
    "dataset": {"source": "csv", "path": "", "label": {"column": null},
      "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                  {"name": "moment", "role": "context"}, {"name": "hour", "role": "context"}],
      "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"},
                       {"name": "moment", "kind": "compressed"}, {"name": "hour", "kind": "compressed"}],
      "split": {"kind": "random", "train": 0.98, "validation": 0.02, "test": 0},
      "batch": {"size": 2048}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 64},
               {"name": "item", "vocabulary": "item", "embedding_dim": 64},
               {"name": "moment", "vocabulary": "moment", "embedding_dim": 64},
               {"name": "hour", "vocabulary": "hour", "embedding_dim": 64}],
    "features": [{"name": "user", "column": "user", "table": "user"},
                 {"name": "moment", "column": "moment", "table": "moment"},
                 {"name": "hour", "column": "hour", "table": "hour"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
    "model": {"kind": "retrieval", "query": [{"kind": "dense", "units": 128, "activation": "relu"},
                                             {"kind": "dense", "units": 64}]},
    "loss": {"kind": "in_batch_softmax"},
    "optimizer": {"kind": "adagrad", "learning_rate": 0.1},
    "training": {"epochs": 1, "validate_every": 0, "seed": 5}})");
  json["dataset"]["path"] = path;
  experiment::Parsed parsed = experiment::parse(json);
  if (!parsed.findings.problems.empty())
    return Error{ErrorCode::kInvalidDocument, parsed.findings.problems.front().pointer + ": " +
                                                  parsed.findings.problems.front().message};
  return parsed.experiment;
}

/// Whether no candidate that is not listed is better than the last of the list by more than
/// rounding, asked one by one.
bool isExact(const retrieval::Recommender& model, const retrieval::Recommendation& list) {
  const retrieval::Query query{list.user, list.context};
  const auto why = model.explain(query, list.items.front().id, 0);
  if (!why) return false;
  // The query's vector, from the terms of a product with a known vector.
  const auto width = static_cast<std::size_t>(model.model().dim);
  const auto vectorOf = [&](std::int32_t item) {
    return std::span(model.model().candidates)
        .subspan(static_cast<std::size_t>(item) * width, width);
  };
  const auto first = vectorOf(list.items.front().item);
  std::vector<double> vector(width);
  for (std::size_t d = 0; d < width; ++d)
    vector[d] = static_cast<double>(why->terms[d]) / static_cast<double>(first[d]);
  std::int64_t better = 0;
  const double last = static_cast<double>(list.items.back().score);
  const auto mask = retrieval::candidateMask(*model.interactions(), model.model().cold);
  for (std::size_t item = 1; item < mask.size(); ++item) {
    if (mask[item] == 0) continue;
    double score = 0.0;
    for (std::size_t d = 0; d < width; ++d)
      score += vector[d] * static_cast<double>(vectorOf(static_cast<std::int32_t>(item))[d]);
    better += score > last + 1e-4 * std::max(1.0, std::abs(last));
  }
  return better < static_cast<std::int64_t>(list.items.size());
}

int fail(const std::string& message) {
  fmt::print(stderr, "error: {}\n", message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  const QTemporaryDir folder;
  const std::string path = (folder.path() + "/rows.csv").toStdString();
  if (!writeRows(path)) return fail("cannot write " + path);
  const auto experiment = document(path);
  if (!experiment) return fail(experiment.error().text());
  auto workspace = workspace::Workspace::open((folder.path() + "/workspace").toStdString());
  if (!workspace) return fail(workspace.error().text());
  auto run = (*workspace)->start(*experiment, {});
  if (!run) return fail(run.error().text());
  const auto outcome = (*run)->wait();
  if (outcome.error) return fail(outcome.error->text());

  BrowseSession session(**workspace);
  session.setList(10, retrieval::SeenItems::kKeep);
  session.setUsers({QStringLiteral("7")});
  QEventLoop loop;
  const auto shows = [&](const QString& hour) {
    const auto answers = session.answers();
    return !answers.empty() && answers[0].ready && !answers[0].error &&
           std::ranges::any_of(answers[0].list.context, [&](const auto& value) {
             return value.name == "hour" && value.given && value.value == hour.toStdString();
           });
  };
  QString wanted = QStringLiteral("0");
  QObject::connect(&session, &BrowseSession::answered, &loop, [&] {
    if (shows(wanted)) loop.quit();
  });
  session.setContext(0, QStringLiteral("hour"), wanted);
  session.open({QString::fromStdString(outcome.runId), {}});
  loop.exec();

  std::vector<double> times;
  int inexact = 0;
  for (int i = 0; i < kWarmUp + kRepetitions; ++i) {
    wanted = QString::number((i + 1) % 24);
    QElapsedTimer timer;
    timer.start();
    session.setContext(0, QStringLiteral("hour"), wanted);
    if (!shows(wanted)) loop.exec();
    if (i >= kWarmUp) times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    inexact += isExact(*session.model(), session.answers()[0].list) ? 0 : 1;
  }
  std::ranges::sort(times);
  fmt::print(
      "{{\"bench\": \"context switch\", \"candidates\": {}, \"dim\": {}, \"repetitions\": {}, "
      "\"median_ms\": {:.3f}, \"max_ms\": {:.3f}, \"inexact\": {}}}\n",
      session.answers()[0].list.candidates, session.model()->model().dim, kRepetitions,
      times[times.size() / 2], times.back(), inexact);
  return inexact == 0 ? 0 : 1;
}
