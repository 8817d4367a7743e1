// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/json_view.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <algorithm>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/document_edits.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Long enough that a word is typed at one go, short enough to feel live.
constexpr int kTypingPauseMs = 400;
constexpr int kMarkWidth = 20, kPartWidth = 3;

class Gutter : public QWidget {
 public:
  explicit Gutter(JsonView* view) : QWidget(view), view_(view) {}
  [[nodiscard]] QSize sizeHint() const override { return {view_->gutterWidth(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { view_->paintGutter(event); }

 private:
  JsonView* view_;
};

}  // namespace

/// Keys, texts, numbers and words of JSON, in colours that the palette's base can bear.
class JsonHighlighter : public QSyntaxHighlighter {
 public:
  JsonHighlighter(QTextDocument* document, const QPalette& palette) : QSyntaxHighlighter(document) {
    setPalette(palette);
  }
  void setPalette(const QPalette& palette) {
    const bool dark = palette.color(QPalette::Base).lightness() < 128;
    // Each at least 4.5 : 1 against black or white.
    key_.setForeground(QColor(dark ? "#7cb7ff" : "#0b57a4"));
    string_.setForeground(QColor(dark ? "#9ccc7a" : "#2e6b1f"));
    number_.setForeground(QColor(dark ? "#e0a86e" : "#8f4a00"));
    word_.setForeground(QColor(dark ? "#c99af0" : "#7a2ea0"));
    rehighlight();
  }

 protected:
  void highlightBlock(const QString& text) override {
    static const QRegularExpression token(
        R"re(("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b)re");
    for (auto matches = token.globalMatch(text); matches.hasNext();) {
      const QRegularExpressionMatch match = matches.next();
      const auto color = [&](int group, const QTextCharFormat& format) {
        setFormat(static_cast<int>(match.capturedStart(group)),
                  static_cast<int>(match.capturedLength(group)), format);
      };
      if (match.capturedLength(1) > 0) {
        color(1, match.capturedLength(2) > 0 ? key_ : string_);
      } else if (match.capturedLength(3) > 0) {
        color(3, number_);
      } else {
        color(4, word_);
      }
    }
  }

 private:
  QTextCharFormat key_, string_, number_, word_;
};

JsonView::JsonView(ExperimentEditor& editor, QWidget* parent)
    : QPlainTextEdit(parent), editor_(editor), gutter_(new Gutter(this)) {
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(true);
  setAccessibleName(tr("Document as JSON"));
  setToolTip(tr("The whole experiment. Typing here changes the form."));
  highlighter_ = new JsonHighlighter(document(), palette());
  callAfterPause(pause_, kTypingPauseMs, this, &JsonView::commit);
  connect(this, &QPlainTextEdit::textChanged, this, [this] {
    // A change of colours counts as one of the text.
    if (replacing_ || toPlainText() == given_) return;
    typed_ = true;
    pause_.start();
  });
  connect(this, &QPlainTextEdit::blockCountChanged, this,
          [this] { setViewportMargins(gutterWidth(), 0, 0, 0); });
  connect(this, &QPlainTextEdit::updateRequest, gutter_, [this](const QRect& rect, int dy) {
    dy != 0 ? gutter_->scroll(0, dy)
            : gutter_->update(0, rect.y(), gutter_->width(), rect.height());
  });
  connect(&editor_, &ExperimentEditor::documentChanged, this, &JsonView::follow);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &JsonView::followFindings);
  setViewportMargins(gutterWidth(), 0, 0, 0);
  follow();
  followFindings();
}

void JsonView::commit() {
  pause_.stop();
  if (!std::exchange(typed_, false)) return;
  committing_ = true;
  editor_.setText(toPlainText());
  committing_ = false;
}

void JsonView::follow() {
  // Folding parses the document a few times; nobody sees it in a closed drawer.
  if (!committing_ && isVisible()) replaceText(shownText());
}

QString JsonView::shownText() const {
  if (showsDefaults_ || editor_.draftError()) return editor_.text();
  QStringList kept;
  for (const auto& problem : editor_.findings().problems)
    kept << QString::fromStdString(problem.pointer);
  for (const auto& warning : editor_.findings().warnings)
    kept << QString::fromStdString(warning.pointer);
  return textOf(withoutDefaults(editor_.document(), kept));
}

void JsonView::setShowsDefaults(bool shows) {
  if (pause_.isActive()) commit();
  showsDefaults_ = shows;
  follow();
  followFindings();
}

void JsonView::markParts(const QStringList& pointers) {
  partPointers_ = pointers;
  findParts();
}

void JsonView::findParts() {
  parts_.clear();
  for (const QString& pointer : partPointers_) {
    const auto first = lines_.constFind(pointer);
    if (first == lines_.constEnd()) continue;
    // Up to the next value that is none of its own.
    int next = blockCount();
    for (auto line = lines_.constBegin(); line != lines_.constEnd(); ++line)
      if (line.value() > *first && !line.key().startsWith(pointer + '/'))
        next = std::min(next, line.value());
    parts_.emplace_back(*first, next - 1);
  }
  gutter_->update();
}

bool JsonView::isMarkedPart(int line) const {
  return std::ranges::any_of(
      parts_, [line](const auto& part) { return part.first <= line && line <= part.second; });
}

void JsonView::replaceText(const QString& text) {
  pause_.stop();
  typed_ = false;
  given_ = text;
  const QString now = toPlainText();
  if (now == text) return;
  const qsizetype shorter = std::min(now.size(), text.size());
  const auto same = std::mismatch(now.begin(), now.begin() + shorter, text.begin()).first;
  const qsizetype head = same - now.begin();
  qsizetype tail = 0;
  while (tail < shorter - head && now[now.size() - 1 - tail] == text[text.size() - 1 - tail])
    ++tail;
  replacing_ = true;
  QTextCursor change(document());
  change.setPosition(static_cast<int>(head));
  change.setPosition(static_cast<int>(now.size() - tail), QTextCursor::KeepAnchor);
  change.insertText(text.mid(head, text.size() - head - tail));
  // The history of the experiment takes over from the one of the text.
  document()->clearUndoRedoStacks();
  replacing_ = false;
}

void JsonView::followFindings() {
  if (!isVisible()) return;
  lines_ = jsonLocations(toPlainText());
  findParts();
  marks_.clear();
  if (const auto& error = editor_.draftError(); error && error->line)
    marks_[static_cast<int>(*error->line)] = Severity::kProblem;
  if (!editor_.draftError()) {
    for (const auto& warning : editor_.findings().warnings)
      marks_[lineOf(lines_, QString::fromStdString(warning.pointer))] = Severity::kWarning;
    for (const auto& problem : editor_.findings().problems)
      marks_[lineOf(lines_, QString::fromStdString(problem.pointer))] = Severity::kProblem;
  }
  QList<QTextEdit::ExtraSelection> lines;
  for (auto mark = marks_.begin(); mark != marks_.end(); ++mark) {
    QTextEdit::ExtraSelection line;
    QColor tint = severityColor(palette(), mark.value());
    tint.setAlpha(45);
    line.format.setBackground(tint);
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    line.cursor = QTextCursor(document()->findBlockByNumber(mark.key() - 1));
    lines << line;
  }
  setExtraSelections(lines);
  gutter_->update();
}

void JsonView::showPointer(const QString& pointer) {
  const QTextBlock block = document()->findBlockByNumber(lineOf(lines_, pointer) - 1);
  if (!block.isValid()) return;
  setTextCursor(QTextCursor(block));
  centerCursor();
}

int JsonView::gutterWidth() const {
  const auto digits = static_cast<int>(QString::number(std::max(blockCount(), 100)).size());
  return kMarkWidth + digits * fontMetrics().horizontalAdvance('9') + 8;
}

void JsonView::paintGutter(QPaintEvent* event) {
  QPainter painter(gutter_);
  painter.fillRect(event->rect(), palette().color(QPalette::AlternateBase));
  painter.setFont(font());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  QTextBlock block = firstVisibleBlock();
  QRectF rect = blockBoundingGeometry(block).translated(contentOffset());
  for (; block.isValid() && rect.top() <= event->rect().bottom(); block = block.next()) {
    const int line = block.blockNumber() + 1;
    const int top = static_cast<int>(rect.top());
    const int height = fontMetrics().height();
    if (isMarkedPart(line))
      painter.fillRect(QRectF(gutter_->width() - kPartWidth, rect.top(), kPartWidth, rect.height()),
                       palette().color(QPalette::Highlight));
    painter.drawText(0, top, gutter_->width() - 8, height, Qt::AlignRight, QString::number(line));
    severityIcon(palette(), marks_.value(line, Severity::kNone))
        .paint(&painter, 2, top + (height - 14) / 2, 14, 14);
    rect.translate(0, rect.height());
    rect.setHeight(blockBoundingRect(block.next()).height());
  }
}

bool JsonView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool undoes = key->matches(QKeySequence::Undo) && !document()->isUndoAvailable();
    const bool redoes = key->matches(QKeySequence::Redo) && !document()->isRedoAvailable();
    if (undoes || redoes) {
      event->ignore();
      return true;
    }
  }
  return QPlainTextEdit::event(event);
}

void JsonView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  const QRect area = contentsRect();
  gutter_->setGeometry(area.left(), area.top(), gutterWidth(), area.height());
}

void JsonView::showEvent(QShowEvent* event) {
  QPlainTextEdit::showEvent(event);
  follow();
  followFindings();
}

void JsonView::focusOutEvent(QFocusEvent* event) {
  QPlainTextEdit::focusOutEvent(event);
  if (pause_.isActive()) commit();
  if (!editor_.draftError() && event->reason() != Qt::PopupFocusReason) {
    replaceText(shownText());
    followFindings();
  }
}

void JsonView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
    highlighter_->setPalette(palette());
    followFindings();
  }
}

JsonDrawer::JsonDrawer(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      view_(new JsonView(editor, this)),
      defaults_(new QCheckBox(tr("Show defaults"), this)),
      draftBar_(new QWidget(this)),
      draftText_(new QLabel(this)) {
  setObjectName(QStringLiteral("jsonDrawer"));
  constexpr int kColumns = 44;  // lines of usual length
  view_->setMinimumWidth(kColumns * view_->fontMetrics().averageCharWidth());
  defaults_->setAccessibleName(defaults_->text());
  defaults_->setToolTip(tr("Shows the settings that stand at their default, too"));
  connect(defaults_, &QCheckBox::toggled, view_, &JsonView::setShowsDefaults);
  auto* close = closeButton(tr("Close the JSON"), tr("Closes the drawer (F4)"), this);
  connect(close, &QToolButton::clicked, this, &JsonDrawer::closeRequested);
  auto* head = horizontalBox(nullptr, 8);
  head->addWidget(
      titleWithSign(headingLabel(tr("Document")), QStringLiteral("docs/experiment.md")));
  head->addStretch(1);
  head->addWidget(defaults_);
  head->addWidget(close);
  auto* line = horizontalBox(draftBar_);
  draftText_->setWordWrap(true);
  line->addWidget(draftText_, 1);
  auto* discard = new QPushButton(tr("Discard"), draftBar_);
  discard->setToolTip(tr("Discards what was typed since the last valid JSON"));
  discard->setAccessibleName(tr("Discard the typed text"));
  connect(discard, &QPushButton::clicked, this,
          [this] { editor_.setText(textOf(editor_.document())); });
  line->addWidget(discard, 0, Qt::AlignTop);
  auto* layout = verticalBox(this, 8, {8, 4, 16, 0});
  layout->addLayout(head);
  layout->addWidget(draftBar_);
  layout->addWidget(view_, 1);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &JsonDrawer::followFindings);
  followFindings();
}

void JsonDrawer::followStep(const QStringList& prefixes) {
  view_->markParts(prefixes);
  if (!prefixes.isEmpty()) view_->showPointer(prefixes.front());
}

void JsonDrawer::followFindings() {
  const auto& draft = editor_.draftError();
  draftBar_->setVisible(draft.has_value());
  if (draft)
    draftText_->setText(tr("The text is not valid JSON; the steps show the last valid one. %1")
                            .arg(shownText(draft->message)));
}

}  // namespace parapet::ui
