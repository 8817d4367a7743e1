// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/setting_names.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/models/document_schema.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("SettingNames", text);
}

constexpr std::array kSections{
    QT_TRANSLATE_NOOP("SettingNames", "Experiment"),
    QT_TRANSLATE_NOOP("SettingNames", "Data"),
    QT_TRANSLATE_NOOP("SettingNames", "Tables & features"),
    QT_TRANSLATE_NOOP("SettingNames", "Model"),
    QT_TRANSLATE_NOOP("SettingNames", "Training"),
    QT_TRANSLATE_NOOP("SettingNames", "Devices & placement"),
};

int sectionOf(const QString& key) {
  if (key == QLatin1String("dataset")) return 1;
  if (key == QLatin1String("tables") || key == QLatin1String("features")) return 2;
  if (key == QLatin1String("model") || key == QLatin1String("loss") ||
      key == QLatin1String("heads"))
    return 3;
  if (key == QLatin1String("mesh") || key == QLatin1String("layout")) return 5;
  if (key == QLatin1String("name") || key == QLatin1String("parapet")) return 0;
  return 4;
}

/// Where the form says something else than the key.
QString formName(const QString& pointer) {
  static const std::pair<const char*, const char*> kNames[] = {
      {"/dataset/path", QT_TRANSLATE_NOOP("SettingNames", "File or folder")},
      {"/dataset/slice", QT_TRANSLATE_NOOP("SettingNames", "Rows to read")},
      {"/dataset/weight", QT_TRANSLATE_NOOP("SettingNames", "Weight column")},
      {"/dataset/label/column", QT_TRANSLATE_NOOP("SettingNames", "Label column")},
      {"/dataset/label/scale", QT_TRANSLATE_NOOP("SettingNames", "Label scale")},
      {"/dataset/generator/kind", QT_TRANSLATE_NOOP("SettingNames", "Generated")},
      {"/dataset/generator/seed", QT_TRANSLATE_NOOP("SettingNames", "Generator seed")},
      {"/dataset/k_core/user", QT_TRANSLATE_NOOP("SettingNames", "Min. rows per user")},
      {"/dataset/k_core/item", QT_TRANSLATE_NOOP("SettingNames", "Min. rows per item")},
      {"/dataset/batch/size", QT_TRANSLATE_NOOP("SettingNames", "Global batch size")},
      {"/dataset/batch/per_device", QT_TRANSLATE_NOOP("SettingNames", "Batch size per device")},
      {"/dataset/batch/shuffle", QT_TRANSLATE_NOOP("SettingNames", "Order of batches")},
      {"/dataset/batch/drop_remainder", QT_TRANSLATE_NOOP("SettingNames", "Drop a short batch")},
      {"/dataset/batch/cache", QT_TRANSLATE_NOOP("SettingNames", "Keep in memory")},
      {"/dataset/split/cold_users", QT_TRANSLATE_NOOP("SettingNames", "Split: unknown users")},
      {"/dataset/split/cold_items", QT_TRANSLATE_NOOP("SettingNames", "Split: unknown items")},
      {"/training/checkpoints/every", QT_TRANSLATE_NOOP("SettingNames", "Checkpoint every")},
      {"/training/checkpoints/keep",
       QT_TRANSLATE_NOOP("SettingNames", "Keep the last checkpoints")},
      {"/training/checkpoints/best", QT_TRANSLATE_NOOP("SettingNames", "Keep the best by")},
      {"/training/early_stopping/min_delta",
       QT_TRANSLATE_NOOP("SettingNames", "Early stopping: min. change")},
      {"/evaluation/k", QT_TRANSLATE_NOOP("SettingNames", "List lengths")},
      {"/evaluation/catalogue", QT_TRANSLATE_NOOP("SettingNames", "Lists: measured")},
      {"/evaluation/unit", QT_TRANSLATE_NOOP("SettingNames", "Lists: a query is")},
      {"/evaluation/sample", QT_TRANSLATE_NOOP("SettingNames", "Lists: queries drawn")},
      {"/evaluation/metrics", QT_TRANSLATE_NOOP("SettingNames", "Lists: metrics")},
      {"/evaluation/segments", QT_TRANSLATE_NOOP("SettingNames", "Lists: segments")},
      {"/evaluation/seen_pairs",
       QT_TRANSLATE_NOOP("SettingNames", "Lists: pairs known from training")},
      {"/evaluation/protocol", QT_TRANSLATE_NOOP("SettingNames", "Lists: protocol of a benchmark")},
      {"/reference/curve", QT_TRANSLATE_NOOP("SettingNames", "Published curve")},
  };
  for (const auto& [known, name] : kNames)
    if (pointer == QLatin1String(known)) return tr(name);
  return {};
}

/// "Table user", "Layer 2": an entry of a list by its own name, else by its number.
QString entryName(const QString& list, const QString& index, const nlohmann::ordered_json& entry) {
  QString noun = labelOf(list);
  if (list == QLatin1String("tables")) noun = tr("Table");
  if (list == QLatin1String("features")) noun = tr("Feature");
  if (list == QLatin1String("heads")) noun = tr("Head");
  if (list == QLatin1String("vocabularies")) noun = tr("Vocabulary");
  if (list == QLatin1String("columns")) noun = tr("Column");
  if (list == QLatin1String("layers")) noun = tr("Layer");
  if (list == QLatin1String("query")) noun = tr("Query layer");
  if (list == QLatin1String("candidate")) noun = tr("Candidate layer");
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

SettingName settingName(const std::string& pointer, const nlohmann::ordered_json& document) {
  const QString path = QString::fromStdString(pointer);
  QStringList keys = path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
  for (QString& key : keys)
    key.replace(QLatin1String("~1"), QLatin1String("/"))
        .replace(QLatin1String("~0"), QLatin1String("~"));
  if (keys.isEmpty()) return {tr(kSections[0]), tr("Document")};
  SettingName name{tr(kSections[static_cast<std::size_t>(sectionOf(keys.front()))]),
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
  // What a group is, is called by the name of the group.
  if (parts.size() > 1 && keys.back() == QLatin1String("kind")) parts.removeLast();
  for (qsizetype i = 1; i < parts.size(); ++i)
    if (!parts[i].isEmpty() && labelOf(keys.back()) == parts[i])
      parts[i][0] = parts[i][0].toLower();
  name.name = parts.join(QStringLiteral(": "));
  return name;
}

int sectionRank(const QString& section) {
  const auto found =
      std::ranges::find_if(kSections, [&](const char* known) { return tr(known) == section; });
  return static_cast<int>(found - kSections.begin());
}

}  // namespace parapet::ui
