// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_schema.h"

#include <QObject>
#include <nlohmann/json.hpp>

#include "engine/experiment/experiment.h"
#include "ui/models/document_words.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;
using Type = FieldInfo::Type;

/// Past "or null": the alternatives that hold a value.
std::vector<const Json*> alternativesOf(const Json& node, bool* nullable = nullptr) {
  if (!node.contains("anyOf")) return {&node};
  std::vector<const Json*> found;
  for (const Json& alternative : node["anyOf"]) {
    if (alternative.value("type", "") == "null") {
      if (nullable != nullptr) *nullable = true;
    } else {
      found.push_back(&alternative);
    }
  }
  return found;
}

const Json* schemaAt(const QString& pointer) {
  static const Json root = experiment::schema();
  const Json* node = &root;
  for (const QString& token : pointer.split('/', Qt::SkipEmptyParts)) {
    const Json* next = nullptr;
    for (const Json* alternative : alternativesOf(*node)) {
      const std::string key = token.toStdString();
      if (alternative->contains("items")) next = &(*alternative)["items"];
      if (alternative->contains("properties") && (*alternative)["properties"].contains(key))
        next = &(*alternative)["properties"][key];
    }
    if (next == nullptr) return nullptr;
    node = next;
  }
  return node;
}

/// The units of numbers; by the end of their pointers.
constexpr struct {
  const char* setting;
  const char* unit;
} kUnits[] = {
    {"/batch/size", QT_TRANSLATE_NOOP("QObject", "examples")},
    {"/batch/per_device", QT_TRANSLATE_NOOP("QObject", "examples")},
    {"/batch/group_size", QT_TRANSLATE_NOOP("QObject", "rows of a user")},
    {"/batch/window", QT_TRANSLATE_NOOP("QObject", "rows")},
    {"/batch/replay_batches", QT_TRANSLATE_NOOP("QObject", "batches")},
    {"/training/epochs", QT_TRANSLATE_NOOP("QObject", "epochs")},
    {"/training/validate_every", QT_TRANSLATE_NOOP("QObject", "epochs")},
    {"/early_stopping/patience", QT_TRANSLATE_NOOP("QObject", "validations")},
    {"/checkpoints/every", QT_TRANSLATE_NOOP("QObject", "epochs")},
    {"/checkpoints/keep", QT_TRANSLATE_NOOP("QObject", "checkpoints")},
    {"/evaluation/sample", QT_TRANSLATE_NOOP("QObject", "queries")},
    {"/generator/events", QT_TRANSLATE_NOOP("QObject", "rows")},
    {"/text/min_bytes", QT_TRANSLATE_NOOP("QObject", "bytes")},
    {"/text/max_length", QT_TRANSLATE_NOOP("QObject", "tokens")},
    {"/warmup_steps", QT_TRANSLATE_NOOP("QObject", "steps")},
    {"/decay_steps", QT_TRANSLATE_NOOP("QObject", "steps")},
    {"/accumulate_steps", QT_TRANSLATE_NOOP("QObject", "steps")},
};

QString unitOf(const QString& pointer) {
  for (const auto& [setting, unit] : kUnits)
    if (pointer.endsWith(QLatin1String(setting))) return QObject::tr(unit);
  return {};
}

Type typeOf(const Json& node) {
  const std::string type = node.value("type", "");
  if (node.contains("enum")) return Type::kWord;
  if (type == "integer") return Type::kInteger;
  if (type == "number") return Type::kNumber;
  if (type == "boolean") return Type::kFlag;
  if (type == "array") return Type::kList;
  return type == "object" ? Type::kObject : Type::kText;
}

void readRange(FieldInfo& info, const Json& node) {
  const auto bound = [&node](const char* key) {
    return node.contains(key) ? std::optional(node[key].get<double>()) : std::nullopt;
  };
  const auto shown = [](double value) { return QString::number(value, 'g', 12); };
  info.min = bound("minimum");
  info.max = bound("maximum");
  QStringList parts;
  if (info.min && info.max) {
    parts << QObject::tr("%1 … %2").arg(shown(*info.min), shown(*info.max));
  } else if (info.min) {
    parts << QObject::tr("at least %1").arg(shown(*info.min));
  } else if (info.max) {
    parts << QObject::tr("at most %1").arg(shown(*info.max));
  }
  if (const auto above = bound("exclusiveMinimum"))
    parts << QObject::tr("above %1").arg(shown(*above));
  if (const auto below = bound("exclusiveMaximum"))
    parts << QObject::tr("below %1").arg(shown(*below));
  info.range = parts.join(QObject::tr(" and "));
}

void readValue(FieldInfo& info, const Json& node) {
  info.type = typeOf(node);
  if (node.contains("enum"))
    for (const Json& word : node["enum"])
      info.words << QString::fromStdString(word.get<std::string>());
  readRange(info, node);
  if (info.type == Type::kList && node.contains("items")) info.elements = typeOf(node["items"]);
}

}  // namespace

QString FieldInfo::toolTip() const {
  QStringList lines{meaning};
  if (!range.isEmpty()) lines << QObject::tr("Accepted: %1.").arg(range);
  if (nullable) lines << QObject::tr("May be left empty.");
  return lines.join('\n');
}

FieldInfo fieldInfo(const QString& pointer) {
  FieldInfo info;
  const Json* node = schemaAt(pointer);
  if (node == nullptr) return info;
  info.unit = unitOf(pointer);
  info.isCount = !pointer.endsWith(QLatin1String("seed"));
  info.meaning = QString::fromStdString(node->value("description", ""));
  const std::vector<const Json*> alternatives = alternativesOf(*node, &info.nullable);
  if (alternatives.empty()) return info;
  readValue(info, *alternatives.front());
  for (std::size_t index = 1; index < alternatives.size(); ++index) {
    FieldInfo other;
    readValue(other, *alternatives[index]);
    // One value for all, or a list of them: typed as the value is.
    if (other.type == Type::kList && info.type == other.elements) {
      info.range = info.range.isEmpty() ? QObject::tr("a list")
                                        : QObject::tr("%1, or a list").arg(info.range);
      continue;
    }
    info.words << other.words;
    const bool mixed = (info.type == Type::kWord) != (other.type == Type::kWord);
    info.type = mixed ? Type::kWordOrNumber : Type::kNumber;
    info.range =
        info.range.isEmpty() ? other.range : QObject::tr("%1, or %2").arg(info.range, other.range);
  }
  if (!info.words.isEmpty())
    info.range = info.words.join(", ") + (info.range.isEmpty() ? "" : ", " + info.range);
  return info;
}

QStringList fieldKeys(const QString& pointer) {
  QStringList keys;
  const Json* node = schemaAt(pointer);
  if (node == nullptr) return keys;
  for (const Json* alternative : alternativesOf(*node))
    if (alternative->contains("properties"))
      for (const auto& [key, value] : (*alternative)["properties"].items())
        keys << QString::fromStdString(key);
  return keys;
}

QString labelOf(const QString& key) {
  if (key == QLatin1String("log_q")) return QObject::tr("Log-Q correction");
  if (key == QLatin1String("glu")) return QObject::tr("GLU");
  return wordName(key);
}

}  // namespace parapet::ui
