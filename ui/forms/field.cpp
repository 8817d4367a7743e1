// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/field.h"

#include <QEvent>
#include <QPainter>

#include "ui/models/document_edits.h"
#include "ui/models/document_names.h"
#include "ui/models/severity.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kIconSize = 16;

constexpr double kLineWidth = 2.0, kOutlineRadius = 4.0;

}  // namespace

/// A coloured frame on top of a widget. Not a style sheet: a widget that had one keeps the colours
/// of the theme it had then.
class FieldOutline final : public QWidget {
 public:
  explicit FieldOutline(QWidget& around) : QWidget(around.parentWidget()), around_(around) {
    setObjectName(QStringLiteral("outline"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    around_.installEventFilter(this);
    hide();
  }
  void setSeverity(Severity severity) {
    severity_ = severity;
    setVisible(severity != Severity::kNone);
    follow();
    update();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) follow();
    return false;
  }
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(severityColor(palette(), severity_), kLineWidth));
    const double half = kLineWidth / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), kOutlineRadius,
                            kOutlineRadius);
  }

 private:
  void follow() {
    setGeometry(around_.geometry());
    raise();
  }

  QWidget& around_;
  Severity severity_ = Severity::kNone;
};

FindingsLabel::FindingsLabel(QWidget* parent)
    : QWidget(parent), icon_(new QLabel(this)), text_(new QLabel(this)) {
  auto* layout = horizontalBox(this, 6);
  icon_->setFixedSize(kIconSize, kIconSize);
  layout->addWidget(icon_, 0, Qt::AlignTop);
  layout->addWidget(text_, 1);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setTextFormat(Qt::PlainText);
  hide();
}

void FindingsLabel::setFindings(const experiment::Findings& findings) {
  const Severity severity = severityOf(findings);
  text_->setText(findingsText(findings));
  setVisible(severity != Severity::kNone);
  if (severity == Severity::kNone) return;
  icon_->setPixmap(severityIcon(palette(), severity).pixmap(kIconSize, kIconSize));
  icon_->setAccessibleName(severityName(severity));
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, severityColor(colors, severity));
  text_->setPalette(colors);
}

Field::Field(ExperimentEditor& editor, QString pointer, const QString& label, QWidget* parent,
             const BindingMaker& make)
    : QWidget(parent), editor_(editor), pointer_(std::move(pointer)) {
  const FieldInfo info = fieldInfo(pointer_);
  const auto changed = [this, label](const nlohmann::json& value) {
    editor_.setValues(QStringList{pointer_} + alongside_, value,
                      tr("Change %1").arg(label.toLower()));
  };
  binding_ = make                         ? make(changed, this)
             : namesAt(editor_, pointer_) ? bindName(absentWord(pointer_), changed, this)
                                          : bindField(info, changed, this);
  binding_.widget->setAccessibleName(label);
  binding_.widget->setToolTip(info.toolTip());
  binding_.widget->setObjectName(pointer_);
  findings_ = new FindingsLabel(this);
  auto* layout = verticalBox(this, 4);
  line_ = horizontalBox(nullptr, 8);
  line_->addWidget(binding_.widget, 1);
  // The greater share: the widget keeps its own width, what is left stays empty.
  line_->addStretch(0);
  layout->addLayout(line_);
  layout->addWidget(findings_);
  outline_ = new FieldOutline(*binding_.widget);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &Field::follow);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &Field::followFindings);
  follow();
  followFindings();
}

void Field::addBeside(QWidget* widget) {
  line_->insertWidget(line_->count() - 1, widget);
}

bool Field::isInDocument() const {
  return parapet::ui::find(editor_.document(), pointer_) != nullptr;
}

void Field::follow() {
  if (binding_.offer) binding_.offer(namesAt(editor_, pointer_).value_or(QStringList()));
  binding_.show(editor_.value(pointer_));
  followPresence();
}

void Field::setApplies(bool applies) {
  applies_ = applies;
  followPresence();
}

void Field::followPresence() {
  if ((applies_ && isInDocument()) == present_) return;
  present_ = !present_;
  setVisible(present_);
  emit presenceChanged(present_);
}

void Field::followFindings() {
  const experiment::Findings findings = editor_.findingsAt(pointer_);
  findings_->setFindings(findings);
  outline_->setSeverity(severityOf(findings));
  binding_.widget->setAccessibleDescription(parapet::ui::findingsText(findings));
}

}  // namespace parapet::ui
