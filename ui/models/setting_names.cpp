// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/setting_names.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/bridge/shown_text.h"
#include "ui/models/document_schema.h"
#include "ui/models/document_words.h"

namespace parapet::ui {
namespace {

struct Name {
  const char* word;
  const char* name;
};

/// Where the name is more than the word with spaces and a capital.
constexpr Name kNames[] = {
    {"mse", QT_TRANSLATE_NOOP("QObject", "Mean squared error")},
    {"bce", QT_TRANSLATE_NOOP("QObject", "Binary cross entropy")},
    {"bpr", QT_TRANSLATE_NOOP("QObject", "BPR")},
    {"sampled_bce", QT_TRANSLATE_NOOP("QObject", "Sampled binary cross entropy")},
    {"ccl", QT_TRANSLATE_NOOP("QObject", "Cosine contrastive")},
    {"in_batch_softmax", QT_TRANSLATE_NOOP("QObject", "In-batch softmax")},
    {"masked_lm", QT_TRANSLATE_NOOP("QObject", "Masked language model")},
    {"list_mle", QT_TRANSLATE_NOOP("QObject", "ListMLE")},
    {"pairwise_mse", QT_TRANSLATE_NOOP("QObject", "Pairwise squared error")},
    {"pairwise_soft_zero_one", QT_TRANSLATE_NOOP("QObject", "Pairwise soft 0/1")},
    {"adamw", QT_TRANSLATE_NOOP("QObject", "AdamW")},
    {"sgd", QT_TRANSLATE_NOOP("QObject", "SGD")},
    {"ftrl", QT_TRANSLATE_NOOP("QObject", "FTRL")},
    {"rowwise_adagrad", QT_TRANSLATE_NOOP("QObject", "Row-wise Adagrad")},
    {"relu", QT_TRANSLATE_NOOP("QObject", "ReLU")},
    {"gelu", QT_TRANSLATE_NOOP("QObject", "GELU")},
    {"gelu_tanh", QT_TRANSLATE_NOOP("QObject", "GELU (tanh)")},
    {"silu", QT_TRANSLATE_NOOP("QObject", "SiLU")},
    {"log1p", QT_TRANSLATE_NOOP("QObject", "log(1 + x)")},
    {"log_q", QT_TRANSLATE_NOOP("QObject", "Sampling correction (log Q)")},
    {"l2_normalize", QT_TRANSLATE_NOOP("QObject", "L2 normalize")},
    {"dot", QT_TRANSLATE_NOOP("QObject", "Dot product")},
    {"movielens", QT_TRANSLATE_NOOP("QObject", "MovieLens")},
    {"csv", QT_TRANSLATE_NOOP("QObject", "Text file (CSV, TSV)")},
    {"text", QT_TRANSLATE_NOOP("QObject", "Lines of text")},
    {"replicated", QT_TRANSLATE_NOOP("QObject", "Replicated")},
    {"row", QT_TRANSLATE_NOOP("QObject", "Row-wise (modulo)")},
    {"column", QT_TRANSLATE_NOOP("QObject", "Column-wise")},
    {"table", QT_TRANSLATE_NOOP("QObject", "Table-wise")},
    {"row_block", QT_TRANSLATE_NOOP("QObject", "Row-wise (block)")},
    {"sqrtn", QT_TRANSLATE_NOOP("QObject", "Sum / √n")},
    {"fp32", QT_TRANSLATE_NOOP("QObject", "fp32")},
    {"bf16", QT_TRANSLATE_NOOP("QObject", "bf16")},
    {"tf32", QT_TRANSLATE_NOOP("QObject", "tf32")},
};

constexpr std::array kSections{
    QT_TRANSLATE_NOOP("QObject", "Experiment"),
    QT_TRANSLATE_NOOP("QObject", "Data"),
    QT_TRANSLATE_NOOP("QObject", "Tables & features"),
    QT_TRANSLATE_NOOP("QObject", "Model"),
    QT_TRANSLATE_NOOP("QObject", "Training"),
    QT_TRANSLATE_NOOP("QObject", "Devices & placement"),
};

/// The step with the form.
int sectionOf(const QStringList& keys) {
  const QString& key = keys.front();
  if (key == QLatin1String("dataset")) return keys.value(1) == QLatin1String("batch") ? 4 : 1;
  if (key == QLatin1String("tables") || key == QLatin1String("features")) return 2;
  if (key == QLatin1String("model") || key == QLatin1String("loss") ||
      key == QLatin1String("optimizer") || key == QLatin1String("schedule"))
    return 3;
  if (key == QLatin1String("mesh") || key == QLatin1String("layout")) return 5;
  if (key == QLatin1String("name") || key == QLatin1String("parapet")) return 0;
  return 4;
}

/// Where the form says something else than the key.
QString formName(const QString& pointer) {
  static const std::pair<const char*, const char*> kForms[] = {
      {"/dataset/path", QT_TRANSLATE_NOOP("QObject", "File or folder")},
      {"/dataset/slice", QT_TRANSLATE_NOOP("QObject", "Rows to read")},
      {"/dataset/text/vocabulary", QT_TRANSLATE_NOOP("QObject", "WordPiece vocabulary")},
      {"/dataset/text/lowercase", QT_TRANSLATE_NOOP("QObject", "Lower case")},
      {"/dataset/text/min_bytes", QT_TRANSLATE_NOOP("QObject", "Min. bytes of a line")},
      {"/dataset/text/max_length", QT_TRANSLATE_NOOP("QObject", "Max. tokens of a sequence")},
      {"/dataset/max_rejected_share", QT_TRANSLATE_NOOP("QObject", "Max. rejected share")},
      {"/dataset/weight", QT_TRANSLATE_NOOP("QObject", "Weight column")},
      {"/dataset/label/column", QT_TRANSLATE_NOOP("QObject", "Label column")},
      {"/dataset/label/scale", QT_TRANSLATE_NOOP("QObject", "Label scale")},
      {"/dataset/generator/kind", QT_TRANSLATE_NOOP("QObject", "Generated")},
      {"/dataset/generator/seed", QT_TRANSLATE_NOOP("QObject", "Generator seed")},
      {"/dataset/k_core/user", QT_TRANSLATE_NOOP("QObject", "Min. rows per user")},
      {"/dataset/k_core/item", QT_TRANSLATE_NOOP("QObject", "Min. rows per item")},
      {"/dataset/batch/size", QT_TRANSLATE_NOOP("QObject", "Global batch size")},
      {"/dataset/batch/per_device", QT_TRANSLATE_NOOP("QObject", "Batch size per device")},
      {"/dataset/batch/shuffle", QT_TRANSLATE_NOOP("QObject", "Order of batches")},
      {"/dataset/batch/drop_remainder", QT_TRANSLATE_NOOP("QObject", "Drop a short batch")},
      {"/dataset/batch/cache", QT_TRANSLATE_NOOP("QObject", "Keep in memory")},
      {"/dataset/split/cold_users", QT_TRANSLATE_NOOP("QObject", "Split: unknown users")},
      {"/dataset/split/cold_items", QT_TRANSLATE_NOOP("QObject", "Split: unknown items")},
      {"/training/checkpoints/every", QT_TRANSLATE_NOOP("QObject", "Checkpoint every")},
      {"/training/checkpoints/keep", QT_TRANSLATE_NOOP("QObject", "Keep the last checkpoints")},
      {"/training/checkpoints/best", QT_TRANSLATE_NOOP("QObject", "Keep the best by")},
      {"/training/early_stopping/min_delta",
       QT_TRANSLATE_NOOP("QObject", "Early stopping: min. change")},
      {"/evaluation/k", QT_TRANSLATE_NOOP("QObject", "List lengths")},
      {"/evaluation/catalogue", QT_TRANSLATE_NOOP("QObject", "Lists: measured")},
      {"/evaluation/unit", QT_TRANSLATE_NOOP("QObject", "Lists: a query is")},
      {"/evaluation/sample", QT_TRANSLATE_NOOP("QObject", "Lists: queries drawn")},
      {"/evaluation/metrics", QT_TRANSLATE_NOOP("QObject", "Lists: metrics")},
      {"/evaluation/segments", QT_TRANSLATE_NOOP("QObject", "Lists: segments")},
      {"/evaluation/seen_pairs", QT_TRANSLATE_NOOP("QObject", "Lists: pairs known from training")},
      {"/evaluation/protocol", QT_TRANSLATE_NOOP("QObject", "Lists: protocol of a benchmark")},
      {"/reference/curve", QT_TRANSLATE_NOOP("QObject", "Published curve")},
  };
  for (const auto& [known, name] : kForms)
    if (pointer == QLatin1String(known)) return QObject::tr(name);
  return {};
}

/// "Table user", "Layer 2": an entry of a list by its own name, else by its number.
QString entryName(const QString& list, const QString& index, const nlohmann::ordered_json& entry) {
  QString noun = labelOf(list);
  if (list == QLatin1String("tables")) noun = QObject::tr("Table");
  if (list == QLatin1String("features")) noun = QObject::tr("Feature");
  if (list == QLatin1String("heads")) noun = QObject::tr("Head");
  if (list == QLatin1String("vocabularies")) noun = QObject::tr("Vocabulary");
  if (list == QLatin1String("columns")) noun = QObject::tr("Column");
  if (list == QLatin1String("layers")) noun = QObject::tr("Layer");
  if (list == QLatin1String("query")) noun = QObject::tr("Query layer");
  if (list == QLatin1String("candidate")) noun = QObject::tr("Candidate layer");
  if (entry.is_object() && entry.contains("name") && entry["name"].is_string())
    return QStringLiteral("%1 %2").arg(noun,
                                       QString::fromStdString(entry["name"].get<std::string>()));
  return QStringLiteral("%1 %2").arg(noun).arg(index.toInt() + 1);
}

const nlohmann::ordered_json* stepInto(const nlohmann::ordered_json* at, const QString& key) {
  if (!at) return nullptr;
  bool isIndex = false;
  const auto index = static_cast<std::size_t>(key.toUInt(&isIndex));
  if (at->is_array()) return isIndex && index < at->size() ? &(*at)[index] : nullptr;
  const std::string name = key.toStdString();
  return at->is_object() && at->contains(name) ? &(*at)[name] : nullptr;
}

}  // namespace

QString valueName(const QString& word) {
  for (const Name& each : kNames)
    if (word == QLatin1String(each.word)) return QObject::tr(each.name);
  static const QRegularExpression kWord(QStringLiteral("^[a-z][a-z0-9_]*$"));
  return kWord.match(word).hasMatch() ? wordName(word) : word;
}

QString leafName(const std::string& feature) {
  return shownText(feature).section(QLatin1Char('/'), -1);
}

SettingName settingName(const std::string& pointer, const nlohmann::ordered_json& document) {
  const QString path = QString::fromStdString(pointer);
  QStringList keys = path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
  for (QString& key : keys)
    key.replace(QLatin1String("~1"), QLatin1String("/"))
        .replace(QLatin1String("~0"), QLatin1String("~"));
  const QString whole = QObject::tr("Document");
  if (keys.isEmpty()) return {QObject::tr(kSections[0]), whole};
  SettingName name{QObject::tr(kSections[static_cast<std::size_t>(sectionOf(keys))]),
                   formName(path)};
  if (!name.name.isEmpty()) return name;
  QStringList parts;
  const nlohmann::ordered_json* at = &document;
  for (qsizetype i = 0; i < keys.size(); ++i) {
    at = stepInto(at, keys[i]);
    bool isIndex = false;
    keys[i].toUInt(&isIndex);
    if (isIndex && i > 0) {
      if (!parts.isEmpty()) parts.removeLast();
      parts << entryName(keys[i - 1], keys[i], at ? *at : nlohmann::ordered_json());
    } else {
      parts << labelOf(keys[i]);
    }
  }
  // The section says what the first key of these says.
  static const QStringList kSaidBySection{QStringLiteral("dataset"), QStringLiteral("training"),
                                          QStringLiteral("model"), QStringLiteral("mesh")};
  if (parts.size() > 1 && kSaidBySection.contains(keys.front())) parts.removeFirst();
  // The kind of a group is called by the name of the group.
  if (parts.size() > 1 && keys.back() == QLatin1String("kind")) parts.removeLast();
  for (qsizetype i = 1; i < parts.size(); ++i)
    if (!parts[i].isEmpty() && labelOf(keys.back()) == parts[i])
      parts[i] = insideSentence(parts[i].left(1)) + parts[i].mid(1);
  name.name = parts.join(QStringLiteral(": "));
  return name;
}

int sectionRank(const QString& section) {
  const auto found = std::ranges::find_if(
      kSections, [&](const char* known) { return QObject::tr(known) == section; });
  return static_cast<int>(found - kSections.begin());
}

}  // namespace parapet::ui
