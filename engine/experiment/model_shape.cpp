// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/model_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

using Values = std::vector<ShapeIndex>;

bool isCross(const Layer& layer) {
  return traitsOf(layer.kind).rows == LayerRows::kCrossed;
}

/// A layer that puts values side by side where the document has none.
const Layer& impliedConcat() {
  static const Layer layer{.kind = LayerKind::kConcat};
  return layer;
}

/// Words of the layers that read each row by itself, those with weights first.
std::string rowWiseKinds() {
  std::vector<std::string> words;
  for (const bool weights : {true, false})
    for (const LayerTraits& row : layerTraits())
      if (row.rows == LayerRows::kEach && (row.addWeights != nullptr) == weights)
        words.push_back(fmt::format("\"{}\"", row.word));
  return join(std::span(words).first(words.size() - 1)) + " or " + words.back();
}

/// Follows the layers of an experiment, one part (a tower, the ranking layers, a head) after the
/// other.
class Inference {
 public:
  Inference(const Experiment& experiment, const Location& root)
      : experiment_(experiment), root_(root) {}

  ModelShape run() {
    const std::size_t before = root_.problemCount();
    addFeatures();
    const Model& model = experiment_.model;
    if (hasTowers(model.kind)) {
      shape_.query = tower("query", Tower::kQuery, model.query);
      shape_.candidate = tower("candidate", Tower::kCandidate, model.candidate);
      requireDot();
      if (shape_.query >= 0) names_.insert(names_.end(), {"query", "candidate"});
    } else if (readsText(model.kind)) {
      inferMasked();
    } else {
      shape_.score = part("layers", "layer", model.layers, featuresOf(std::nullopt));
      requireOne(shape_.score, root_ / "model" / "layers");
    }
    addHeads();
    if (root_.problemCount() == before && known(featuresOf(std::nullopt))) warnOfUnread();
    return std::move(shape_);
  }

 private:
  ShapeIndex addValue(const Location& location, std::int64_t width, ShapeIndex sequence) {
    shape_.values.push_back({"", location.pointer(), width, sequence});
    return static_cast<ShapeIndex>(shape_.values.size() - 1);
  }

  /// Names a value. Layers read it by its name or by a folder above it ("a/b" or "a" of "a/b/c").
  void addName(ShapeIndex value, const std::string& name) {
    if (name.empty()) return;  // it could not be read, which was noted
    shape_.values[static_cast<std::size_t>(value)].name = name;
    for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
      addReference(name.substr(0, end), value);
    addReference(name, value);
  }

  void addReference(const std::string& name, ShapeIndex value) {
    Values& values = byName_[name];
    if (values.empty()) names_.push_back(name);
    values.push_back(value);
  }

  /// 0 where it could not be read: what would follow from the default is not said.
  [[nodiscard]] std::int64_t widthOf(const Table& table) const {
    const auto index = static_cast<std::size_t>(&table - experiment_.tables.data());
    const std::string pointer = (root_ / "tables" / index / "embedding_dim").pointer();
    const auto& problems = root_.findings().problems;
    const bool isRead = std::ranges::find(problems, pointer, &Problem::pointer) == problems.end();
    return isRead ? table.embeddingDim : 0;
  }

  // A feature whose table is unknown has width 0; the rules of features refuse it.
  void addFeatures() {
    const NameIndex<Table> tables(experiment_.tables);
    for (std::size_t index = 0; index < experiment_.features.size(); ++index) {
      const Feature& feature = experiment_.features[index];
      const Table* table = tables.find(feature.table);
      const std::int64_t width = feature.table.empty() ? 1 : table ? widthOf(*table) : 0;
      const ShapeIndex value = addValue(root_ / "features" / index, width, -1);
      addName(value, feature.name);
      if (!feature.sequence) continue;
      ShapeValue& sequence = shape_.values.back();
      sequence.sequence = value;
      sequence.longest = feature.history ? feature.history->length : feature.maxLength.value_or(1);
    }
  }

  [[nodiscard]] Values featuresOf(std::optional<Tower> tower) const {
    Values values;
    for (std::size_t index = 0; index < experiment_.features.size(); ++index)
      if (!tower || experiment_.features[index].tower == *tower)
        values.push_back(static_cast<ShapeIndex>(index));
    return values;
  }

  /// Whether all of them have a width, so that layers that read them can be checked.
  [[nodiscard]] bool known(const Values& values) const {
    return std::ranges::all_of(
        values, [&](ShapeIndex value) { return value >= 0 && shape_.at(value).width > 0; });
  }

  /// Whether the reader of the document has found none that can be read, and said so.
  [[nodiscard]] bool lacksFeatures() const {
    const auto& problems = root_.findings().problems;
    return std::ranges::find(problems, (root_ / "features").pointer(), &Problem::pointer) !=
           problems.end();
  }

  ShapeIndex tower(const std::string& name, Tower tower, const std::vector<Layer>& layers) {
    const Values features = featuresOf(tower);
    if (features.empty()) {
      if (lacksFeatures()) return -1;
      (root_ / "features")
          .problem(fmt::format("the {} tower has no feature", name),
                   fmt::format("at least one feature with tower \"{}\"", name));
      return -1;
    }
    side_ = tower;
    sideBegin_ = static_cast<ShapeIndex>(shape_.values.size());
    ShapeIndex out = part(name, name, layers, features);
    side_.reset();
    // Without layers the output is the concatenation of the features, which a head may read as well.
    if (out < 0 && layers.empty() && known(features))
      out = features.size() == 1
                ? features[0]
                : addLayer(impliedConcat(), name, root_ / "model" / name, features, {});
    requireExamples(out, root_ / "model" / name, fmt::format("the {} tower", name));
    return out;
  }

  /// The layers of a part over `start`; the last output, or -1 if there is none or it is wrong.
  ShapeIndex part(const std::string& key, const std::string& prefix,
                  const std::vector<Layer>& layers, const Values& start) {
    return follow(root_ / "model" / key, prefix, layers, start);
  }

  ShapeIndex follow(const Location& location, const std::string& prefix,
                    const std::vector<Layer>& layers, const Values& start) {
    Values previous = start;
    Values crossed = start;  // what a run of crosses began with
    for (std::size_t index = 0; index < layers.size(); ++index) {
      const Layer& layer = layers[index];
      const Location at = location / index;
      const auto inputs = layer.inputs.empty() ? previous : resolve(layer.inputs, at / "inputs");
      const bool crosses = isCross(layer);
      if (!crosses || index == 0 || !isCross(layers[index - 1])) crossed = inputs;
      Values x0;
      if (crosses) x0 = layer.x0 ? valuesAt(*layer.x0, at / "x0") : crossed;
      if (traitsOf(layer.kind).rows == LayerRows::kGated)
        x0 = layer.gateInput ? valuesAt(*layer.gateInput, at / "gate_input") : inputs;
      const bool sound = !inputs.empty() && known(inputs) && known(x0);
      const ShapeIndex out =
          sound ? addLayer(layer, fmt::format("{}_{}", prefix, index), at, inputs, x0) : -1;
      if (!sound && layer.inputs.empty() && inputs.empty())
        at.problem("there is nothing to read", "a feature, or inputs");
      nameOutput(layer, at, out);
      previous = {out};
      if (out < 0 && !layer.name) broken_ = true;
    }
    return layers.empty() || previous.empty() ? -1 : previous[0];
  }

  void nameOutput(const Layer& layer, const Location& at, ShapeIndex out) {
    if (!layer.name) return;
    const std::string& name = *layer.name;
    if (byName_.contains(name) || name == "query" || name == "candidate" || lost_.contains(name))
      (at / "name").problem("\"" + name + "\" is already the name of a value", "a name of its own");
    else if (out >= 0)
      addName(out, name);
    else
      lost_.insert(name);
  }

  Values resolve(const std::vector<std::string>& names, const Location& location) {
    Values values;
    std::unordered_set<ShapeIndex> seen;
    for (std::size_t index = 0; index < names.size(); ++index) {
      for (const ShapeIndex value : valuesAt(names[index], location / index))
        if (value < 0 || seen.insert(value).second)
          values.push_back(value);
        else
          (location / index)
              .problem("\"" + nameOf(value, names[index]) + "\" is read twice", "each value once");
    }
    return values;
  }

  /// The values of a name that stands there; −1, and a note, if there is none.
  Values valuesAt(const std::string& name, const Location& location) {
    const Values found = valuesOf(name);
    for (const ShapeIndex value : found)
      if (isForeign(value))
        location.problem("\"" + nameOf(value, name) + "\" belongs to the other tower",
                         "features and layers of this tower");
    if (!found.empty()) return found;
    if (!broken_ && !lost_.contains(name)) noteUnknown(name, location);
    return {-1};
  }

  /// The values of a name: that of the name itself, those in the folder, or the output of a tower.
  [[nodiscard]] Values valuesOf(const std::string& name) const {
    if (const auto found = byName_.find(name); found != byName_.end()) return found->second;
    const ShapeIndex output = name == "query"       ? shape_.query
                              : name == "candidate" ? shape_.candidate
                                                    : -1;
    return output >= 0 ? Values{output} : Values{};
  }

  [[nodiscard]] const std::string& nameOf(ShapeIndex value, const std::string& otherwise) const {
    return shape_.at(value).name.empty() ? otherwise : shape_.at(value).name;
  }

  /// Whether a value does not belong to the tower that is followed.
  [[nodiscard]] bool isForeign(ShapeIndex value) const {
    if (!side_) return false;
    const auto index = static_cast<std::size_t>(value);
    if (index < experiment_.features.size()) return experiment_.features[index].tower != *side_;
    return value < sideBegin_;
  }

  void noteUnknown(const std::string& name, const Location& location) const {
    location.problem(
        "no feature and no earlier layer is named \"" + name + "\"" + hint(name, names_, location),
        oneOf(names_));
  }

  ShapeIndex addLayer(const Layer& layer, const std::string& prefix, const Location& location,
                      const Values& inputs, const Values& x0) {
    const LayerInputs of{layer, shape_, inputs, x0, location};
    const auto sequence = outputSequence(of);
    if (!sequence) return -1;
    const auto out = traitsOf(layer.kind).width(of);
    if (!out) return -1;
    ShapeLayer added{&layer, prefix, location.pointer(), inputs};
    if (!x0.empty()) {
      added.x0 = joined(x0, prefix, location);
      if (inputs == x0 && isCross(layer)) added.inputs = {added.x0};
    }
    const std::size_t positions = overPositions(shape_, inputs).size();
    const ShapeIndex over = shape_.at(inputs[0]).sequence;
    // A value of the example beside positions weighs them, in place of trained weights.
    if (positions == 0 || positions == inputs.size())
      added.weights =
          weightsOf(layer, {shape_.widthOf(inputs), over < 0 ? 1 : shape_.at(over).longest,
                            static_cast<std::int64_t>(inputs.size()), shape_.widthOf(x0)});
    added.isImplied = &layer == &impliedConcat();
    added.output = addValue(location, *out, *sequence);
    if (layer.kind == LayerKind::kConcat) concats_.emplace(inputs, added.output);
    if (inputs.size() == 1 &&
        (layer.kind == LayerKind::kMultiply || layer.kind == LayerKind::kGate))
      location.warning("it changes nothing: it combines inputs, and reads a single one",
                       "two inputs or more");
    shape_.layers.push_back(std::move(added));
    return shape_.layers.back().output;
  }

  /// x0 as one value. Consecutive crosses over several features share x0, as may gates, so the
  /// features are concatenated once, by a layer of their own.
  ShapeIndex joined(const Values& x0, const std::string& prefix, const Location& location) {
    if (x0.size() == 1) return x0[0];
    if (const auto found = concats_.find(x0); found != concats_.end()) return found->second;
    return addLayer(impliedConcat(), prefix + "_x0", location, x0, {});
  }

  void inferMasked() {
    const Location layers = root_ / "model" / "layers";
    const Values features = featuresOf(std::nullopt);
    shape_.encoded = experiment_.model.layers.empty() && features.size() == 1
                         ? features[0]
                         : part("layers", "layer", experiment_.model.layers, features);
    if (shape_.encoded < 0 || !known({shape_.encoded})) return;
    const ShapeIndex tokens = shape_.at(shape_.encoded).sequence;
    if (tokens < 0) {
      layers.problem("the encoder ends with a row per example, and has no positions to mask",
                     "an encoder over the positions of a feature with \"sequence\": true");
      return;
    }
    const Location masked = root_ / "model" / "masked_layers";
    shape_.masked = addValue(layers, shape_.at(shape_.encoded).width, tokens);
    for (std::size_t index = 0; index < experiment_.model.maskedLayers.size(); ++index)
      requireRowWise(experiment_.model.maskedLayers[index], masked / index);
    shape_.hidden = experiment_.model.maskedLayers.empty()
                        ? shape_.masked
                        : follow(masked, "masked", experiment_.model.maskedLayers, {shape_.masked});
    requireWidthOfTokens(tokens);
  }

  /// Masked positions are no sequence: each is a row by itself.
  static void requireRowWise(const Layer& layer, const Location& at) {
    if (!layer.inputs.empty())
      (at / "inputs")
          .problem("it reads the layer before it, and the first one the masked positions", "[]");
    if (traitsOf(layer.kind).rows != LayerRows::kEach)
      (at / "kind")
          .problem("masked positions are rows by themselves, and this layer needs more",
                   rowWiseKinds());
  }

  /// The output is multiplied with the rows of the tokens' table.
  void requireWidthOfTokens(ShapeIndex tokens) const {
    const std::int64_t width = shape_.at(tokens).width;
    if (shape_.hidden < 0 || shape_.at(shape_.hidden).width == width) return;
    (root_ / "model" / "masked_layers")
        .problem(
            fmt::format("the output is {} wide, and the table of \"{}\" {}: they have no product",
                        shape_.at(shape_.hidden).width, shape_.at(tokens).name, width),
            fmt::format("a last layer of {} units", width));
  }

  void requireDot() const {
    if (shape_.query < 0 || shape_.candidate < 0) return;
    const std::int64_t query = shape_.at(shape_.query).width;
    const std::int64_t candidate = shape_.at(shape_.candidate).width;
    if (query == candidate) return;
    (root_ / "model")
        .problem(fmt::format(
                     "the query tower is {} wide and the candidate tower {}: vectors of different "
                     "widths have no dot product",
                     query, candidate),
                 "towers of the same output width");
  }

  /// The output of a model has a row per example.
  void requireExamples(ShapeIndex value, const Location& layers, const std::string& what) const {
    if (value < 0 || shape_.at(value).sequence < 0) return;
    layers.problem(fmt::format("{} ends with a row per position of \"{}\"", what,
                               shape_.at(shape_.at(value).sequence).name),
                   "a layer \"pool\", which makes a sequence one row per example");
  }

  void requireOne(ShapeIndex value, const Location& layers) const {
    requireExamples(value, layers, "the score");
    if (value < 0 || shape_.at(value).width == 1) return;
    layers.problem(
        fmt::format("the last layer is {} wide; a score is 1 wide", shape_.at(value).width),
        "a last layer of 1 unit");
  }

  void addHeads() {
    for (std::size_t index = 0; index < experiment_.model.heads.size(); ++index) {
      const Head& head = experiment_.model.heads[index];
      const Location at = root_ / "model" / "heads" / index;
      const ShapeIndex out = follow(at / "layers", "head_" + head.name, head.layers,
                                    resolve(head.inputs, at / "inputs"));
      requireOne(out, at / "layers");
      shape_.heads.push_back({&head, at.pointer(), out});
    }
  }

  void warnOfUnread() const {
    std::vector<bool> isRead(shape_.values.size());
    const auto read = [&](ShapeIndex value) {
      if (value >= 0) isRead[static_cast<std::size_t>(value)] = true;
    };
    for (const ShapeIndex value : {shape_.query, shape_.candidate, shape_.score, shape_.encoded,
                                   shape_.masked, shape_.hidden})
      read(value);
    for (const ShapeHead& head : shape_.heads) read(head.prediction);
    for (const ShapeLayer& layer : shape_.layers) {
      for (const ShapeIndex input : layer.inputs) read(input);
      read(layer.x0);
    }
    for (std::size_t value = 0; value < isRead.size(); ++value)
      if (!isRead[value])
        root_.at(shape_.values[value].pointer)
            .warning("no layer and no output of the model reads it");
  }

  const Experiment& experiment_;
  const Location& root_;
  ModelShape shape_;
  std::unordered_map<std::string, Values> byName_;  ///< of names and of folders of names
  std::vector<std::string> names_;        ///< that layers may read, in order of appearance
  std::map<Values, ShapeIndex> concats_;  ///< outputs of concat layers by their inputs
  std::optional<Tower> side_;             ///< the tower whose layers are followed
  ShapeIndex sideBegin_ = 0;              ///< its first value besides features
  std::unordered_set<std::string> lost_;  ///< names of layers whose width could not be inferred
  bool broken_ = false;                   ///< the width of an unnamed layer could not be inferred
};

}  // namespace

Values overPositions(const ModelShape& shape, Values some) {
  std::erase_if(some, [&](ShapeIndex value) { return shape.at(value).sequence < 0; });
  return some;
}

Values overExamples(const ModelShape& shape, Values some) {
  std::erase_if(some, [&](ShapeIndex value) { return shape.at(value).sequence >= 0; });
  return some;
}

ModelShape inferModel(const Experiment& experiment, const Location& root) {
  return Inference(experiment, root).run();
}

ModelShape inferModel(const Experiment& experiment) {
  Findings findings;
  return inferModel(experiment, Location("", findings));
}

}  // namespace parapet::experiment
