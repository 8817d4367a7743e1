// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/model_graph.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "engine/experiment/model_shape.h"
#include "ui/models/document_schema.h"
#include "ui/models/document_text.h"
#include "ui/models/document_words.h"
#include "ui/models/features_model.h"
#include "ui/models/layers_model.h"
#include "ui/models/setting_names.h"

namespace parapet::ui {
namespace {

using experiment::Experiment;
using experiment::Layer;
using experiment::ModelShape;
using experiment::ShapeIndex;
using Kind = GraphBox::Kind;

/// Builds the graph out of the shape, and what the shape leaves out, because it is wrong, out of
/// the document.
class GraphBuilder {
 public:
  GraphBuilder(const ExperimentEditor& editor, const std::vector<workspace::TableEstimate>& tables)
      : editor_(editor),
        experiment_(editor.experiment()),
        tables_(tables),
        shape_(experiment::inferModel(experiment_)) {}

  ModelGraph build() {
    graph_.batchRows = batchRowsOf(experiment_);
    addFeatures();
    const experiment::Model& model = experiment_.model;
    if (experiment::readsText(model.kind)) addMaskedPositions();
    for (const experiment::ShapeLayer& layer : shape_.layers) addLayer(layer);
    if (experiment::hasTowers(model.kind)) {
      const int query = addPart("/model/query", model.query, experiment::Tower::kQuery);
      const int candidate =
          addPart("/model/candidate", model.candidate, experiment::Tower::kCandidate);
      addScore(insideSentence(valueName(shownValue(editor_.value("/model/score")))), "/model",
               shape_.query >= 0 && shape_.candidate >= 0,
               {boxOf(shape_.query, query), boxOf(shape_.candidate, candidate)});
    } else if (experiment::readsText(model.kind)) {
      addTiedHead();
    } else {
      const int last = addPart("/model/layers", model.layers, std::nullopt);
      addScore({}, "/model/layers", shape_.score >= 0, {boxOf(shape_.score, last)});
    }
    addHeads();
    for (GraphBox& box : graph_.boxes) {
      mark(box);
      box.lane = laneOf(box);
    }
    groupFeatures(graph_);
    layOut(graph_);
    return std::move(graph_);
  }

 private:
  [[nodiscard]] GraphBox::Lane laneOf(const GraphBox& box) const {
    using Lane = GraphBox::Lane;
    if (!experiment::hasTowers(experiment_.model.kind)) return Lane::kNone;
    if (box.kind == Kind::kFeature) return box.lane;
    if (box.kind != Kind::kLayer) return Lane::kNone;
    if (box.pointer.startsWith(QStringLiteral("/model/query"))) return Lane::kQuery;
    return box.pointer.startsWith(QStringLiteral("/model/candidate")) ? Lane::kCandidate
                                                                      : Lane::kNone;
  }
  int add(GraphBox box) {
    graph_.boxes.push_back(std::move(box));
    return static_cast<int>(graph_.boxes.size()) - 1;
  }
  void connect(int from, int to) {
    if (from < 0 || from == to) return;
    const auto same = [&](const GraphEdge& edge) { return edge.from == from && edge.to == to; };
    if (std::ranges::none_of(graph_.edges, same)) graph_.edges.push_back({from, to});
  }
  /// The box of a value; `otherwise` if the value could not be worked out.
  [[nodiscard]] int boxOf(ShapeIndex value, int otherwise) const {
    const auto found = values_.find(value);
    return found == values_.end() ? otherwise : found->second;
  }

  void addFeatures() {
    for (std::size_t index = 0; index < experiment_.features.size(); ++index) {
      const experiment::Feature& feature = experiment_.features[index];
      GraphBox box{
          .kind = Kind::kFeature,
          .lane = feature.tower == experiment::Tower::kCandidate ? GraphBox::Lane::kCandidate
                                                                 : GraphBox::Lane::kQuery,
          .title = leafName(feature.name),
          .name = QString::fromStdString(feature.name),
          .detail =
              feature.table.empty()
                  ? QObject::tr("dense feature %1").arg(QString::fromStdString(feature.column))
              : feature.history
                  ? QObject::tr("history · table %1").arg(QString::fromStdString(feature.table))
                  : QObject::tr("table %1").arg(QString::fromStdString(feature.table)),
          .pointer = QString::fromStdString(shape_.values[index].pointer),
          .width = shape_.values[index].width,
          .longest = longestOf(shape_, static_cast<ShapeIndex>(index))};
      const auto table = std::ranges::find(tables_, feature.table, &workspace::TableEstimate::name);
      if (!feature.table.empty() && table != tables_.end() && table->rows >= 0)
        box.parameters = table->rows * table->dim;
      const int added = add(std::move(box));
      values_[static_cast<ShapeIndex>(index)] = added;
      named_[feature.name] = added;
    }
  }

  void addLayer(const experiment::ShapeLayer& layer) {
    const QString pointer = QString::fromStdString(layer.pointer);
    GraphBox box = layer.isImplied ? GraphBox{.title = QObject::tr("concat"),
                                              .detail = QObject::tr("concatenated")}
                                   : described(pointer, layer.layer->name);
    box.pointer = pointer;
    box.width = shape_.at(layer.output).width;
    box.longest = longestOf(experiment_, shape_, layer);
    if (layer.parameters() > 0) box.parameters = layer.parameters();
    graph_.layerParameters += layer.parameters();
    const int added = add(std::move(box));
    values_[layer.output] = added;
    if (!layer.isImplied) layers_[layer.pointer] = added;
    if (layer.layer->name && !layer.isImplied) named_[*layer.layer->name] = added;
    for (const ShapeIndex input : layer.inputs) connect(boxOf(input, -1), added);
    connect(boxOf(layer.x0, -1), added);
  }

  [[nodiscard]] GraphBox described(const QString& pointer,
                                   const std::optional<std::string>& name) const {
    const auto layer = editor_.value(pointer);
    const QString kind = layer.is_object() && layer.contains("kind") ? shownValue(layer["kind"])
                                                                     : QObject::tr("layer");
    GraphBox box{.title = insideSentence(labelOf(kind)), .detail = layerSummary(layer)};
    if (!name) return box;
    box.detail =
        box.detail.isEmpty() ? box.title : QObject::tr("%1, %2").arg(box.title, box.detail);
    box.title = QString::fromStdString(*name);
    return box;
  }

  /// Draws the layers of a part that the shape left out. The box of the last layer, or that of
  /// nothing: −1.
  int addPart(const std::string& pointer, const std::vector<Layer>& layers,
              std::optional<experiment::Tower> tower) {
    std::vector<int> before;
    for (std::size_t index = 0; index < experiment_.features.size(); ++index)
      if (!tower || experiment_.features[index].tower == *tower)
        before.push_back(boxOf(static_cast<ShapeIndex>(index), -1));
    return addLayers(pointer, layers, before);
  }

  int addLayers(const std::string& pointer, const std::vector<Layer>& layers,
                std::vector<int> before) {
    int last = layers.empty() && before.size() == 1 ? before.front() : -1;
    for (std::size_t index = 0; index < layers.size(); ++index) {
      const std::string child = pointer + "/" + std::to_string(index);
      const Layer& layer = layers[index];
      if (const auto drawn = layers_.find(child); drawn != layers_.end()) {
        last = drawn->second;
      } else {
        const QString at = QString::fromStdString(child);
        GraphBox box = described(at, layer.name);
        box.pointer = at;
        last = add(std::move(box));
        if (layer.name) named_[*layer.name] = last;
        for (const int input : layer.inputs.empty() ? before : boxesNamed(layer.inputs))
          connect(input, last);
      }
      before = {last};
    }
    return last;
  }

  [[nodiscard]] std::vector<int> boxesNamed(const std::vector<std::string>& names) const {
    std::vector<int> boxes;
    for (const std::string& name : names)
      for (const auto& [known, box] : named_)
        if (known == name || known.starts_with(name + "/")) boxes.push_back(box);
    return boxes;
  }

  void addScore(const QString& how, const char* pointer, bool known, std::vector<int> reads) {
    const QString loss = insideSentence(valueName(shownValue(editor_.value("/loss/kind"))));
    const int added = add({.kind = Kind::kScore,
                           .title = QObject::tr("score"),
                           .detail = how.isEmpty() ? loss : QObject::tr("%1 · %2").arg(how, loss),
                           .pointer = pointer,
                           .width = known ? 1 : 0});
    for (const int box : reads) connect(box, added);
  }

  /// Adds the box between encoder and masked layers: the rows of the masked positions.
  void addMaskedPositions() {
    const experiment::Masking masking = experiment_.model.masking.value_or(experiment::Masking{});
    masked_ = add({.title = QObject::tr("masked positions"),
                   .detail = QObject::tr("%1 % of the tokens").arg(100.0 * masking.rate),
                   .pointer = "/model/masking",
                   .width = shape_.masked >= 0 ? shape_.at(shape_.masked).width : 0,
                   .longest = masking.maxSelections});
    if (shape_.masked >= 0) values_[shape_.masked] = masked_;
  }

  /// Masked positions times the table of the tokens: the same weights as the first layer's input.
  void addTiedHead() {
    connect(boxOf(shape_.encoded, addPart("/model/layers", experiment_.model.layers, {})), masked_);
    const int last = addLayers("/model/masked_layers", experiment_.model.maskedLayers, {masked_});
    const int head =
        add({.kind = Kind::kScore,
             .title = QObject::tr("tied output"),
             .detail = QObject::tr("× the table of the tokens · %1")
                           .arg(insideSentence(valueName(shownValue(editor_.value("/loss/kind"))))),
             .pointer = "/model/masked_layers",
             .longest = graph_.boxes[static_cast<std::size_t>(masked_)].longest});
    connect(boxOf(shape_.hidden, last < 0 ? masked_ : last), head);
    const int tokens = shape_.encoded < 0 ? -1 : boxOf(shape_.at(shape_.encoded).sequence, -1);
    connect(tokens, head);
    // As many logits as the table has rows; they are known once the data are.
    for (const workspace::TableEstimate& table : tables_)
      if (tokens >= 0 && !experiment_.tables.empty() &&
          table.name == experiment_.tables.front().name && table.rows > 0)
        graph_.boxes[static_cast<std::size_t>(head)].width = table.rows;
  }

  void addHeads() {
    named_["query"] = boxOf(shape_.query, -1);
    named_["candidate"] = boxOf(shape_.candidate, -1);
    for (std::size_t index = 0; index < experiment_.model.heads.size(); ++index) {
      const experiment::Head& head = experiment_.model.heads[index];
      const std::string pointer = "/model/heads/" + std::to_string(index);
      const int last = addLayers(pointer + "/layers", head.layers, boxesNamed(head.inputs));
      const bool known = index < shape_.heads.size() && shape_.heads[index].prediction >= 0;
      const QString at = QString::fromStdString(pointer);
      const int added =
          add({.kind = Kind::kHead,
               .title = QObject::tr("head %1").arg(QString::fromStdString(head.name)),
               .detail = insideSentence(valueName(shownValue(editor_.value(at + "/loss/kind")))),
               .pointer = at,
               .width = known ? shape_.at(shape_.heads[index].prediction).width : 0});
      connect(boxOf(known ? shape_.heads[index].prediction : -1, last), added);
    }
  }

  /// Findings of a box: those of its pointer, but not those of layers that have a box of their own.
  void mark(GraphBox& box) const {
    experiment::Findings findings = editor_.findingsAt(box.pointer);
    const bool whole = box.kind == Kind::kScore || box.kind == Kind::kHead;
    const std::string own = box.pointer.toStdString();
    const auto elsewhere = [&](const experiment::Problem& problem) {
      const std::string below = problem.pointer.substr(own.size());
      if (box.kind == Kind::kScore) return !below.empty() && below != "/score";
      return whole && below.starts_with("/layers/");
    };
    std::erase_if(findings.problems, elsewhere);
    std::erase_if(findings.warnings, elsewhere);
    box.severity = severityOf(findings);
    box.problem = findingsText(findings);
    if (box.severity == Severity::kProblem || box.width > 0) return;
    if (box.pointer == QLatin1String("/model/masked_layers") && shape_.hidden >= 0) return;
    box.severity = Severity::kProblem;
    box.problem = QObject::tr("The width is unknown: its inputs are missing or wrong.");
  }

  const ExperimentEditor& editor_;
  const Experiment& experiment_;
  const std::vector<workspace::TableEstimate>& tables_;
  ModelShape shape_;
  ModelGraph graph_;
  std::map<ShapeIndex, int> values_;   // boxes of values
  std::map<std::string, int> layers_;  // boxes of layers by pointer
  std::map<std::string, int> named_;   // boxes by the name that inputs use
  int masked_ = -1;                    // box of the masked positions
};

QString kindText(Kind kind) {
  switch (kind) {
    case Kind::kFeature:
      return QObject::tr("feature");
    case Kind::kLayer:
      return QObject::tr("layer");
    case Kind::kScore:
      return QObject::tr("score");
    default:
      return QObject::tr("head");
  }
}

// With more, a graph is a wall of features and its layers are too small to read.
constexpr std::size_t kMaxFeatures = 6;
constexpr std::size_t kSmallestGroup = 3;
constexpr int kNamesALine = 4;

GraphBox joined(const ModelGraph& graph, const std::vector<int>& members) {
  GraphBox box = graph.boxes[static_cast<std::size_t>(members.front())];
  QStringList names, titles, problems;
  box.width = 0;
  box.parameters = -1;
  for (const int member : members) {
    const GraphBox& feature = graph.boxes[static_cast<std::size_t>(member)];
    names << ModelGraph::nameOf(feature);
    titles << feature.title;
    if (feature.severity > box.severity) box.severity = feature.severity;
    if (!feature.problem.isEmpty())
      problems << QStringLiteral("%1: %2").arg(names.back(), feature.problem);
    box.width += feature.width;
    if (feature.parameters >= 0) box.parameters = std::max<std::int64_t>(0, box.parameters);
    box.parameters += std::max<std::int64_t>(0, feature.parameters);
  }
  box.problem = problems.join('\n');
  box.features = static_cast<int>(names.size());
  box.name = QObject::tr("%n features: %1", nullptr, box.features).arg(names.join(", "));
  box.title = QStringList(titles.mid(0, kNamesALine)).join(", ");
  box.detail = QStringList(titles.mid(kNamesALine, kNamesALine)).join(", ");
  const auto more = titles.size() - 2 * kNamesALine;
  if (more > 0) box.detail += QObject::tr(" and %n more", nullptr, static_cast<int>(more));
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
    for (const Lane lane : {Lane::kQuery, Lane::kCandidate}) addGround(lane);
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
  /// The ground that is drawn around the boxes of a tower.
  struct Ground {
    int first, last;  ///< columns
    double top, bottom;
  };

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

  void addGround(Lane lane) {
    Ground ground{std::numeric_limits<int>::max(), -1, std::numeric_limits<double>::max(), 0.0};
    for (std::size_t box = 0; box < graph_.boxes.size(); ++box) {
      const Node& node = nodes_[box];
      if (node.lane != lane) continue;
      ground.first = std::min(ground.first, node.column);
      ground.last = std::max(ground.last, node.column);
      ground.top = std::min(ground.top, node.row);
      ground.bottom = std::max(ground.bottom, node.row + node.height);
    }
    if (ground.last >= 0) grounds_.push_back(ground);
  }

  /// From where to where a column has no room for a node: what stands there, and for a box the ground of a
  /// tower that it is no part of.
  [[nodiscard]] std::vector<std::pair<double, double>> takenFor(int node) const {
    std::vector<std::pair<double, double>> taken;
    for (const Node& other : nodes_)
      if (other.column == at(node).column && other.row >= 0.0)
        taken.emplace_back(other.row, other.row + other.height);
    for (const Ground& ground : grounds_)
      if (isBox(node) && ground.first <= at(node).column && at(node).column <= ground.last)
        taken.emplace_back(ground.top - kBetweenLanes, ground.bottom + kBetweenLanes);
    return taken;
  }

  /// The row next to the wanted one that is free.
  [[nodiscard]] double nearestFree(int node) const {
    const double want = std::max(0.0, wanted(node)), height = at(node).height;
    const std::vector<std::pair<double, double>> taken = takenFor(node);
    std::vector<double> tries{want};
    for (const auto& [top, bottom] : taken) {
      tries.push_back(bottom);
      tries.push_back(top - height);
    }
    constexpr double kRounding = 1e-9;
    const auto isFree = [&](double row) {
      return row >= 0.0 && std::ranges::all_of(taken, [&](const auto& other) {
               return row >= other.second - kRounding || row + height <= other.first + kRounding;
             });
    };
    double best = -1.0;
    for (const double row : tries)
      if (isFree(row) && (best < 0.0 || std::abs(row - want) < std::abs(best - want))) best = row;
    return best;  // below the last one there is always room
  }

  ModelGraph& graph_;
  std::vector<Node> nodes_;  // of the boxes, then of the ways
  std::vector<Ground> grounds_;
  std::map<std::pair<int, int>, int> wayOf_;
  std::map<std::size_t, std::vector<int>> ways_;  // by edge
};

}  // namespace

QString ModelGraph::shapeOf(const GraphBox& box) const {
  return valueShapeText(batchRows, box.longest, box.width);
}

ModelGraph modelGraph(const ExperimentEditor& editor,
                      const std::vector<workspace::TableEstimate>& tables) {
  return GraphBuilder(editor, tables).build();
}

QStringList graphTitles() {
  return {QObject::tr("Part"),   QObject::tr("Kind"),  QObject::tr("Settings"),
          QObject::tr("Reads"),  QObject::tr("Shape"), QObject::tr("Parameters"),
          QObject::tr("Problem")};
}

std::vector<ReportTableModel::Row> graphRows(const ModelGraph& graph) {
  std::vector<ReportTableModel::Row> rows;
  for (std::size_t index = 0; index < graph.boxes.size(); ++index) {
    const GraphBox& box = graph.boxes[index];
    QStringList reads;
    for (const GraphEdge& edge : graph.edges)
      if (edge.to == static_cast<int>(index))
        reads << ModelGraph::nameOf(graph.boxes[static_cast<std::size_t>(edge.from)]);
    const QVariant parameters =
        box.parameters < 0 ? QVariant() : QVariant(static_cast<qlonglong>(box.parameters));
    rows.push_back({ModelGraph::nameOf(box), kindText(box.kind),
                    box.features > 1 ? QString() : box.detail, reads.join(", "), graph.shapeOf(box),
                    parameters, box.problem});
  }
  return rows;
}

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
