// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/masked_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/index.h"
#include "engine/base/text.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

std::vector<float> weightsOf(const nn::Parameter& parameter) {
  std::vector<float> values(static_cast<std::size_t>(parameter.size()));
  nn::gatherRows(parameter, -1, values);
  return values;
}

Error refused(std::string message) {
  return {ErrorCode::kInvalidDocument, std::move(message)};
}

/// The pieces as the run was trained with them.
Result<data::PieceVocabulary> vocabularyOf(const data::Dataset& dataset) {
  const data::Vocabulary& vocabulary = dataset.vocabularyOf(experiment::kTokensColumn);
  std::string lines;
  for (std::int64_t row = 0; row < vocabulary.size(); ++row)
    lines.append(vocabulary.rawId(row)).push_back('\n');
  return data::PieceVocabulary::parse(lines, dataset.folder().string());
}

}  // namespace

MaskedModel::MaskedModel(std::unique_ptr<OpenedRun> opened, data::WordPiece pieces)
    : opened_(std::move(opened)), pieces_(std::move(pieces)) {
  const nn::Model& model = opened_->session->model();
  table_ = weightsOf(opened_->session->parameters()[at(model.tokenTable)]);
  bias_ = weightsOf(opened_->session->parameters()[at(model.tokenBias)]);
}

MaskedModel::~MaskedModel() = default;

const std::string& MaskedModel::runId() const {
  return opened_->record.id;
}
std::int64_t MaskedModel::step() const {
  return opened_->manifest.step;
}
const std::vector<std::string>& MaskedModel::warnings() const {
  return opened_->warnings;
}

// softmax(table·hidden + bias), its k greatest.
std::vector<PieceGuess> MaskedModel::best(std::span<const float> hidden, std::int64_t k) const {
  std::vector<double> logits(bias_.begin(), bias_.end());
  for (std::size_t piece = 0; piece < logits.size(); ++piece)
    logits[piece] += std::inner_product(hidden.begin(), hidden.end(),
                                        table_.data() + piece * hidden.size(), 0.0f);
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto first = order.begin() + std::min<std::int64_t>(k, std::ssize(order));
  std::ranges::partial_sort(order, first, [&](std::int32_t a, std::int32_t b) {
    return logits[at(a)] != logits[at(b)] ? logits[at(a)] > logits[at(b)] : a < b;
  });
  const double greatest = logits[at(order.front())];
  double sum = 0.0;
  for (const double logit : logits) sum += std::exp(logit - greatest);
  std::vector<PieceGuess> guesses;
  for (auto piece = order.begin(); piece != first; ++piece)
    guesses.push_back({std::string(pieces_.vocabulary().piece(*piece)),
                       std::exp(logits[at(*piece)] - greatest) / sum});
  return guesses;
}

// With [CLS] and [SEP]; no longer than the model reads.
Result<std::vector<std::int32_t>> MaskedModel::idsOf(std::string_view text) const {
  using data::SpecialPiece;
  if (!isValidUtf8(text))
    return refused(fmt::format("\"{}\" is not UTF-8, which texts are", printable(text)));
  const data::PieceVocabulary& vocabulary = pieces_.vocabulary();
  std::vector<std::int32_t> ids = pieces_.encodePrompt(text).ids;
  ids.insert(ids.begin(), vocabulary.id(SpecialPiece::kClassify));
  ids.push_back(vocabulary.id(SpecialPiece::kSeparator));
  const auto longest = static_cast<std::size_t>(opened_->experiment.dataset.text->maxLength);
  if (ids.size() <= longest) return ids;
  return refused(
      fmt::format("the text has {} tokens, [CLS] and [SEP] among them; the model reads {}",
                  ids.size(), longest));
}

std::vector<std::string> MaskedModel::piecesOf(std::span<const std::int32_t> ids) const {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.emplace_back(pieces_.vocabulary().piece(id));
  return pieces;
}

Result<std::span<const float>> MaskedModel::compute(nn::Value value,
                                                    std::span<const std::int32_t> ids,
                                                    std::span<const std::int32_t> masked) {
  const std::array<std::int32_t, 2> all{0, static_cast<std::int32_t>(ids.size())};
  const std::array<std::int32_t, 2> selected{0, static_cast<std::int32_t>(masked.size())};
  const std::vector<std::int32_t> labels(masked.size(), 0);
  const std::array<data::FeatureIds, 3> features{data::FeatureIds{ids, all},
                                                 data::FeatureIds{masked, selected},
                                                 data::FeatureIds{labels, selected}};
  nn::StepBatch input;
  input.rows = 1;
  input.features = features;
  return opened_->session->compute(value, input);
}

std::int64_t MaskedModel::pieceCount() const {
  return pieces_.vocabulary().size();
}

Result<FilledText> MaskedModel::fill(std::string_view text, std::int64_t k) {
  const data::PieceVocabulary& vocabulary = pieces_.vocabulary();
  if (k < 1 || k > vocabulary.size())
    return refused(fmt::format("k is {}; accepted are 1 … {} (the tokens)", k, vocabulary.size()));
  PARAPET_ASSIGN(const std::vector<std::int32_t> ids, idsOf(text));
  FilledText filled{piecesOf(ids), {}};
  std::vector<std::int32_t> masked;
  for (std::size_t position = 0; position < ids.size(); ++position)
    if (ids[position] == vocabulary.id(data::SpecialPiece::kMask))
      masked.push_back(static_cast<std::int32_t>(position));
  if (masked.empty())
    return refused("the text has no [MASK]; write it where a token is to be predicted");

  std::lock_guard lock(mutex_);
  const nn::Model& model = opened_->session->model();
  const auto width = static_cast<std::size_t>(model.graph.cols(model.hidden));
  const auto slots = static_cast<std::size_t>(
      opened_->experiment.model.masking.value_or(experiment::Masking{}).maxSelections);
  // As many at a time as an example of training had at most.
  for (std::size_t first = 0; first < masked.size(); first += slots) {
    const auto some = std::span(masked).subspan(first, std::min(slots, masked.size() - first));
    PARAPET_ASSIGN(const std::span<const float> hidden, compute(model.hidden, ids, some));
    for (std::size_t i = 0; i < some.size(); ++i)
      filled.masked.push_back({some[i], best(hidden.subspan(i * width, width), k)});
  }
  return filled;
}

std::vector<AttentionLayer> MaskedModel::attentionLayers() const {
  std::vector<AttentionLayer> layers;
  for (const nn::AttentionUse& use : opened_->session->model().graph.attentions())
    layers.push_back({use.heads, use.causal});
  return layers;
}

Result<AttentionMap> MaskedModel::attention(std::string_view text, std::int64_t layer,
                                            std::int64_t head) {
  const std::vector<nn::AttentionUse>& uses = opened_->session->model().graph.attentions();
  if (layer < 0 || layer >= std::ssize(uses))
    return refused(fmt::format("layer {} of the model's attention is asked for; accepted: 1 to {}",
                               layer + 1, uses.size()));
  const nn::AttentionUse& use = uses[static_cast<std::size_t>(layer)];
  if (head < 0 || head >= use.heads)
    return refused(fmt::format("head {} of layer {} is asked for; accepted: 1 to {}", head + 1,
                               layer + 1, use.heads));
  PARAPET_ASSIGN(const std::vector<std::int32_t> ids, idsOf(text));
  std::lock_guard lock(mutex_);
  PARAPET_ASSIGN(const std::span<const float> qkv, compute(use.qkv, ids, {}));
  return AttentionMap{piecesOf(ids),
                      attentionProbabilities(qkv, std::ssize(ids), {use.heads, use.causal}, head)};
}

Result<std::shared_ptr<MaskedModel>> Workspace::maskedModel(const std::string& run,
                                                            CheckpointChoice choice,
                                                            const WorkContext& context) {
  PARAPET_ASSIGN(const store::RunRecord record, state_->shared->store->find(run));
  PARAPET_ASSIGN(const experiment::Experiment experiment, parseStored(record));
  if (!experiment::readsText(experiment.model.kind))
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("run {} is no masked language model; it reads users and items", record.id)};
  PARAPET_ASSIGN(OpenedRun opened, openRun(*state_->shared, run, choice, 0, context));
  PARAPET_ASSIGN(data::PieceVocabulary vocabulary, vocabularyOf(*opened.dataset));
  const auto casing =
      opened.experiment.dataset.text->lowercase ? data::Casing::kUncased : data::Casing::kCased;
  return std::make_shared<MaskedModel>(std::make_unique<OpenedRun>(std::move(opened)),
                                       data::WordPiece(std::move(vocabulary), casing));
}

std::vector<double> attentionProbabilities(std::span<const float> qkv, std::int64_t positions,
                                           const AttentionLayer& layer, std::int64_t head) {
  const auto length = static_cast<std::size_t>(positions);
  const auto heads = static_cast<std::size_t>(layer.heads);
  if (head < 0 || head >= layer.heads || length == 0 || qkv.size() % (3 * heads * length) != 0)
    throw InvalidArgument(
        fmt::format("[workspace.attentionProbabilities] head {} of {}, {} elements for {} "
                    "positions; accepted are head < heads and positions × 3 × heads × width "
                    "elements",
                    head, heads, qkv.size(), length));
  const std::size_t row = qkv.size() / length, width = row / (3 * heads);
  const auto own = static_cast<std::size_t>(head) * width;
  const double scale = 1.0 / std::sqrt(static_cast<double>(width));
  std::vector<double> probabilities(length * length, 0.0);
  for (std::size_t i = 0; i < length; ++i) {
    const float* const query = qkv.data() + i * row + own;
    const auto scores = std::span(probabilities).subspan(i * length, layer.causal ? i + 1 : length);
    double greatest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const float* const key = qkv.data() + j * row + heads * width + own;
      double score = 0.0;
      for (std::size_t d = 0; d < width; ++d)
        score += static_cast<double>(query[d]) * static_cast<double>(key[d]);
      scores[j] = scale * score;
      greatest = std::max(greatest, scores[j]);
    }
    for (double& score : scores) sum += score = std::exp(score - greatest);
    for (double& score : scores) score /= sum;
  }
  return probabilities;
}

}  // namespace parapet::workspace
