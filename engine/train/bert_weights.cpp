// SPDX-License-Identifier: Apache-2.0
#include "engine/train/bert_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/train/session.h"

namespace parapet::train {
namespace {

using experiment::Activation;

struct NamedActivation {
  const char* name;
  Activation activation;
};
/// The first name of an activation is the one that is written.
constexpr std::array kActivations{
    NamedActivation{"gelu", Activation::kGelu},
    NamedActivation{"gelu_pytorch_tanh", Activation::kGeluTanh},
    NamedActivation{"gelu_new", Activation::kGeluTanh},
    NamedActivation{"relu", Activation::kRelu},
    NamedActivation{"tanh", Activation::kTanh},
    NamedActivation{"sigmoid", Activation::kSigmoid},
    NamedActivation{"silu", Activation::kSilu},
    NamedActivation{"linear", Activation::kLinear},
};

const char* activationName(Activation activation) {
  for (const NamedActivation& named : kActivations)
    if (named.activation == activation) return named.name;
  return "linear";
}

bool namesActivation(const std::string& name, Activation activation) {
  for (const NamedActivation& named : kActivations)
    if (name == named.name) return named.activation == activation;
  return false;
}

using checkpoint::TensorView;
using experiment::BertPart;
using experiment::BertTensor;

constexpr const char* kBertPrefix = "bert.";
constexpr const char* kSegments = "embeddings.token_type_embeddings.weight";
constexpr const char* kWords = "embeddings.word_embeddings.weight";
constexpr std::size_t kMaxListed = 8;

constexpr std::size_t idx(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// The name of a tensor in a file of ours.
std::string fullName(const BertTensor& tensor) {
  return tensor.ofHead ? tensor.name : kBertPrefix + tensor.name;
}

/// "x.LayerNorm.weight" → "x.LayerNorm.gamma", as files of TensorFlow's time have it.
std::string olderName(const std::string& name) {
  for (const auto& [now, then] :
       {std::pair<std::string_view, std::string_view>{".LayerNorm.weight", ".LayerNorm.gamma"},
        {".LayerNorm.bias", ".LayerNorm.beta"},
        {"cls.predictions.bias", "cls.predictions.decoder.bias"}})
    if (name.ends_with(now)) return name.substr(0, name.size() - now.size()) + std::string(then);
  return name;
}

const TensorView* findBert(const checkpoint::SafetensorsFile& file, const std::string& name) {
  for (const std::string& wanted : {name, olderName(name)})
    for (const std::string& full : {kBertPrefix + wanted, wanted})
      if (const TensorView* found = file.find(full)) return found;
  return nullptr;
}

Error refusedFile(const checkpoint::SafetensorsFile& file, const std::string& message) {
  return Error{ErrorCode::kInvalidDocument, fmt::format("{}: {}", file.path().string(), message),
               "/model/weights", file.path().string()};
}

std::string listedNames(const std::vector<std::string>& entries, const char* separator) {
  const std::size_t shown = std::min(entries.size(), kMaxListed);
  const std::string some = fmt::format(
      "{}",
      fmt::join(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(shown), separator));
  return shown == entries.size()
             ? some
             : fmt::format("{}{}and {} more", some, separator, entries.size() - shown);
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : shape)
    extents.push_back(extent < 0 ? "tokens" : fmt::to_string(extent));
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

/// Why a tensor that was found is not taken; empty: it is.
std::string unfitTensor(const TensorView& found, const BertTensor& wanted, std::int64_t pieces) {
  std::vector<std::int64_t> shape = wanted.shape;
  if (shape[0] < 0) shape[0] = pieces;
  const bool fits = std::ranges::equal(
      found.shape, shape, [](std::int64_t a, std::int64_t b) { return b < 0 || a == b; });
  const bool isLonger = wanted.part == BertPart::kFirstRows && found.shape.size() == 2 &&
                        found.shape[0] >= shape[0] && found.shape[1] == shape[1];
  if (!fits && !isLonger)
    return fmt::format("\"{}\" is {}, and the model has {}", printable(found.name),
                       shapeText(found.shape), shapeText(shape));
  if (!checkpoint::isFloat(found.type))
    return fmt::format("\"{}\" is of type {}; F32, F16 and BF16 are accepted",
                       printable(found.name), checkpoint::elementName(found.type));
  return {};
}

/// The block that a tensor is of; −1: of none.
std::int64_t blockOf(std::string_view name) {
  if (name.starts_with(kBertPrefix)) name.remove_prefix(std::strlen(kBertPrefix));
  constexpr std::string_view kLayer = "encoder.layer.";
  if (!name.starts_with(kLayer)) return -1;
  name.remove_prefix(kLayer.size());
  std::int64_t block = 0;
  std::size_t digits = 0;
  for (; digits < name.size() && digits < 6 && name[digits] >= '0' && name[digits] <= '9'; ++digits)
    block = block * 10 + (name[digits] - '0');
  return digits == 0 ? -1 : block;
}

/// Says what of the file the model does not take.
void noteUnused(const checkpoint::SafetensorsFile& file, BertMatch& match) {
  std::vector<std::string> unused;
  const TensorView* words = match.tensors.front();
  for (const TensorView& tensor : file.tensors()) {
    const bool isTaken = std::ranges::find(match.tensors, &tensor) != match.tensors.end() ||
                         &tensor == match.segments;
    const bool isTied = tensor.name == "cls.predictions.decoder.weight" &&
                        std::ranges::equal(tensor.bytes, words->bytes);
    const bool isBias = tensor.name == "cls.predictions.decoder.bias";
    if (!isTaken && !isTied && !isBias && !tensor.name.ends_with("position_ids"))
      unused.push_back(printable(tensor.name));
  }
  if (!unused.empty())
    match.notes.push_back("the model has no part for " + listedNames(unused, ", "));
}

/// The elements of a tensor as they lie in its part of a parameter: a third of the columns, or all.
struct BertColumns {
  std::int64_t first = 0, count = 0;
};

BertColumns bertColumns(const BertTensor& tensor, std::int64_t cols) {
  switch (tensor.part) {
    case BertPart::kQuery:
      return {0, cols / 3};
    case BertPart::kKey:
      return {cols / 3, cols / 3};
    case BertPart::kValue:
      return {2 * (cols / 3), cols / 3};
    default:
      return {0, cols};
  }
}

bool isTransposed(const BertTensor& tensor) {
  return tensor.shape.size() == 2 &&
         (tensor.part == BertPart::kTransposed || tensor.part >= BertPart::kQuery);
}

/// Calls body(index in the tensor, index in the parameter [rows, cols]).
template <class Body>
void forElements(const BertTensor& tensor, std::int64_t rows, std::int64_t cols, const Body& body) {
  const BertColumns columns = bertColumns(tensor, cols);
  const bool transposed = isTransposed(tensor);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < columns.count; ++col)
      body(transposed ? col * rows + row : row * columns.count + col,
           row * cols + columns.first + col);
}

std::size_t parameterNamed(std::span<const nn::Parameter> parameters, const std::string& name) {
  for (std::size_t index = 0; index < parameters.size(); ++index)
    if (parameters[index].spec.name == name) return index;
  throw InternalError(fmt::format("[train.bertWeights] the graph has no parameter {}", name));
}

std::vector<float> gatheredWeights(const nn::Parameter& parameter) {
  std::vector<float> values(static_cast<std::size_t>(parameter.size()));
  nn::gatherRows(parameter, -1, values);
  return values;
}

Result<std::vector<float>> finiteElements(const TensorView& tensor) {
  std::vector<float> values(tensor.bytes.size() / checkpoint::elementBytes(tensor.type));
  checkpoint::readFloats(tensor, values);
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad == values.end()) return values;
  return Error{ErrorCode::kData,
               fmt::format("tensor \"{}\": element {} is {}; finite numbers are accepted",
                           printable(tensor.name), bad - values.begin(), *bad),
               "/model/weights"};
}

}  // namespace

std::string bertConfig(const experiment::BertSettings& settings, std::int64_t pieces) {
  return nlohmann::ordered_json{{"architectures", {"BertForMaskedLM"}},
                                {"model_type", "bert"},
                                {"vocab_size", pieces},
                                {"hidden_size", settings.width},
                                {"num_hidden_layers", settings.blocks},
                                {"num_attention_heads", settings.heads},
                                {"intermediate_size", settings.units},
                                {"hidden_act", activationName(settings.activation)},
                                {"hidden_dropout_prob", settings.dropout},
                                {"attention_probs_dropout_prob", settings.dropout},
                                {"max_position_embeddings", settings.positions},
                                {"type_vocab_size", 2},
                                {"initializer_range", 0.02},
                                {"layer_norm_eps", settings.epsilon},
                                {"pad_token_id", 0},
                                {"tie_word_embeddings", true}}
             .dump(2) +
         "\n";
}

Result<std::vector<std::string>> bertConfigNotes(const std::filesystem::path& weights,
                                                 const experiment::BertSettings& settings) {
  const std::filesystem::path path = weights.parent_path() / "config.json";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::vector<std::string>{};
  const auto text = readFile(path);
  if (!text) return std::vector<std::string>{text.error().text()};
  const auto config = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object())
    return std::vector<std::string>{path.string() + " is no JSON object, and is not read"};
  std::vector<std::string> notes;
  if (const auto heads = config.find("num_attention_heads");
      heads != config.end() && heads->is_number_integer() && *heads != settings.heads)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} says {} heads, and the blocks of the model have {}; accepted: {}",
                             path.string(), heads->dump(), settings.heads, heads->dump()),
                 "/model/weights", path.string()};
  if (const auto act = config.find("hidden_act");
      act != config.end() && act->is_string() &&
      !namesActivation(act->get_ref<const std::string&>(), settings.activation))
    notes.push_back(fmt::format(
        "{} says hidden_act \"{}\", and the blocks of the model have \"{}\"", path.string(),
        printable(act->get_ref<const std::string&>()), activationName(settings.activation)));
  if (const auto epsilon = config.find("layer_norm_eps");
      epsilon != config.end() && epsilon->is_number() && epsilon->get<double>() != settings.epsilon)
    notes.push_back(fmt::format("{} says layer_norm_eps {}, and the norms of the model have {}",
                                path.string(), epsilon->get<double>(), settings.epsilon));
  return notes;
}

Result<BertMatch> matchBert(const experiment::BertLayout& layout,
                            const checkpoint::SafetensorsFile& file, std::int64_t pieces) {
  BertMatch match;
  std::vector<std::string> names, missing, wrong, head;
  std::set<const TensorView*> wanted;
  for (const BertTensor& tensor : layout.tensors) wanted.insert(findBert(file, tensor.name));
  // Weights of another layer are not those that this one lacks.
  for (const TensorView& tensor : file.tensors())
    if (!wanted.contains(&tensor)) names.push_back(tensor.name);
  for (const TensorView& tensor : file.tensors())
    if (blockOf(tensor.name) >= layout.settings.blocks)
      return refusedFile(file,
                         fmt::format("\"{}\" is of a block that the model does not have; accepted "
                                     "are files with {} blocks",
                                     printable(tensor.name), layout.settings.blocks));
  for (const BertTensor& tensor : layout.tensors) {
    const TensorView* found = findBert(file, tensor.name);
    match.tensors.push_back(found);
    if (!found)
      (tensor.ofHead ? head : missing)
          .push_back(
              fmt::format("\"{}\"{}", fullName(tensor), didYouMean(fullName(tensor), names)));
    else if (std::string why = unfitTensor(*found, tensor, pieces); !why.empty())
      wrong.push_back(std::move(why));
    else if (tensor.part == BertPart::kFirstRows && found->shape[0] > tensor.shape[0])
      match.notes.push_back(
          fmt::format("the first {} of {} positions are taken", tensor.shape[0], found->shape[0]));
  }
  const bool hasHead = std::ranges::any_of(layout.tensors, [&](const BertTensor& tensor) {
    return tensor.ofHead && findBert(file, tensor.name);
  });
  if (hasHead) missing.insert(missing.end(), head.begin(), head.end());
  if (!missing.empty())
    return refusedFile(file, "there is no tensor " + listedNames(missing, ", "));
  match.segments = findBert(file, kSegments);
  if (match.segments)
    if (std::string why =
            unfitTensor(*match.segments,
                        {kSegments, {}, BertPart::kFirstRows, {1, layout.settings.width}}, pieces);
        !why.empty())
      wrong.push_back(std::move(why));
  if (!wrong.empty()) return refusedFile(file, listedNames(wrong, "; "));
  if (!hasHead)
    match.notes.emplace_back(
        "the file has no head (cls.predictions): the masked layers begin with their initializers");
  noteUnused(file, match);
  PARAPET_ASSIGN(auto notes, bertConfigNotes(file.path(), layout.settings));
  std::ranges::move(notes, std::back_inserter(match.notes));
  return match;
}

Status takeBert(const experiment::BertLayout& layout, const BertMatch& match, Session& session) {
  const std::span<nn::Parameter> parameters = session.parameters();
  std::map<std::size_t, std::vector<float>> weights;
  for (std::size_t index = 0; index < layout.tensors.size(); ++index) {
    const BertTensor& tensor = layout.tensors[index];
    if (!match.tensors[index]) continue;
    const std::size_t of = parameterNamed(parameters, tensor.parameter);
    const nn::ParameterSpec& spec = parameters[of].spec;
    const auto [known, isNew] = weights.try_emplace(of);
    std::vector<float>& into = known->second;
    if (isNew) {
      into.resize(static_cast<std::size_t>(parameters[of].size()));
      session.gatherRows(parameters[of], -1, into);
    }
    PARAPET_ASSIGN(const std::vector<float> values, finiteElements(*match.tensors[index]));
    forElements(tensor, spec.rows, spec.cols,
                [&](std::int64_t from, std::int64_t to) { into[idx(to)] = values[idx(from)]; });
    if (tensor.part != BertPart::kFirstRows || !match.segments) continue;
    PARAPET_ASSIGN(const std::vector<float> segments, finiteElements(*match.segments));
    const auto first = std::span(segments).first(idx(spec.cols));
    // −0 + 0 is another number than −0: what was written with zeros comes back bit for bit.
    if (std::ranges::all_of(first, [](float value) { return value == 0.0f; })) continue;
    for (std::size_t element = 0; element < into.size(); ++element)
      into[element] += first[element % first.size()];
  }
  for (auto& [of, values] : weights) session.scatterRows(parameters[of], -1, values);
  return {};
}

OwnedTensors bertTensors(const experiment::BertLayout& layout,
                         std::span<const nn::Parameter> parameters) {
  OwnedTensors out;
  std::map<std::string, std::vector<float>> weights;
  const auto add = [&](std::string name, std::vector<std::int64_t> shape,
                       std::vector<float> values) {
    out.values.push_back(std::move(values));
    out.views.push_back({std::move(name), checkpoint::ElementType::kF32, std::move(shape),
                         std::as_bytes(std::span<const float>(out.values.back()))});
  };
  for (const BertTensor& tensor : layout.tensors) {
    const nn::Parameter& parameter = parameters[parameterNamed(parameters, tensor.parameter)];
    const auto& spec = parameter.spec;
    const auto& from =
        weights.try_emplace(tensor.parameter, gatheredWeights(parameter)).first->second;
    std::vector<std::int64_t> shape = tensor.shape;
    if (shape[0] < 0) shape[0] = spec.rows;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<float> values(idx(count));
    forElements(tensor, spec.rows, spec.cols,
                [&](std::int64_t to, std::int64_t of) { values[idx(to)] = from[idx(of)]; });
    add(fullName(tensor), std::move(shape), std::move(values));
    if (tensor.name == kWords)
      add(std::string(kBertPrefix) + kSegments, {2, layout.settings.width},
          std::vector<float>(idx(2 * layout.settings.width), 0.0f));
  }
  return out;
}

}  // namespace parapet::train
