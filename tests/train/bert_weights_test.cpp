// SPDX-License-Identifier: Apache-2.0
// Files of BERT as initial weights: a forward pass against one in double precision that reads the
// tensors of the file as they are, and back into a file bit for bit.
#include <fmt/format.h>

#include <QtTest>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include "engine/base/index.h"
#include "engine/base/random.h"
#include "engine/base/record/location.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/experiment/bert_layout.h"
#include "engine/experiment/validate.h"
#include "engine/train/bert_weights.h"
#include "tests/train/small_training.h"

using namespace parapet;
using checkpoint::ElementType;
using experiment::Experiment;
using testing::EventList;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kPieces = 40, kWidth = 128, kHeads = 2, kUnits = 512, kBlocks = 2;
constexpr std::int64_t kPositions = 16;  ///< of the file; the model has 12

/// A tensor of a file: its shape and elements, in f32.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
using Tensors = std::map<std::string, Tensor>;

/// bert-tiny with random weights, named as Hugging Face does.
Tensors randomBert() {
  Tensors out;
  std::uint64_t stream = 0;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape, double scale,
                       double mean = 0.0) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    const Random random(9, RandomPurpose::kInitializer, stream++);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(mean + scale * (2.0 * random.uniform(i) - 1.0));
    out[name] = {std::move(shape), std::move(values)};
  };
  const auto dense = [&](const std::string& name, std::int64_t units, std::int64_t in) {
    add(name + ".weight", {units, in}, 0.1);
    add(name + ".bias", {units}, 0.1);
  };
  const auto norm = [&](const std::string& name) {
    add(name + ".LayerNorm.weight", {kWidth}, 0.3, 1.0);
    add(name + ".LayerNorm.bias", {kWidth}, 0.2);
  };
  add("bert.embeddings.word_embeddings.weight", {kPieces, kWidth}, 0.5);
  add("bert.embeddings.position_embeddings.weight", {kPositions, kWidth}, 0.3);
  add("bert.embeddings.token_type_embeddings.weight", {2, kWidth}, 0.2);
  norm("bert.embeddings");
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const std::string at = fmt::format("bert.encoder.layer.{}.", block);
    for (const char* part : {"query", "key", "value"})
      dense(at + "attention.self." + part, kWidth, kWidth);
    dense(at + "attention.output.dense", kWidth, kWidth);
    norm(at + "attention.output");
    dense(at + "intermediate.dense", kUnits, kWidth);
    dense(at + "output.dense", kWidth, kUnits);
    norm(at + "output");
  }
  dense("cls.predictions.transform.dense", kWidth, kWidth);
  norm("cls.predictions.transform");
  add("cls.predictions.bias", {kPieces}, 0.1);
  return out;
}

std::uint16_t toBf16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}
/// The half-precision bits of a normal number, truncated.
std::uint16_t toHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto exponent = static_cast<int>((bits >> 23) & 0xff) - 127 + 15;
  if (exponent <= 0) return static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000) |
                                    static_cast<std::uint32_t>(exponent) << 10 |
                                    ((bits >> 13) & 0x3ff));
}

void writeFile(const fs::path& path, const Tensors& tensors, ElementType type = ElementType::kF32) {
  std::vector<std::vector<std::uint16_t>> halves;
  std::vector<checkpoint::TensorView> views;
  for (const auto& [name, tensor] : tensors) {
    std::span<const std::byte> bytes = std::as_bytes(std::span(tensor.values));
    if (type != ElementType::kF32) {
      auto& half = halves.emplace_back();
      for (const float value : tensor.values)
        half.push_back(type == ElementType::kF16 ? toHalf(value) : toBf16(value));
      bytes = std::as_bytes(std::span<const std::uint16_t>(half));
    }
    views.push_back({name, type, tensor.shape, bytes});
  }
  if (const Status written = checkpoint::writeSafetensors(path, views, {}); !written)
    throw InternalError(written.error().text());
}

checkpoint::SafetensorsFile opened(const fs::path& path) {
  return checkpoint::SafetensorsFile::open(path).value();
}

/// The output of BERT at masked positions, in double precision, by the names of the file.
class Reference {
 public:
  using Row = std::vector<double>;

  explicit Reference(const checkpoint::SafetensorsFile& file) {
    for (const checkpoint::TensorView& tensor : file.tensors()) {
      std::vector<float> values(tensor.bytes.size() / checkpoint::elementBytes(tensor.type));
      checkpoint::readFloats(tensor, values);
      std::string name = tensor.name;
      if (name.starts_with("bert.")) name = name.substr(5);
      for (const auto& [older, now] : {std::pair{".gamma", ".weight"}, {".beta", ".bias"}})
        if (name.ends_with(older)) name = name.substr(0, name.rfind('.')) + now;
      tensors_[name] = {values.begin(), values.end()};
    }
  }

  /// Logits [positions, pieces].
  std::vector<Row> logits(const std::vector<std::int32_t>& ids,
                          const std::vector<std::int32_t>& masked) const {
    std::vector<Row> rows = encode(ids), out;
    for (const std::int32_t position : masked) {
      Row hidden = dense("cls.predictions.transform.dense", rows[at(position)]);
      for (double& value : hidden) value *= 0.5 * (1.0 + std::erf(value / std::numbers::sqrt2));
      hidden = norm("cls.predictions.transform", hidden, 1e-5);
      Row scores = tensors_.at("cls.predictions.bias");
      const Row& words = tensors_.at("embeddings.word_embeddings.weight");
      for (std::size_t piece = 0; piece < scores.size(); ++piece)
        for (std::size_t d = 0; d < hidden.size(); ++d)
          scores[piece] += words[piece * hidden.size() + d] * hidden[d];
      out.push_back(std::move(scores));
    }
    return out;
  }

 private:
  [[nodiscard]] Row dense(const std::string& name, const Row& x) const {
    Row out = tensors_.at(name + ".bias");
    const Row& weight = tensors_.at(name + ".weight");
    for (std::size_t unit = 0; unit < out.size(); ++unit)
      for (std::size_t i = 0; i < x.size(); ++i) out[unit] += weight[unit * x.size() + i] * x[i];
    return out;
  }
  [[nodiscard]] Row norm(const std::string& name, const Row& x, double epsilon) const {
    double mean = 0.0, variance = 0.0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x)
      variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    Row out(x.size());
    const Row& scale = tensors_.at(name + ".LayerNorm.weight");
    const Row& shift = tensors_.at(name + ".LayerNorm.bias");
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * scale[i] + shift[i];
    return out;
  }
  [[nodiscard]] Row sumAndNorm(const std::string& name, Row x, const Row& y) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
    return norm(name, x, 1e-12);
  }

  [[nodiscard]] std::vector<Row> attend(const std::string& name,
                                        const std::vector<Row>& rows) const {
    std::vector<Row> q, k, v, out(rows.size(), Row(at(kWidth), 0.0));
    for (const Row& row : rows) {
      q.push_back(dense(name + "query", row));
      k.push_back(dense(name + "key", row));
      v.push_back(dense(name + "value", row));
    }
    const std::size_t width = at(kWidth / kHeads);
    for (std::size_t head = 0; head < at(kHeads); ++head)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Row weights(rows.size());
        double sum = 0.0;
        for (std::size_t j = 0; j < rows.size(); ++j) {
          double score = 0.0;
          for (std::size_t d = head * width; d < (head + 1) * width; ++d)
            score += q[i][d] * k[j][d];
          weights[j] = std::exp(score / std::sqrt(static_cast<double>(width)));
          sum += weights[j];
        }
        for (std::size_t j = 0; j < rows.size(); ++j)
          for (std::size_t d = head * width; d < (head + 1) * width; ++d)
            out[i][d] += weights[j] / sum * v[j][d];
      }
    return out;
  }

  [[nodiscard]] std::vector<Row> encode(const std::vector<std::int32_t>& ids) const {
    std::vector<Row> rows;
    const auto element = [&](const char* table, std::size_t row, std::size_t d) {
      return tensors_.at(fmt::format("embeddings.{}_embeddings.weight", table))
          .at(row * at(kWidth) + d);
    };
    for (std::size_t position = 0; position < ids.size(); ++position) {
      Row row(at(kWidth));
      for (std::size_t d = 0; d < row.size(); ++d)
        row[d] = element("word", at(ids[position]), d) + element("position", position, d) +
                 element("token_type", 0, d);
      rows.push_back(norm("embeddings", row, 1e-12));
    }
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      const std::string name = fmt::format("encoder.layer.{}.", block);
      const std::vector<Row> attended = attend(name + "attention.self.", rows);
      for (std::size_t position = 0; position < rows.size(); ++position) {
        const Row out = dense(name + "attention.output.dense", attended[position]);
        const Row x = sumAndNorm(name + "attention.output", rows[position], out);
        Row up = dense(name + "intermediate.dense", x);
        for (double& value : up)
          value *= 0.5 * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) *
                                          (value + 0.044715 * value * value * value)));
        rows[position] = sumAndNorm(name + "output", x, dense(name + "output.dense", up));
      }
    }
    return rows;
  }
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  std::map<std::string, Row> tensors_;
};

}  // namespace

class BertWeightsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  testing::SmallTraining training_;

  [[nodiscard]] fs::path path(const char* name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  [[nodiscard]] Experiment document() const {
    nlohmann::json document = experiment::parseJson(R"({"parapet": 1, "name": "bert",
      "dataset": {"source": "text", "text": {"vocabulary": "vocab.txt", "max_length": 12},
        "batch": {"size": 8, "shuffle": "epoch"}},
      "tables": [{"name": "tokens", "vocabulary": "tokens", "embedding_dim": 128}],
      "features": [{"name": "tokens", "column": "tokens", "table": "tokens", "sequence": true,
        "max_length": 12}],
      "model": {"kind": "masked_lm",
        "layers": [{"kind": "position"}, {"kind": "layer_norm", "epsilon": 1e-12},
          {"kind": "dropout", "rate": 0.1},
          {"kind": "transformer_block", "heads": 2, "units": 512, "norm": "post",
           "activation": "gelu_tanh"},
          {"kind": "transformer_block", "heads": 2, "units": 512, "norm": "post",
           "activation": "gelu_tanh"}],
        "masked_layers": [{"kind": "dense", "units": 128, "activation": "gelu"},
          {"kind": "layer_norm", "epsilon": 1e-5}],
        "masking": {"rate": 0.2, "max_selections": 3}},
      "loss": {"kind": "vocabulary_softmax", "reduction": "weighted_mean"},
      "optimizer": {"kind": "adamw", "learning_rate": 0.001},
      "training": {"epochs": 1, "validate_every": 0, "seed": 5,
        "checkpoints": {"every": null, "keep": 3, "best": null}}})")
                                  .value();
    document["dataset"]["path"] = folder_.path().toStdString();
    return experiment::test::parsedDocument(document);
  }
  [[nodiscard]] std::string refusalOf(const fs::path& file) const {
    const auto session = training_.session(document());
    const auto taken = session->takeBert(opened(file));
    return taken ? "" : taken.error().pointer + " " + taken.error().text();
  }

 private Q_SLOTS:
  void initTestCase() {
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", lines;
    for (int piece = 5; piece < kPieces; ++piece) vocabulary += fmt::format("w{}\n", piece);
    for (int line = 0; line < 23; ++line)
      lines += fmt::format("w{} w{} w{} w{}\n", 5 + line, 6 + line, 7 + line, 8 + line);
    // As long as a text may be: a plan holds what the data have.
    for (int word = 5; word < 15; ++word)
      lines += fmt::format("w{}{}", word, word < 14 ? " " : "\n");
    std::ofstream(path("vocab.txt")) << vocabulary;
    std::ofstream(path("train.txt")) << lines;
    std::ofstream(path("valid.txt")) << lines;
  }

  void aForwardPassAgreesWithDoubles_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("names");
    for (const auto& [type, name] : {std::pair{ElementType::kF32, "f32"},
                                     {ElementType::kF16, "f16"},
                                     {ElementType::kBf16, "bf16"}})
      for (const char* names : {"now", "without a prefix", "gamma and beta"})
        QTest::addRow("%s, %s", name, names) << static_cast<int>(type) << QString(names);
  }
  void aForwardPassAgreesWithDoubles() {
    QFETCH(int, type);
    QFETCH(QString, names);
    Tensors tensors;
    for (const auto& [name, tensor] : randomBert()) {
      std::string as = name;
      if (names == "without a prefix" && as.starts_with("bert.")) as = as.substr(5);
      if (names == "gamma and beta" && as.find("LayerNorm") != std::string::npos)
        as = as.substr(0, as.rfind('.')) + (as.ends_with("weight") ? ".gamma" : ".beta");
      tensors[as] = tensor;
    }
    const fs::path file = path("forward.safetensors");
    writeFile(file, tensors, static_cast<ElementType>(type));
    const auto session = training_.session(document());
    const auto taken = session->takeBert(opened(file));
    QVERIFY2(taken.ok(), taken.ok() ? "" : taken.error().text().c_str());
    QCOMPARE(taken->size(), std::size_t{1});  // 12 of 16 positions

    const std::vector<std::int32_t> ids{2, 7, 4, 9, 30, 4, 11, 12, 39, 5, 3};
    const std::vector<std::int32_t> masked{2, 5, 8}, labels(3, 0);
    const std::array<std::int32_t, 2> all{0, 11}, selected{0, 3};
    const std::array<data::FeatureIds, 3> features{data::FeatureIds{ids, all},
                                                   data::FeatureIds{masked, selected},
                                                   data::FeatureIds{labels, selected}};
    nn::StepBatch input;
    input.rows = 1;
    input.features = features;
    const nn::Model& model = session->model();
    const auto hidden = session->compute(model.hidden, input);
    QVERIFY2(hidden.ok(), hidden.ok() ? "" : hidden.error().text().c_str());
    const auto parameters = session->parameters();
    const auto words = parameters[at(model.tokenTable)].whole().weight.host();
    const auto bias = parameters[at(model.tokenBias)].whole().weight.host();
    const auto expected = Reference(opened(file)).logits(ids, masked);
    double largest = 0.0, error = 0.0;
    for (std::size_t row = 0; row < expected.size(); ++row)
      for (std::size_t piece = 0; piece < bias.size(); ++piece) {
        double logit = static_cast<double>(bias[piece]);
        for (std::size_t d = 0; d < static_cast<std::size_t>(kWidth); ++d)
          logit += static_cast<double>(words[piece * kWidth + d]) *
                   static_cast<double>((*hidden)[row * kWidth + d]);
        largest = std::max(largest, std::abs(expected[row][piece]));
        error = std::max(error, std::abs(logit - expected[row][piece]));
      }
    QVERIFY(largest > 1.0);
    QVERIFY2(error <= 1e-5 * largest, fmt::format("{} of {}", error, largest).c_str());
  }

  /// Negative zeros, too: they would be lost in a sum with the segment.
  void aFileComesBackBitForBit() {
    const fs::path first = path("first.safetensors"), second = path("second.safetensors");
    Tensors tensors = randomBert();
    for (float& value : tensors["bert.embeddings.token_type_embeddings.weight"].values) value = 0;
    Tensor& positions = tensors["bert.embeddings.position_embeddings.weight"];
    positions.shape[0] = 12;
    positions.values.resize(12 * kWidth);
    positions.values[3] = -0.0f;
    writeFile(first, tensors);
    const Experiment experiment = document();
    const auto session = training_.session(experiment);
    const auto taken = session->takeBert(opened(first));
    QVERIFY(taken.ok());
    QCOMPARE(taken->size(), std::size_t{0});
    const auto layout = experiment::bertLayout(experiment);
    const train::OwnedTensors out = train::bertTensors(layout, session->parameters());
    QVERIFY(checkpoint::writeSafetensors(second, out.views, {{"format", "pt"}}).ok());
    const auto a = opened(first), b = opened(second);
    QCOMPARE(a.tensors().size(), b.tensors().size());
    for (const checkpoint::TensorView& tensor : a.tensors()) {
      const checkpoint::TensorView* found = b.find(tensor.name);
      QVERIFY2(found, tensor.name.c_str());
      QCOMPARE(found->shape, tensor.shape);
      QVERIFY2(std::ranges::equal(found->bytes, tensor.bytes), tensor.name.c_str());
    }
    const auto again = training_.session(experiment);
    QVERIFY(again->takeBert(b).ok());
    for (std::size_t i = 0; i < session->parameters().size(); ++i)
      QVERIFY(std::ranges::equal(std::as_bytes(session->parameters()[i].whole().weight.host()),
                                 std::as_bytes(again->parameters()[i].whole().weight.host())));
  }

  void everyPlacementTakesTheSame() {
    const fs::path file = path("mesh.safetensors");
    writeFile(file, randomBert());
    Experiment experiment = document();
    const auto alone = training_.session(experiment);
    QVERIFY(alone->takeBert(opened(file)).ok());
    experiment.mesh.devices = {"cpu*2"};
    experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto spread = training_.session(experiment);
    QVERIFY(spread->takeBert(opened(file)).ok());
    for (std::size_t i = 0; i < alone->parameters().size(); ++i)
      for (const nn::ParameterShard& shard : spread->parameters()[i].shards)
        QVERIFY(
            std::ranges::equal(shard.weight.host(), alone->parameters()[i].whole().weight.host()));
  }

  void frozenLayersKeepWhatWasImported() {
    const fs::path file = path("frozen.safetensors");
    writeFile(file, randomBert());
    Experiment experiment = document();
    experiment.model.layers[3].trainable = false;
    const auto session = training_.session(experiment);
    QVERIFY(session->takeBert(opened(file)).ok());
    const auto weightsOf = [&] {
      std::map<std::string, std::vector<float>> out;
      for (const nn::Parameter& parameter : session->parameters()) {
        const auto values = parameter.whole().weight.host();
        out[parameter.spec.name].assign(values.begin(), values.end());
      }
      return out;
    };
    const auto before = weightsOf();
    const data::Split split = testing::SmallTraining::split(experiment, *session);
    train::RunControl control;
    EventList events;
    const train::TrainerOptions options{.runId = "frozen",
                                        .checkpointFolder = training_.checkpoints("frozen")};
    QCOMPARE(train::train(*session, experiment, split, options, control, events).steps, 3);
    int frozen = 0, trained = 0;
    for (const auto& [name, values] : weightsOf()) {
      const bool isFrozen = name.starts_with("dense/layer_3_");
      if (isFrozen) QVERIFY2(values == before.at(name), name.c_str());
      if (!isFrozen) QVERIFY2(values != before.at(name), name.c_str());
      ++(isFrozen ? frozen : trained);
    }
    QCOMPARE(frozen, 12);
    QVERIFY(trained > 12);
  }

  void aFileWithoutAHeadBeginsWithItsInitializers() {
    const fs::path file = path("headless.safetensors");
    Tensors tensors = randomBert();
    std::erase_if(tensors, [](const auto& entry) { return entry.first.starts_with("cls."); });
    tensors["bert.pooler.dense.bias"] = {{kWidth}, std::vector<float>(kWidth)};
    writeFile(file, tensors);
    const auto session = training_.session(document());
    const auto taken = session->takeBert(opened(file));
    QVERIFY(taken.ok());
    QCOMPARE(taken->size(), std::size_t{3});
    QVERIFY((*taken)[1].find("no head") != std::string::npos);
    QVERIFY((*taken)[2].ends_with("bert.pooler.dense.bias"));
  }

  void whatDoesNotFitIsNamed_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing") << "missing"
                             << "\"bert.encoder.layer.1.output.dense.bias\" (did you "
                                "mean \"bert.encoder.layer.1.output.dense.bais\"?)";
    QTest::newRow("part of the head") << "head"
                                      << "\"cls.predictions.transform.dense.weight\"";
    QTest::newRow("shape") << "shape"
                           << "is [128, 512], and the model has [512, 128]";
    QTest::newRow("pieces") << "pieces"
                            << "is [41, 128], and the model has [40, 128]";
    QTest::newRow("positions") << "positions"
                               << "is [8, 128], and the model has [12, 128]";
    QTest::newRow("more blocks") << "blocks"
                                 << "accepted are files with 2 blocks";
    QTest::newRow("NaN") << "nan"
                         << "element 5 is nan";
  }
  void whatDoesNotFitIsNamed() {
    QFETCH(QString, change);
    QFETCH(QString, message);
    Tensors tensors = randomBert();
    const auto rename = [&](const std::string& from, const std::string& to) {
      tensors[to] = tensors.at(from);
      tensors.erase(from);
    };
    const auto resize = [&](const std::string& name, std::int64_t rows) {
      Tensor& tensor = tensors.at(name);
      tensor.shape[0] = rows;
      tensor.values.resize(static_cast<std::size_t>(rows * kWidth));
    };
    const std::string last = "bert.encoder.layer.1.";
    if (change == "missing") rename(last + "output.dense.bias", last + "output.dense.bais");
    if (change == "head") tensors.erase("cls.predictions.transform.dense.weight");
    if (change == "shape")
      std::ranges::reverse(tensors.at(last + "intermediate.dense.weight").shape);
    if (change == "pieces") resize("bert.embeddings.word_embeddings.weight", 41);
    if (change == "positions") resize("bert.embeddings.position_embeddings.weight", 8);
    if (change == "blocks")
      tensors["bert.encoder.layer.2.output.dense.bias"] = tensors.at(last + "output.dense.bias");
    if (change == "nan") tensors.at(last + "output.dense.bias").values[5] = std::nanf("");
    const fs::path file = path("unfit.safetensors");
    writeFile(file, tensors);
    const std::string refusal = refusalOf(file);
    QVERIFY2(refusal.starts_with("/model/weights"), refusal.c_str());
    QVERIFY2(refusal.find(message.toStdString()) != std::string::npos, refusal.c_str());
  }

  void otherTypesAreRefused() {
    Tensors tensors = randomBert();
    const std::vector<double> bias(static_cast<std::size_t>(kWidth), 0.0);
    const std::string name = "bert.encoder.layer.0.output.dense.bias";
    tensors.erase(name);
    std::vector<checkpoint::TensorView> views{
        {name, ElementType::kF64, {kWidth}, std::as_bytes(std::span(bias))}};
    for (const auto& [other, tensor] : tensors)
      views.push_back(
          {other, ElementType::kF32, tensor.shape, std::as_bytes(std::span(tensor.values))});
    const fs::path file = path("types.safetensors");
    QVERIFY(checkpoint::writeSafetensors(file, views, {}).ok());
    const std::string refusal = refusalOf(file);
    QVERIFY2(refusal.find("of type F64; F32, F16 and BF16") != std::string::npos, refusal.c_str());
  }

  void otherHeadsAreRefusedAndActivationsTold() {
    const fs::path folder = path("configured");
    fs::create_directory(folder);
    writeFile(folder / "model.safetensors", randomBert());
    std::ofstream(folder / "config.json") << R"({"num_attention_heads": 4})";
    QVERIFY(refusalOf(folder / "model.safetensors").find("says 4 heads") != std::string::npos);
    std::ofstream(folder / "config.json")
        << R"({"num_attention_heads": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12})";
    const auto session = training_.session(document());
    const auto taken = session->takeBert(opened(folder / "model.safetensors"));
    QVERIFY(taken.ok());
    QCOMPARE(taken->size(), std::size_t{2});
    QVERIFY(taken->back().find("hidden_act \"gelu\"") != std::string::npos);
  }

  void everyHalfIsTheFloatThatItIs() {
    const std::vector<std::uint16_t> bits{0x0000, 0x8000, 0x0001, 0x03ff, 0x0400,
                                          0x3c00, 0xc000, 0x7bff, 0x7c00, 0x3555};
    const std::vector<float> expected{0.0f, -0.0f, 0x1p-24f, 0x1.ff8p-15f, 0x1p-14f,
                                      1.0f, -2.0f, 65504.0f, INFINITY,     0x1.554p-2f};
    std::vector<float> found(bits.size());
    checkpoint::readFloats({"h", ElementType::kF16, {10}, std::as_bytes(std::span(bits))}, found);
    for (std::size_t i = 0; i < bits.size(); ++i)
      QCOMPARE(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(expected[i]));
  }

  void otherLayersAreNoBert_data() {
    QTest::addColumn<QString>("pointer");
    QTest::newRow("norms before") << "/model/layers/3/norm";
    QTest::newRow("causal") << "/model/layers/3/causal";
    QTest::newRow("a third dense layer") << "/model/layers/3/glu";
    QTest::newRow("gates") << "/model/layers/3/gated_residual";
    QTest::newRow("heads") << "/model/layers/4/heads";
    QTest::newRow("no position") << "/model/layers/0";
    QTest::newRow("head") << "/model/masked_layers/1";
  }
  void otherLayersAreNoBert() {
    QFETCH(QString, pointer);
    Experiment experiment = document();
    experiment.model.weights = "bert.safetensors";
    auto& layers = experiment.model.layers;
    if (pointer.endsWith("norm")) layers[3].norm = experiment::NormOrder::kPre;
    if (pointer.endsWith("causal")) layers[3].causal = true;
    if (pointer.endsWith("glu")) layers[3].glu = true;
    if (pointer.endsWith("gated_residual")) layers[3].gatedResidual = true;
    if (pointer.endsWith("heads")) layers[4].heads = 4;
    if (pointer.endsWith("layers/0")) layers.erase(layers.begin());
    if (pointer.endsWith("/1"))
      experiment.model.maskedLayers[1].kind = experiment::LayerKind::kDropout;
    experiment::Findings findings;
    experiment::validate(experiment, experiment::Location("", findings));
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(findings.problems[0].pointer), pointer);
  }
};

QTEST_APPLESS_MAIN(BertWeightsTest)
#include "bert_weights_test.moc"
