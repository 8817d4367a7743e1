// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/model_graph_layout.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace parapet::ui {
namespace {

using Kind = GraphBox::Kind;

// With more, a graph is a wall of features and its layers are too small to read.
constexpr std::size_t kMaxFeatures = 6;
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

/// Finds the rows of boxes and of the ways of edges through columns that they only pass, so that no
/// two of them meet. Each wants to be where what it reads is: towers first, each in a lane of its
/// own, then the rest in what is free.
class RowLayout {
 public:
  explicit RowLayout(ModelGraph& graph) : graph_(graph) {
    for (const GraphBox& box : graph.boxes) nodes_.push_back({box.column, box.lane, 1.0});
    for (GraphEdge& edge : graph.edges) addWay(edge);
  }

  void run() {
    const double query = placeLane(Lane::kQuery);
    const double candidate = placeLane(Lane::kCandidate);
    if (query > 0.0 && candidate > 0.0)
      for (Node& node : nodes_)
        if (node.lane == Lane::kCandidate) node.row += query + kBetweenLanes;
    for (auto& [column, members] : columnsOf(Lane::kNone)) {
      std::ranges::stable_sort(members, {}, [this](int node) { return wanted(node); });
      for (const int member : members) at(member).row = nearestFree(member);
    }
    for (std::size_t box = 0; box < graph_.boxes.size(); ++box)
      graph_.boxes[box].row = nodes_[box].row;
    for (const auto& [edge, ways] : ways_)
      for (const int way : ways) graph_.edges[edge].passages.push_back(at(way).row);
  }

 private:
  using Lane = GraphBox::Lane;
  struct Node {
    int column;
    Lane lane;
    double height;
    double row = -1.0;  ///< −1: not placed yet
    std::vector<int> reads{};
  };
  static constexpr double kBetweenLanes = 0.4;

  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] const Node& at(int node) const { return nodes_[static_cast<std::size_t>(node)]; }

  /// A node for each column that an edge passes; edges of one box share them.
  void addWay(const GraphEdge& edge) {
    int before = edge.from;
    std::vector<int>& ways = ways_[static_cast<std::size_t>(&edge - graph_.edges.data())];
    for (int column = at(edge.from).column + 1; column < at(edge.to).column; ++column) {
      const auto [known, added] =
          wayOf_.try_emplace({edge.from, column}, static_cast<int>(nodes_.size()));
      if (added) nodes_.push_back({column, at(edge.from).lane, kPassage, -1.0, {before}});
      ways.push_back(before = known->second);
    }
    at(edge.to).reads.push_back(before);
  }

  /// Whether it is a box, not the way of an edge.
  [[nodiscard]] bool isBox(int node) const {
    return static_cast<std::size_t>(node) < graph_.boxes.size();
  }

  /// The middle of the boxes that a node reads at once, so that a chain of layers is straight
  /// whatever joins it from further away; of the ways where it reads no such box. −1 if it reads
  /// nothing.
  [[nodiscard]] double wanted(int node) const {
    const std::vector<int>& reads = at(node).reads;
    const bool readsBox = std::ranges::any_of(reads, [this](int read) { return isBox(read); });
    double sum = 0.0, count = 0.0;
    for (const int read : reads) {
      if (readsBox && !isBox(read)) continue;
      sum += at(read).row + at(read).height / 2.0;
      ++count;
    }
    return count > 0.0 ? std::max(0.0, sum / count - at(node).height / 2.0) : -1.0;
  }

  /// The nodes of a lane by columns, those that want to be above first.
  std::map<int, std::vector<int>> columnsOf(Lane lane) {
    std::map<int, std::vector<int>> columns;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
      if (nodes_[node].lane == lane) columns[nodes_[node].column].push_back(static_cast<int>(node));
    return columns;
  }

  /// From 0 on. Returns the height of the lane.
  double placeLane(Lane lane) {
    double height = 0.0;
    for (auto& [column, members] : columnsOf(lane)) {
      std::ranges::stable_sort(members, {}, [this](int node) { return wanted(node); });
      double next = 0.0;
      for (const int member : members) {
        at(member).row = std::max(next, wanted(member));
        next = at(member).row + at(member).height;
        height = std::max(height, next);
      }
    }
    return height;
  }

  /// The row next to the wanted one where nothing of its column is.
  [[nodiscard]] double nearestFree(int node) const {
    const double want = std::max(0.0, wanted(node));
    std::vector<const Node*> placed;
    for (const Node& other : nodes_)
      if (other.column == at(node).column && other.row >= 0.0) placed.push_back(&other);
    std::vector<double> tries{want};
    for (const Node* other : placed) {
      tries.push_back(other->row + other->height);
      tries.push_back(other->row - at(node).height);
    }
    constexpr double kRounding = 1e-9;
    const auto isFree = [&](double row) {
      return row >= 0.0 && std::ranges::all_of(placed, [&](const Node* other) {
               return row >= other->row + other->height - kRounding ||
                      row + at(node).height <= other->row + kRounding;
             });
    };
    double best = -1.0;
    for (const double row : tries)
      if (isFree(row) && (best < 0.0 || std::abs(row - want) < std::abs(best - want))) best = row;
    return best;  // below the last one there is always room
  }

  ModelGraph& graph_;
  std::vector<Node> nodes_;  // of the boxes, then of the ways
  std::map<std::pair<int, int>, int> wayOf_;
  std::map<std::size_t, std::vector<int>> ways_;  // by edge
};

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
  RowLayout(graph).run();
}

}  // namespace parapet::ui
