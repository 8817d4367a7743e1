// SPDX-License-Identifier: Apache-2.0
#include "engine/train/bert_config.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/text.h"

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

}  // namespace parapet::train
