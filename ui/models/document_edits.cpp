// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_edits.h"

#include <QStringList>
#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/other_kind.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

bool isSelector(const std::string& key) {
  return key == "kind" || key == "source";
}

/// Objects and lists of objects with nothing in them but what selects their kind.
Json skeleton(const Json& value) {
  if (value.is_object()) {
    Json bare = Json::object();
    for (const auto& [key, child] : value.items())
      if (isSelector(key) || child.is_object() || (child.is_array() && !child.empty()))
        bare[key] = skeleton(child);
    return bare;
  }
  if (!value.is_array()) return value;
  Json bare = Json::array();
  for (const Json& child : value) bare.push_back(skeleton(child));
  return bare;
}

/// The settings of `value` beyond `defaults`, which the program fills in by itself.
Json beyond(const Json& value, const Json& defaults, const QString& pointer,
            const QStringList& kept) {
  if (value.is_array()) {
    Json left = Json::array();
    for (std::size_t index = 0; index < value.size(); ++index) {
      const bool known = defaults.is_array() && index < defaults.size();
      left.push_back(known ? beyond(value[index], defaults[index],
                                    elementPointer(pointer, static_cast<int>(index)), kept)
                           : value[index]);
    }
    return left;
  }
  if (!value.is_object() || !defaults.is_object()) return value;
  Json left = Json::object();
  for (const auto& [key, child] : value.items()) {
    const QString at = pointer + '/' + QString::fromStdString(key);
    const auto given = defaults.find(key);
    const bool isKept = std::ranges::any_of(
        kept, [&at](const QString& each) { return each == at || each.startsWith(at + '/'); });
    if (given == defaults.end() || isKept || isSelector(key) || child.is_structured() ||
        child != *given)
      left[key] = given == defaults.end() ? child : beyond(child, *given, at, kept);
  }
  return left;
}

/// Drops objects of which nothing is left, inside out. Those that may be null stay: an empty one
/// means something else than none.
void dropEmpty(Json& value, const Json& defaults) {
  if (!value.is_object() || !defaults.is_object()) return;
  std::vector<std::string> gone;
  for (auto& [key, child] : value.items()) {
    const auto given = defaults.find(key);
    if (given == defaults.end()) continue;
    dropEmpty(child, *given);
    if (given->is_object() && child.is_object() && child.empty()) gone.push_back(key);
  }
  for (const std::string& key : gone) value.erase(key);
}

// As deep as documents may nest; the stack is the reader's.
constexpr int kDeepest = 64;

/// Walks over a text once and notes where values begin. It does not judge the text: it goes on as
/// long as brackets, quotes and commas stand where they should, and stops where they do not.
class Scanner {
 public:
  explicit Scanner(const QString& text) : text_(text) {}

  QHash<QString, int> scan() {
    value({}, 0);
    return std::move(lines_);
  }

 private:
  [[nodiscard]] QChar here() const { return at_ < text_.size() ? text_[at_] : QChar(); }
  void skipSpace() {
    for (; at_ < text_.size() && text_[at_].isSpace(); ++at_)
      if (text_[at_] == '\n') ++line_;
  }
  bool take(QChar wanted) {
    skipSpace();
    if (here() != wanted) return false;
    ++at_;
    return true;
  }
  QString string() {
    const qsizetype begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    QString read = text_.mid(begin, at_ - begin);
    if (here() == '"') ++at_;
    return read;
  }
  bool value(const QString& pointer, int depth) {
    skipSpace();
    if (at_ >= text_.size() || depth > kDeepest) return false;
    lines_.insert(pointer, line_);
    if (here() == '{') return members(pointer, depth);
    if (here() == '[') return elements(pointer, depth);
    if (here() == '"') {
      string();
      return true;
    }
    const qsizetype begin = at_;
    while (at_ < text_.size() && (text_[at_].isLetterOrNumber() || QString("+-.").contains(here())))
      ++at_;
    return at_ > begin;
  }
  bool members(const QString& pointer, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      skipSpace();
      if (here() != '"') return false;
      const QString key = string().replace("~", "~0").replace("/", "~1");
      if (!take(':') || !value(pointer + '/' + key, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }
  bool elements(const QString& pointer, int depth) {
    ++at_;
    if (take(']')) return true;
    int index = 0;
    do {
      if (!value(pointer + '/' + QString::number(index++), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  const QString& text_;
  qsizetype at_ = 0;
  int line_ = 1;
  QHash<QString, int> lines_;
};

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

nlohmann::ordered_json withoutDefaults(const nlohmann::ordered_json& document,
                                       const QStringList& kept) {
  if (!document.is_object()) return document;
  Json folded = beyond(document, completed(skeleton(document)), {}, kept);
  if (completed(folded) != document) return document;
  Json shorter = folded;
  dropEmpty(shorter, completed(Json{{"name", ""}}));
  return completed(shorter) == document ? shorter : folded;
}

QHash<QString, int> jsonLocations(const QString& text) {
  return Scanner(text).scan();
}

int lineOf(const QHash<QString, int>& lines, QString pointer) {
  while (!lines.contains(pointer) && !pointer.isEmpty()) pointer.truncate(pointer.lastIndexOf('/'));
  return lines.value(pointer, 1);
}

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
