// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/model_graph_layout.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace parapet::ui {
namespace {

using Kind = GraphBox::Kind;

// With more, a graph is a wall of features and its layers are too small to read.
constexpr std::size_t kMaxFeatures = 12;
constexpr std::size_t kSmallestGroup = 3;
constexpr int kNamesShown = 4;

QString tr(const char* text) {
  return QCoreApplication::translate("ModelGraph", text);
}

GraphBox joined(const ModelGraph& graph, const std::vector<int>& members) {
  GraphBox box = graph.boxes[static_cast<std::size_t>(members.front())];
  QStringList names, problems;
  box.width = 0;
  box.parameters = -1;
  for (const int member : members) {
    const GraphBox& feature = graph.boxes[static_cast<std::size_t>(member)];
    names << feature.title;
    if (feature.severity > box.severity) box.severity = feature.severity;
    if (!feature.problem.isEmpty())
      problems << QStringLiteral("%1: %2").arg(feature.title, feature.problem);
    box.width += feature.width;
    if (feature.parameters >= 0) box.parameters = std::max<std::int64_t>(0, box.parameters);
    box.parameters += std::max<std::int64_t>(0, feature.parameters);
  }
  box.problem = problems.join('\n');
  const auto more = names.size() - kNamesShown;
  box.title = tr("%1 features").arg(names.size());
  box.detail = QStringList(names.mid(0, kNamesShown)).join(", ");
  if (more > 0) box.detail += tr(" and %1 more").arg(more);
  return box;
}

/// Longest way from a box without inputs. Edges lead from earlier to later boxes of a sound model;
/// a wrong one may have none.
void setColumns(ModelGraph& graph) {
  for (std::size_t round = 0; round < graph.boxes.size(); ++round) {
    bool moved = false;
    for (const GraphEdge& edge : graph.edges) {
      const int from = graph.boxes[static_cast<std::size_t>(edge.from)].column;
      int& to = graph.boxes[static_cast<std::size_t>(edge.to)].column;
      if (to > from) continue;
      to = from + 1;
      moved = true;
    }
    if (!moved) break;
  }
}

void setRows(ModelGraph& graph) {
  std::map<int, std::vector<int>> columns;
  for (std::size_t box = 0; box < graph.boxes.size(); ++box)
    columns[graph.boxes[box].column].push_back(static_cast<int>(box));
  for (auto& [column, members] : columns) {
    std::map<int, double> wanted;
    for (const int member : members) {
      double sum = 0.0;
      int count = 0;
      for (const GraphEdge& edge : graph.edges) {
        // What stands right before says more about the position than what is read from afar.
        const GraphBox& from = graph.boxes[static_cast<std::size_t>(edge.from)];
        if (edge.to != member) continue;
        const int weight = from.column == column - 1 ? 4 : 1;
        sum += weight * from.row;
        count += weight;
      }
      wanted[member] = count > 0 ? sum / count : -1.0;
    }
    std::ranges::stable_sort(members, {}, [&](int member) { return wanted[member]; });
    double next = 0.0;
    for (const int member : members) {
      GraphBox& box = graph.boxes[static_cast<std::size_t>(member)];
      box.row = std::max(next, wanted[member]);
      next = box.row + 1.0;
    }
  }
}

}  // namespace

void groupFeatures(ModelGraph& graph) {
  const auto isFeature = [](const GraphBox& box) { return box.kind == Kind::kFeature; };
  if (static_cast<std::size_t>(std::ranges::count_if(graph.boxes, isFeature)) <= kMaxFeatures)
    return;
  using Key = std::tuple<std::set<int>, std::int64_t, bool>;
  std::map<Key, std::vector<int>> groups;
  for (std::size_t box = 0; box < graph.boxes.size(); ++box) {
    const GraphBox& feature = graph.boxes[box];
    if (!isFeature(feature) || feature.severity == Severity::kProblem) continue;
    std::set<int> readers;
    for (const GraphEdge& edge : graph.edges)
      if (edge.from == static_cast<int>(box)) readers.insert(edge.to);
    groups[{readers, feature.width, feature.parameters >= 0}].push_back(static_cast<int>(box));
  }
  std::vector<int> renamed(graph.boxes.size());
  std::vector<bool> gone(graph.boxes.size(), false);
  for (std::size_t box = 0; box < renamed.size(); ++box) renamed[box] = static_cast<int>(box);
  for (const auto& [key, members] : groups) {
    if (members.size() < kSmallestGroup) continue;
    const GraphBox group = joined(graph, members);
    for (const int member : members) {
      renamed[static_cast<std::size_t>(member)] = members.front();
      gone[static_cast<std::size_t>(member)] = member != members.front();
    }
    graph.boxes[static_cast<std::size_t>(members.front())] = group;
  }
  std::vector<int> newIndex(graph.boxes.size(), -1);
  std::vector<GraphBox> kept;
  for (std::size_t box = 0; box < graph.boxes.size(); ++box) {
    if (gone[box]) continue;
    newIndex[box] = static_cast<int>(kept.size());
    kept.push_back(graph.boxes[box]);
  }
  std::set<std::pair<int, int>> edges;
  for (const GraphEdge& edge : graph.edges)
    edges.emplace(newIndex[static_cast<std::size_t>(renamed[static_cast<std::size_t>(edge.from)])],
                  newIndex[static_cast<std::size_t>(edge.to)]);
  graph.boxes = std::move(kept);
  graph.edges.clear();
  for (const auto& [from, to] : edges) graph.edges.push_back({from, to});
}

void layOut(ModelGraph& graph) {
  setColumns(graph);
  setRows(graph);
}

}  // namespace parapet::ui
