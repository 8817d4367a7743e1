// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/fill_mask_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyleOptionToolButton>
#include <QTabBar>
#include <QToolButton>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/browse/attention_view.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/model_picker.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMinPicture = 176, kMinPiece = 40;

const QString kMask = QStringLiteral("[MASK]");
constexpr int kPickerWidth = 400, kStandardCount = 5;
constexpr double kWordRadius = 2.0;

/// A word of the text, in the colours of a selection while it is masked: the sunken look of a button
/// is hardly seen on a dark ground.
class WordButton : public QToolButton {
 public:
  explicit WordButton(QWidget* parent) : QToolButton(parent) {
    setCheckable(true);
    setToolTip(FillMaskPanel::tr("Click to mask the word"));
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    if (!isChecked()) return QToolButton::paintEvent(event);
    QStyleOptionToolButton option;
    initStyleOption(&option);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Highlight));
    painter.drawRoundedRect(rect(), kWordRadius, kWordRadius);
    option.palette.setColor(QPalette::ButtonText, palette().color(QPalette::HighlightedText));
    style()->drawControl(QStyle::CE_ToolButtonLabel, &option, &painter, this);
    if (!hasFocus()) return;
    painter.setPen(palette().color(QPalette::HighlightedText));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), kWordRadius,
                            kWordRadius);
  }
};

}  // namespace

MaskedColumn::MaskedColumn(workspace::Workspace& workspace, const QString& name, QWidget* parent)
    : QWidget(parent), workspace_(workspace), opening_("model", this), asking_("masks", this) {
  caption_ = new QuietLabel({}, this);
  caption_->setWordWrap(true);
  // A long name of a run is no reason for a wide column.
  caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  views_ = new QStackedWidget(this);
  pieces_ = new FilledPiecesModel(this);
  auto* table = new ItemTable(pieces_, tr("Tokens for the masks, %1").arg(name), this);
  // Two models beside each other in a low window: the words give way, the numbers stay.
  table->setColumns(FilledPiecesModel::kPiece, {{FilledPiecesModel::kPosition, 4},
                                                {FilledPiecesModel::kMasked, 9},
                                                {FilledPiecesModel::kRank, 3},
                                                {FilledPiecesModel::kProbability, 7}});
  views_->addWidget(table);
  views_->addWidget(makeAttention(name));
  auto* layout = verticalBox(this, 8);
  layout->addWidget(caption_);
  layout->addWidget(views_, 1);
}

// The picture, and beside it what the chosen piece reads.
QWidget* MaskedColumn::makeAttention(const QString& name) {
  attention_ = new AttentionView;
  read_ = new ReadPiecesModel(this);
  auto* scroll = new QScrollArea;
  scroll->setWidget(attention_);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setAccessibleName(tr("Attention, %1").arg(name));
  auto* table = new ItemTable(read_, tr("What the chosen token reads, %1").arg(name));
  table->setColumns(ReadPiecesModel::kPiece,
                    {{ReadPiecesModel::kPosition, 4}, {ReadPiecesModel::kProbability, 6}});
  // Beside a second model in a low window the numbers stay whole.
  table->setMinimumWidth(table->columnWidth(ReadPiecesModel::kPosition) +
                         table->columnWidth(ReadPiecesModel::kProbability) + kMinPiece +
                         table->verticalScrollBar()->sizeHint().width());
  legend_ = new QuietLabel;
  legend_->setWordWrap(true);
  legend_->setAccessibleName(tr("Legend of the attention, %1").arg(name));
  auto* picture = new QWidget;
  auto* below = verticalBox(picture, 4);
  below->addWidget(scroll, 1);
  below->addWidget(legend_);
  auto* parts = new QSplitter;
  parts->addWidget(picture);
  parts->addWidget(table);
  // While nothing is drawn the picture asks for no room.
  scroll->setMinimumWidth(kMinPicture);
  parts->setSizes({2 * kMinPicture, kMinPicture});
  parts->setStretchFactor(0, 2);
  parts->setStretchFactor(1, 1);
  parts->setChildrenCollapsible(false);
  connect(attention_, &AttentionView::readerChanged, this, [this](int reader) {
    read_->setMap(attention_->map(), reader);
    legend_->setText(attention_->legend());
  });
  return parts;
}

void MaskedColumn::open(const ModelChoice& choice, const QString& runName) {
  runName_ = runName;
  model_.reset();
  asking_.cancel();
  clear();
  tell(tr("Opening the model…"));
  opening_.start(
      [&workspace = workspace_, run = choice.runId.toStdString(), checkpoint = choice.checkpoint](
          const WorkContext& context) { return workspace.maskedModel(run, checkpoint, context); },
      [this](Result<std::shared_ptr<workspace::MaskedModel>> opened) {
        if (!opened.ok()) return tell(shownText(opened.error().text()));
        model_ = std::move(*opened);
        ask(question_);
        emit this->opened();
      });
}

void MaskedColumn::close() {
  opening_.cancel();
  asking_.cancel();
  model_.reset();
  clear();
}

void MaskedColumn::clear() {
  pieces_->setText({}, {});
  attention_->setMap({});
}

std::vector<workspace::AttentionLayer> MaskedColumn::layers() const {
  return model_ ? model_->attentionLayers() : std::vector<workspace::AttentionLayer>();
}

QString MaskedColumn::caption() const {
  return caption_->text();
}

void MaskedColumn::tell(const QString& caption) {
  caption_->setText(shownText(caption));
  caption_->setToolTip(caption_->text());
  caption_->setAccessibleName(caption_->text());
}

void MaskedColumn::say(const QString& what) {
  const QString model = tr("Model of run %1 · step %2")
                            .arg(runName_, QString::fromStdString(formatCount(model_->step())));
  tell(what.isEmpty() ? model : model + QStringLiteral(" · ") + what);
}

void MaskedColumn::ask(const MaskedQuestion& question) {
  question_ = question;
  const bool aboutPieces = question.about == MaskedQuestion::About::kPieces;
  views_->setCurrentIndex(aboutPieces ? 0 : 1);
  if (!model_) return;
  if (question.text.trimmed().isEmpty()) {
    asking_.cancel();
    clear();
    return say(tr("type a text"));
  }
  aboutPieces ? askPieces() : askAttention();
}

void MaskedColumn::askPieces() {
  if (!question_.text.contains(QStringLiteral("[MASK]"))) {
    asking_.cancel();
    pieces_->setText({}, {});
    return say(tr("click the words that are to be predicted"));
  }
  asking_.start([model = model_, text = question_.text.toStdString(),
                 count = question_.count](const WorkContext&) { return model->fill(text, count); },
                [this, masked = question_.masked](Result<workspace::FilledText> filled) {
                  pieces_->setText(filled.ok() ? *filled : workspace::FilledText{}, masked);
                  say(filled.ok() ? QString() : shownText(filled.error().text()));
                });
}

void MaskedColumn::askAttention() {
  asking_.start(
      [model = model_, text = question_.text.toStdString(), layer = question_.layer,
       head = question_.head](const WorkContext&) { return model->attention(text, layer, head); },
      [this](Result<workspace::AttentionMap> map) {
        attention_->setMap(map.ok() ? std::move(*map) : workspace::AttentionMap{});
        say(map.ok() ? QString() : shownText(map.error().text()));
      });
}

FillMaskPanel::FillMaskPanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  first_ = new MaskedColumn(workspace, tr("first model"), this);
  second_ = new MaskedColumn(workspace, tr("second model"), this);
  second_->hide();
  auto* columns = new QSplitter(this);
  columns->addWidget(first_);
  columns->addWidget(second_);
  columns->setChildrenCollapsible(false);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(makeText());
  words_ = new QWidget(this);
  words_->setAccessibleName(tr("Words of the text; a checked one is masked"));
  line_ = new FlowLayout(words_, 4, 4);
  layout->addWidget(words_);
  layout->addWidget(makeChoices());
  layout->addWidget(columns, 1);
  connect(text_, &QLineEdit::textChanged, this, &FillMaskPanel::showWords);
  connect(views_, &QTabBar::currentChanged, this, &FillMaskPanel::ask);
  connect(count_, &QSpinBox::valueChanged, this, &FillMaskPanel::ask);
  connect(layer_, &QSpinBox::valueChanged, this, &FillMaskPanel::followLayers);
  connect(head_, &QSpinBox::valueChanged, this, &FillMaskPanel::ask);
  connect(first_, &MaskedColumn::opened, this, &FillMaskPanel::followLayers);
  connect(second_, &MaskedColumn::opened, this, &FillMaskPanel::followLayers);
  connect(picker_, &ModelPicker::chosen, this, [this](const ModelChoice& choice) {
    second_->show();
    second_->open(choice, picker_->runName(choice.runId));
    ask();
  });
  connect(picker_, &ModelPicker::cleared, this, [this] {
    second_->hide();
    second_->close();
    followLayers();
  });
  followLayers();
}

QWidget* FillMaskPanel::makeText() {
  text_ = new QLineEdit;
  text_->setPlaceholderText(tr("A text, with [MASK] where a token is to be predicted"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Text"));
  text_->setToolTip(tr("Words are set apart by blanks; click one below to mask it"));
  auto* label = new QLabel(tr("&Text"));
  label->setBuddy(text_);
  auto* asked = new QWidget(this);
  auto* row = horizontalBox(asked, 8);
  row->addWidget(label);
  row->addWidget(text_, 1);
  return asked;
}

QWidget* FillMaskPanel::makeChoices() {
  auto* choices = new QWidget(this);
  auto* line = new FlowLayout(choices, 12, 4);
  views_ = new QTabBar(choices);
  views_->addTab(tr("Tokens"));
  views_->addTab(tr("Attention"));
  views_->setDrawBase(false);
  views_->setExpanding(false);
  views_->setAccessibleName(tr("What is asked of the models"));
  line->addWidget(views_);
  count_ = addNumber(*line, tr("To&kens for each"), tr("Tokens for each mask"),
                     tr("How many of the most probable tokens are listed for each mask"));
  count_->setRange(1, 100);
  count_->setValue(kStandardCount);
  count_->setObjectName(QStringLiteral("count"));
  ofPieces_ << count_->parentWidget();
  layer_ = addNumber(*line, tr("&Layer"), tr("Layer of the attention"),
                     tr("Layer with attention, from 1, the one that reads the tokens first"));
  head_ =
      addNumber(*line, tr("&Head"), tr("Head of the attention"), tr("Head of the layer, from 1"));
  layer_->setObjectName(QStringLiteral("layer"));
  head_->setObjectName(QStringLiteral("head"));
  ofAttention_ << layer_->parentWidget() << head_->parentWidget();
  picker_ = new ModelPicker(workspace_, tr("Second model"), tr("No second model"), choices);
  picker_->setFixedWidth(kPickerWidth);
  picker_->setOnlyModels(QStringLiteral("masked_lm"));
  line->addWidget(picker_);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  choices->setSizePolicy(policy);
  return choices;
}

// A number behind its label.
QSpinBox* FillMaskPanel::addNumber(FlowLayout& line, const QString& label, const QString& name,
                                   const QString& tip) {
  auto* pair = new QWidget(this);
  auto* row = horizontalBox(pair, 6);
  auto* text = new QLabel(label, pair);
  auto* box = new QSpinBox(pair);
  text->setBuddy(box);
  box->setMinimum(1);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  row->addWidget(text);
  row->addWidget(box);
  line.addWidget(pair);
  return box;
}

void FillMaskPanel::open(const ModelChoice& choice, const QString& runName) {
  first_->open(choice, runName);
  picker_->reload();
}

// Layers and heads that can be chosen are those of the first model.
void FillMaskPanel::followLayers() {
  const std::vector<workspace::AttentionLayer> layers = first_->layers();
  // Layer and head that a restart brings back wait for the model, which knows how many there are.
  const bool known = wanted_ && !layers.empty();
  {
    const QSignalBlocker quietLayer(layer_), quietHead(head_);
    layer_->setMaximum(std::max(1, static_cast<int>(layers.size())));
    if (known) layer_->setValue(wanted_->layer);
    const auto chosen = static_cast<std::size_t>(layer_->value() - 1);
    head_->setMaximum(chosen < layers.size() ? static_cast<int>(layers[chosen].heads) : 1);
    if (known) head_->setValue(wanted_->head);
  }
  views_->setTabEnabled(1, !layers.empty());
  views_->setTabToolTip(1, layers.empty() ? tr("The model has no layer with attention")
                                          : tr("What a head reads of the text, as a picture"));
  if (known) views_->setCurrentIndex(std::clamp(std::exchange(wanted_, {})->view, 0, 1));
  ask();
}

// A button for each word, so that it is masked with a click.
void FillMaskPanel::showWords() {
  const QStringList words = text_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  while (buttons_.size() > words.size()) buttons_.takeLast()->deleteLater();
  while (buttons_.size() < words.size()) {
    auto* button = new WordButton(words_);
    connect(button, &QToolButton::toggled, this, &FillMaskPanel::ask);
    line_->addWidget(button);
    button->show();
    buttons_ << button;
  }
  for (qsizetype word = 0; word < words.size(); ++word) {
    const QSignalBlocker quiet(buttons_[word]);
    const QString shown = shownText(words[word]).replace(QLatin1Char('&'), QStringLiteral("&&"));
    if (buttons_[word]->text() == shown) continue;
    // Another word is not masked because the one before it was.
    buttons_[word]->setText(shown);
    buttons_[word]->setChecked(words[word] == kMask);
  }
  ask();
}

QString FillMaskPanel::prompt() const {
  QStringList words = text_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (qsizetype word = 0; word < words.size() && word < buttons_.size(); ++word)
    if (buttons_[word]->isChecked()) words[word] = kMask;
  return words.join(QLatin1Char(' '));
}

QStringList FillMaskPanel::maskedWords() const {
  QStringList masked;
  const QStringList words = text_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (qsizetype word = 0; word < words.size(); ++word) {
    const bool hidden = word < buttons_.size() && buttons_[word]->isChecked();
    if (hidden)
      masked << (words[word] == kMask ? QString() : words[word]);
    else
      masked << QStringList(words[word].count(kMask), QString());
  }
  return masked;
}

MaskedQuestion FillMaskPanel::question() const {
  using About = MaskedQuestion::About;
  return {.about = views_->currentIndex() == 0 ? About::kPieces : About::kAttention,
          .text = prompt(),
          .masked = maskedWords(),
          .count = count_->value(),
          .layer = layer_->value() - 1,
          .head = head_->value() - 1};
}

void FillMaskPanel::ask() {
  const MaskedQuestion asked = question();
  const bool aboutPieces = asked.about == MaskedQuestion::About::kPieces;
  for (QWidget* control : ofPieces_) control->setVisible(aboutPieces);
  for (QWidget* control : ofAttention_) control->setVisible(!aboutPieces);
  first_->ask(asked);
  if (!second_->isHidden()) second_->ask(asked);
}

QString FillMaskPanel::terminalOptions() const {
  const MaskedQuestion asked = question();
  QString options = QStringLiteral(" --text ") + shellWord(asked.text);
  if (asked.about == MaskedQuestion::About::kAttention)
    options += QStringLiteral(" --attention %1,%2").arg(asked.layer + 1).arg(asked.head + 1);
  else if (asked.count != kStandardCount)
    options += QStringLiteral(" -k %1").arg(asked.count);
  return options;
}

nlohmann::json FillMaskPanel::saveState() const {
  nlohmann::json masked = nlohmann::json::array();
  for (qsizetype word = 0; word < buttons_.size(); ++word)
    if (buttons_[word]->isChecked()) masked.push_back(word);
  return {{"text", text_->text().toStdString()},
          {"masked", std::move(masked)},
          {"count", count_->value()},
          {"view", wanted_ ? wanted_->view : views_->currentIndex()},
          {"layer", wanted_ ? wanted_->layer : layer_->value()},
          {"head", wanted_ ? wanted_->head : head_->value()}};
}

void FillMaskPanel::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  text_->setText(QString::fromStdString(state.value("text", "")));
  for (const auto& word : state.value("masked", nlohmann::json::array()))
    if (const auto at = word.get<qsizetype>(); at >= 0 && at < buttons_.size())
      buttons_[at]->setChecked(true);
  count_->setValue(state.value("count", kStandardCount));
  wanted_ = View{state.value("view", 0), state.value("layer", 1), state.value("head", 1)};
  followLayers();
}

}  // namespace parapet::ui
