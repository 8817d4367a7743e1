// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/tour.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPen>
#include <array>

#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMargin = 4;  ///< between a widget and its frame

struct Step {
  const char* page;    ///< for MainWindow::showPage()
  const char* widget;  ///< object name of what is framed; "" for the page
  const char* title;
  const char* text;
};

constexpr std::array kSteps{
    Step{"home", "dataCard", QT_TRANSLATE_NOOP("parapet::ui::Tour", "Your data"),
         QT_TRANSLATE_NOOP("parapet::ui::Tour",
                           "Drop a table of users and items here: CSV, Parquet, JSON, or a folder. "
                           "A recipe below shows a finished experiment.")},
    Step{"experiment/data", "dataSteps", QT_TRANSLATE_NOOP("parapet::ui::Tour", "What was read"),
         QT_TRANSLATE_NOOP("parapet::ui::Tour",
                           "Preview shows the rows and the role of each column. Parapet proposes a "
                           "model for your data, with reasons; you can edit all of it.")},
    Step{"experiment", "run.run.button", QT_TRANSLATE_NOOP("parapet::ui::Tour", "Run"),
         QT_TRANSLATE_NOOP(
             "parapet::ui::Tour",
             "Run trains the experiment in the background. Another experiment waits in "
             "the queue meanwhile. Stop keeps a checkpoint.")},
    Step{"train", "headline", QT_TRANSLATE_NOOP("parapet::ui::Tour", "Curves and the verdict"),
         QT_TRANSLATE_NOOP("parapet::ui::Tour",
                           "Curves grow while the run trains. The verdict compares the lists with "
                           "the most popular items and with the strongest rival.")},
    Step{"browse", "", QT_TRANSLATE_NOOP("parapet::ui::Tour", "Lists"),
         QT_TRANSLATE_NOOP("parapet::ui::Tour",
                           "Choose a user to see what the model recommends. A second column shows "
                           "another context, checkpoint or run.")},
    Step{"experiment/mesh", "commandBar",
         QT_TRANSLATE_NOOP("parapet::ui::Tour", "More devices, and the terminal"),
         QT_TRANSLATE_NOOP("parapet::ui::Tour",
                           "The same experiment trains on several devices. The terminal does the "
                           "same work with the command below.")}};

/// The part of a widget that its ancestors leave visible, in the window. Its children may cover it.
QRect seenIn(const QWidget& window, const QWidget& widget) {
  QRect seen = widget.rect();
  for (const QWidget* each = &widget; each != &window; each = each->parentWidget())
    seen = seen.translated(each->pos()) & each->parentWidget()->rect();
  return seen;
}

/// Frames a widget of the window and takes no clicks.
class Mark : public QWidget {
 public:
  explicit Mark(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setObjectName(QStringLiteral("tourMark"));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRoundedRect(rect().adjusted(1, 1, -1, -1), 5, 5);
  }
};

}  // namespace

Tour::Tour(QWidget* parent)
    : QWidget(parent),
      count_(new QLabel),
      text_(new QLabel),
      back_(new QPushButton(tr("Back"))),
      next_(new QPushButton),
      skip_(new QPushButton(tr("Skip the tour"))) {
  setObjectName(QStringLiteral("tour"));
  setAccessibleName(tr("Tour of the window"));
  back_->setObjectName(QStringLiteral("tourBack"));
  next_->setObjectName(QStringLiteral("tourNext"));
  skip_->setObjectName(QStringLiteral("tourSkip"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  auto* layout = horizontalBox(this, 12, {16, 8, 8, 8});
  layout->addWidget(count_);
  layout->addWidget(text_, 1);
  layout->addWidget(back_);
  layout->addWidget(next_);
  layout->addWidget(skip_);
  connect(back_, &QPushButton::clicked, this, [this] { show(step_ - 1); });
  connect(next_, &QPushButton::clicked, this,
          [this] { step_ + 1 < int(kSteps.size()) ? show(step_ + 1) : skip(); });
  connect(skip_, &QPushButton::clicked, this, &Tour::skip);
  hide();
}

void Tour::begin() {
  QWidget::show();
  show(0);
}

void Tour::skip() {
  if (isHidden()) return;
  frame(nullptr);
  hide();
  emit ended();
}

void Tour::show(int step) {
  step_ = step;
  const Step& shown = kSteps[static_cast<std::size_t>(step)];
  const bool isLast = step + 1 == int(kSteps.size());
  emit pageRequested(QLatin1String(shown.page));
  count_->setText(tr("%1 of %2").arg(step + 1).arg(kSteps.size()));
  const QString title = tr(shown.title), text = tr(shown.text);
  text_->setText(
      QStringLiteral("<b>%1</b><br>%2").arg(title.toHtmlEscaped(), text.toHtmlEscaped()));
  text_->setAccessibleName(title + QStringLiteral(". ") + text);
  back_->setEnabled(step > 0);
  next_->setText(isLast ? tr("Done") : tr("Next"));
  skip_->setVisible(!isLast);
  next_->setFocus();
  frame(*shown.widget ? window()->findChild<QWidget*>(QLatin1String(shown.widget)) : nullptr);
}

// A widget moves when one of its ancestors does.
void Tour::frame(QWidget* target) {
  for (QWidget* each = target_; each; each = each->parentWidget()) each->removeEventFilter(this);
  target_ = target;
  for (QWidget* each = target; each; each = each->parentWidget()) each->installEventFilter(this);
  if (!mark_) mark_ = new Mark(window());
  place();
}

void Tour::place() {
  const QRect seen = target_ && target_->isVisible() ? seenIn(*window(), *target_) : QRect();
  mark_->setVisible(!seen.isEmpty());
  if (seen.isEmpty()) return;
  mark_->setGeometry(seen.marginsAdded({kMargin, kMargin, kMargin, kMargin}));
  mark_->raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::Move || type == QEvent::Resize || type == QEvent::Show ||
      type == QEvent::Hide)
    QMetaObject::invokeMethod(this, &Tour::place, Qt::QueuedConnection);
  return QWidget::eventFilter(watched, event);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    skip();
  else
    QWidget::keyPressEvent(event);
}

void Tour::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QColor tint = palette().color(QPalette::Highlight);
  painter.fillRect(0, 0, 4, height(), tint);
  tint.setAlpha(28);
  painter.fillRect(rect(), tint);
}

}  // namespace parapet::ui
