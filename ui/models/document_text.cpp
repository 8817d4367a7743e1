// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_text.h"

#include <QCoreApplication>
#include <cmath>

#include "engine/base/text.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;
using Type = FieldInfo::Type;

QString tr(const char* text) {
  return QCoreApplication::translate("DocumentText", text);
}

QString dumped(const Json& value) {
  return QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

QString member(const Json& value, const char* key) {
  return value.contains(key) ? shownValue(value[key]) : QString();
}

nlohmann::json typedScalar(const QString& text, Type type) {
  const std::string trimmed = text.trimmed().toStdString();
  if (type == Type::kInteger || type == Type::kNumber || type == Type::kWordOrNumber) {
    if (const auto whole = parseInt(trimmed)) return *whole;
    if (const auto number = parseDouble(trimmed); number && std::isfinite(*number)) return *number;
    // A number that may also be an object is shown as JSON, and typed so.
    if (trimmed.starts_with('{'))
      if (auto object = nlohmann::json::parse(trimmed, nullptr, false); object.is_object())
        return object;
  }
  if (type == Type::kFlag && (trimmed == "true" || trimmed == "false")) return trimmed == "true";
  return trimmed;
}

}  // namespace

QString shownValue(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (!value.is_array()) return dumped(value);
  QStringList parts;
  for (const Json& entry : value) parts << shownValue(entry);
  return parts.join(", ");
}

QString shownSettings(const Json& value) {
  if (value.is_null()) return tr("experiment's");
  if (!value.is_object()) return shownValue(value);
  const QString kind = member(value, "kind");
  if (value.contains("learning_rate"))
    return tr("%1, rate %2").arg(kind, member(value, "learning_rate"));
  if (kind == "uniform")
    return tr("uniform %1 … %2").arg(member(value, "min"), member(value, "max"));
  if (value.contains("stddev"))
    return tr("%1 %2 ± %3")
        .arg(labelOf(kind).toLower(), member(value, "mean"), member(value, "stddev"));
  if (kind == "constant") return tr("constant %1").arg(member(value, "value"));
  if (kind == "variance_scaling") return tr("variance scaling %1").arg(member(value, "scale"));
  return labelOf(kind).toLower();
}

nlohmann::json typedValue(const QString& text, const FieldInfo& info) {
  if (text.trimmed().isEmpty() && info.nullable) return nullptr;
  if (info.type != Type::kList) return typedScalar(text, info.type);
  nlohmann::json list = nlohmann::json::array();
  for (const QString& part : text.split(',', Qt::SkipEmptyParts))
    if (!part.trimmed().isEmpty()) list.push_back(typedScalar(part, info.elements));
  return list;
}

}  // namespace parapet::ui
