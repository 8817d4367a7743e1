// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_text.h"

#include <QObject>
#include <QRegularExpression>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "ui/models/document_words.h"

namespace parapet::ui {
namespace {

constexpr std::array<std::pair<const char*, std::int64_t>, 4> kBinary{
    {{"TiB", std::int64_t{1} << 40},
     {"GiB", std::int64_t{1} << 30},
     {"MiB", std::int64_t{1} << 20},
     {"KiB", std::int64_t{1} << 10}}};
constexpr std::array<std::pair<const char*, std::int64_t>, 5> kDecimal{
    {{"TB", 1'000'000'000'000}, {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}, {"B", 1}}};
// Beyond it a double does not tell whole numbers apart.
constexpr double kMaxExact = 9007199254740992.0;

std::optional<std::int64_t> unitOf(std::string_view name) {
  for (const auto& [unit, bytes] : kBinary)
    if (name == unit) return bytes;
  for (const auto& [unit, bytes] : kDecimal)
    if (name == unit) return bytes;
  return std::nullopt;
}

QString exactText(std::int64_t bytes) {
  for (const auto& [unit, size] : kBinary)
    if (bytes >= size && bytes % size == 0)
      return QStringLiteral("%1 %2").arg(bytes / size).arg(QLatin1String(unit));
  return QString::number(bytes);
}

QString entryText(const nlohmann::ordered_json& value) {
  return value.is_number_integer() ? exactText(value.get<std::int64_t>()) : shownValue(value);
}

nlohmann::json entryOf(const QString& text) {
  const std::string typed = text.trimmed().toStdString();
  if (const auto whole = parseInt(typed)) return *whole;
  const std::size_t end = typed.find_last_of("0123456789.");
  if (end != std::string::npos) {
    const auto unit = unitOf(trim(std::string_view(typed).substr(end + 1)));
    const auto number = parseDouble(std::string_view(typed).substr(0, end + 1));
    if (unit && number) {
      const double bytes = *number * static_cast<double>(*unit);
      if (bytes >= 0.0 && bytes <= kMaxExact) return static_cast<std::int64_t>(std::llround(bytes));
    } else if (number && end + 1 == typed.size() && std::isfinite(*number)) {
      return *number;
    }
  }
  return typed;
}

using Json = nlohmann::ordered_json;
using Type = FieldInfo::Type;

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

QString shownBytes(const nlohmann::ordered_json& value) {
  if (!value.is_array()) return entryText(value);
  QStringList parts;
  for (const nlohmann::ordered_json& entry : value) parts << entryText(entry);
  const QString list = parts.join(QStringLiteral(", "));
  return parts.size() == 1 ? QStringLiteral("[%1]").arg(list) : list;
}

nlohmann::json typedBytes(const QString& text) {
  QString typed = text.trimmed();
  if (typed.isEmpty()) return nullptr;
  const bool brackets = typed.startsWith('[') && typed.endsWith(']');
  if (brackets) typed = typed.mid(1, typed.size() - 2);
  if (!brackets && !typed.contains(',')) return entryOf(typed);
  nlohmann::json list = nlohmann::json::array();
  for (const QString& part : typed.split(',', Qt::SkipEmptyParts))
    if (!part.trimmed().isEmpty()) list.push_back(entryOf(part));
  return list;
}

QString shownValue(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (!value.is_array()) return dumped(value);
  QStringList parts;
  for (const Json& entry : value) parts << shownValue(entry);
  return parts.join(", ");
}

QString shownSettings(const Json& value) {
  if (value.is_null()) return QObject::tr("experiment's");
  if (!value.is_object()) return shownValue(value);
  const QString kind = member(value, "kind");
  if (value.contains("learning_rate"))
    return QObject::tr("%1, rate %2").arg(kind, member(value, "learning_rate"));
  if (kind == "uniform")
    return QObject::tr("uniform %1 … %2").arg(member(value, "min"), member(value, "max"));
  if (value.contains("stddev"))
    return QObject::tr("%1 %2 ± %3")
        .arg(insideSentence(labelOf(kind)), member(value, "mean"), member(value, "stddev"));
  if (kind == "constant") return QObject::tr("constant %1").arg(member(value, "value"));
  if (kind == "variance_scaling")
    return QObject::tr("variance scaling %1").arg(member(value, "scale"));
  return insideSentence(labelOf(kind));
}

QString groupedDigits(const QString& text) {
  constexpr std::int64_t kFirst = 10'000;
  const auto number = parseInt(text.toStdString());
  return !number || (*number<kFirst&& * number> - kFirst)
             ? text
             : QString::fromStdString(formatCount(*number));
}

QString plainDigits(const QString& text) {
  static const QRegularExpression kGrouped(QStringLiteral("^-?[1-9][0-9]{0,2}(,[0-9]{3})+$"));
  return kGrouped.match(text).hasMatch() ? QString(text).remove(QLatin1Char(',')) : text;
}

nlohmann::json typedValue(const QString& text, const FieldInfo& info) {
  if (text.trimmed().isEmpty() && info.nullable) return nullptr;
  if (info.type == Type::kInteger) return typedScalar(plainDigits(text.trimmed()), info.type);
  if (info.type != Type::kList) return typedScalar(text, info.type);
  nlohmann::json list = nlohmann::json::array();
  for (const QString& part : text.split(',', Qt::SkipEmptyParts))
    if (!part.trimmed().isEmpty()) list.push_back(typedScalar(part, info.elements));
  return list;
}

}  // namespace parapet::ui
