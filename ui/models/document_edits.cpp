// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_edits.h"

#include <QStringList>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/other_kind.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

Json fullOf(const Json& document) {
  return experiment::toJson(experiment::parse(nlohmann::json(document)).experiment);
}

/// `full` says order and defaults, `given` says values; where they disagree `given` stays.
Json overlay(const Json& full, const Json& given) {
  if (given.is_object()) {
    const bool known = full.is_object();
    Json merged = Json::object();
    if (known)
      for (const auto& [key, value] : full.items())
        merged[key] = given.contains(key) ? overlay(value, given[key]) : value;
    for (const auto& [key, value] : given.items())
      if (!merged.contains(key)) merged[key] = value;
    return merged;
  }
  if (given.is_array()) {
    Json merged = Json::array();
    for (std::size_t index = 0; index < given.size(); ++index) {
      const bool known = full.is_array() && index < full.size();
      merged.push_back(known ? overlay(full[index], given[index]) : given[index]);
    }
    return merged;
  }
  // 5.0 and 5 are equal, and the canonical one of them is taken.
  return full == given ? full : given;
}

std::vector<std::string> tokensOf(const QString& pointer) {
  if (pointer.isEmpty()) return {};
  if (!pointer.startsWith('/'))
    throw InvalidArgument("document: \"" + pointer.toStdString() + "\" is no JSON pointer");
  std::vector<std::string> tokens;
  for (QString token : pointer.mid(1).split('/'))
    tokens.push_back(token.replace("~1", "/").replace("~0", "~").toStdString());
  return tokens;
}

/// The position that a token names in an array of this size; the end counts.
std::optional<std::size_t> positionOf(const std::string& token, std::size_t size) {
  const auto number = parseInt(token);
  if (!number || *number < 0 || static_cast<std::size_t>(*number) > size) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

Json& childOf(Json& node, const std::string& token) {
  if (node.is_array())
    if (const auto position = positionOf(token, node.size())) {
      if (*position == node.size()) node.push_back(nullptr);
      return node[*position];
    }
  if (!node.is_object()) node = Json::object();
  return node[token];
}

Json& makeNode(Json& document, const QString& pointer) {
  Json* node = &document;
  for (const std::string& token : tokensOf(pointer)) node = &childOf(*node, token);
  return *node;
}

void assignSelector(Json& document, const QString& parent, const std::string& selector,
                    const Json& kind) {
  Json& object = makeNode(document, parent);
  if (!object.is_object() || !object.contains(selector)) {
    makeNode(document, parent + '/' + QString::fromStdString(selector)) = kind;
    return;
  }
  object =
      experiment::ofOtherKind(document, Json::json_pointer(parent.toStdString()), selector, kind)
          .object;
}

}  // namespace

Json completed(const Json& document) {
  return document.is_object() ? overlay(fullOf(document), document) : document;
}

const Json* find(const Json& document, const QString& pointer) {
  const Json* node = &document;
  for (const std::string& token : tokensOf(pointer)) {
    if (node->is_object()) {
      const auto member = node->find(token);
      if (member == node->end()) return nullptr;
      node = &*member;
    } else if (node->is_array()) {
      const auto position = positionOf(token, node->size());
      if (!position || *position == node->size()) return nullptr;
      node = &(*node)[*position];
    } else {
      return nullptr;
    }
  }
  return node;
}

void assign(Json& document, const QString& pointer, const Json& value) {
  const qsizetype slash = pointer.lastIndexOf('/');
  const QString key = pointer.mid(slash + 1);
  if (slash >= 0 && (key == "kind" || key == "source")) {
    assignSelector(document, pointer.left(slash), key.toStdString(), value);
  } else {
    makeNode(document, pointer) = value;
  }
}

void insertAt(Json& document, const QString& arrayPointer, int index, const Json& value) {
  Json& array = makeNode(document, arrayPointer);
  if (!array.is_array()) array = Json::array();
  const int position = std::clamp(index, 0, static_cast<int>(array.size()));
  array.insert(array.begin() + position, value);
}

void removeAt(Json& document, const QString& arrayPointer, int index) {
  Json& array = makeNode(document, arrayPointer);
  if (array.is_array() && index >= 0 && index < static_cast<int>(array.size()))
    array.erase(static_cast<std::size_t>(index));
}

void moveAt(Json& document, const QString& arrayPointer, int from, int to) {
  Json& array = makeNode(document, arrayPointer);
  const int size = array.is_array() ? static_cast<int>(array.size()) : 0;
  if (std::min(from, to) < 0 || std::max(from, to) >= size) return;
  const auto begin = array.begin();
  if (from < to) {
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  } else {
    std::rotate(begin + to, begin + from, begin + from + 1);
  }
}

QString elementPointer(const QString& arrayPointer, int index) {
  return arrayPointer + '/' + QString::number(index);
}

QString textOf(const Json& document) {
  return QString::fromStdString(document.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace parapet::ui
