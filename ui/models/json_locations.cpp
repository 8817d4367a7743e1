// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/json_locations.h"

namespace parapet::ui {
namespace {

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

}  // namespace

QHash<QString, int> jsonLocations(const QString& text) {
  return Scanner(text).scan();
}

int lineOf(const QHash<QString, int>& lines, QString pointer) {
  while (!lines.contains(pointer) && !pointer.isEmpty()) pointer.truncate(pointer.lastIndexOf('/'));
  return lines.value(pointer, 1);
}

}  // namespace parapet::ui
