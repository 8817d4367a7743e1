// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/run_glimpse.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/runs_format.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr QSize kMinSize(200, 76);
constexpr std::int64_t kItems = 3;
/// The steps of the run are not drawn: as few as the store gives.
constexpr std::int64_t kSteps = 8;
/// Draws whom Train watches first, so that both pages begin with one user.
constexpr std::uint64_t kDrawSeed = 1;
/// Room above and below the curve, as a share of what it spans.
constexpr double kAir = 0.12;

using List = std::optional<retrieval::Recommendation>;

/// The first items of some user; none where no user has a list or the model is too large.
Result<List> readList(workspace::Workspace& workspace, const std::string& runId,
                      const WorkContext& context) {
  PARAPET_ASSIGN(const auto checkpoints, workspace.store().checkpoints(runId));
  const auto isLarge = [](const store::CheckpointRecord& each) {
    return each.bytes > RunGlimpse::kMaxBytes;
  };
  if (checkpoints.empty() || std::ranges::any_of(checkpoints, isLarge)) return List();
  std::vector<std::string> warnings;
  PARAPET_ASSIGN(const auto model, workspace.recommender(runId, {}, &warnings, context));
  const std::vector<std::string> users = model->randomUsers(kDrawSeed, 1);
  if (users.empty() || context.cancelled()) return List();
  PARAPET_ASSIGN(auto lists, model->recommend(users, std::min(kItems, model->candidates()),
                                              retrieval::SeenItems::kExcludeTrain));
  return lists.empty() ? List() : List(std::move(lists.front()));
}

}  // namespace

CurveThumbnail::CurveThumbnail(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
  setObjectName(QStringLiteral("newestCurve"));
  setFont(textFont(TextSize::kSmall));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void CurveThumbnail::setContent(Content content) {
  content_ = std::move(content);
  const QString last = metricText(content_.name, content_.values.back());
  setAccessibleName(tr("%1 of the newest run: %2").arg(content_.name, last));
  setToolTip(content_.levelName.isEmpty() ? accessibleName()
                                          : tr("%1; %2: %3")
                                                .arg(accessibleName(), content_.levelName,
                                                     metricText(content_.name, content_.level)));
  setVisible(true);
  spokenChanged();
  update();
}

int CurveThumbnail::spokenParts() const {
  return content_.values.empty() ? 0 : content_.levelName.isEmpty() ? 1 : 2;
}

SpokenPart CurveThumbnail::spokenPart(int index) const {
  if (index == 1) return {content_.levelName, metricText(content_.name, content_.level), rect()};
  const auto [low, high] = std::ranges::minmax(content_.values);
  return {content_.name,
          tr("last %1, smallest %2, largest %3")
              .arg(metricText(content_.name, content_.values.back()),
                   metricText(content_.name, low), metricText(content_.name, high)),
          rect()};
}

QString CurveThumbnail::spokenValue() const {
  return tr("%n epochs", nullptr, static_cast<int>(content_.values.size()));
}

QSize CurveThumbnail::sizeHint() const {
  return minimumSizeHint();
}

QSize CurveThumbnail::minimumSizeHint() const {
  return kMinSize.expandedTo({0, 4 * fontMetrics().height()});
}

void CurveThumbnail::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int line = fontMetrics().height();
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(
      rect(), Qt::AlignLeft | Qt::AlignTop,
      tr("%1  %2").arg(content_.name, metricText(content_.name, content_.values.back())));
  const QRectF area = QRectF(rect()).adjusted(2.0, line + 4.0, -4.0, -2.0);
  const bool hasLevel = !content_.levelName.isEmpty();
  auto [low, high] = std::ranges::minmax(content_.values);
  if (hasLevel) {
    low = std::min(low, content_.level);
    high = std::max(high, content_.level);
  }
  const double air = high > low ? kAir * (high - low) : 1.0;
  const auto at = [&, low = low, high = high](double share, double value) {
    return QPointF(area.left() + share * area.width(),
                   area.bottom() - (value - low + air) / (high - low + 2.0 * air) * area.height());
  };
  if (hasLevel) {
    const QColor quiet = quietColor(palette());
    painter.setPen(QPen(quiet, 1.0, Qt::DashLine));
    painter.drawLine(at(0.0, content_.level), at(1.0, content_.level));
    painter.setPen(quiet);
    // Below its line, or above it, wherever the curve does not end.
    const double y = at(0.0, content_.level).y(), end = at(1.0, content_.values.back()).y();
    const auto isFree = [&](double top) {
      return top >= area.top() && top + line <= height() && (end < top || end > top + line);
    };
    for (const double top : {y + 1.0, y - line})
      if (isFree(top)) {
        painter.drawText(QRectF(area.left(), top, area.width(), line),
                         Qt::AlignRight | Qt::AlignVCenter, content_.levelName);
        break;
      }
  }
  const QColor color = seriesStyle(0, SeriesRole::kTraining, isDark(palette())).color;
  const auto count = static_cast<double>(content_.values.size());
  QPainterPath path;
  for (std::size_t i = 0; i < content_.values.size(); ++i) {
    const QPointF point =
        at(count > 1.0 ? static_cast<double>(i) / (count - 1.0) : 1.0, content_.values[i]);
    i == 0 ? path.moveTo(point) : path.lineTo(point);
  }
  painter.setPen(QPen(color, 2.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
  painter.setBrush(color);
  painter.drawEllipse(path.currentPosition(), 2.5, 2.5);
}

RunGlimpse::RunGlimpse(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      thumbnail_(new CurveThumbnail),
      list_(new QWidget),
      user_(new QuietLabel),
      items_(new ElidedLabel(nullptr, ElidedLabel::Tone::kPlain)) {
  user_->setFont(textFont(TextSize::kSmall));
  items_->setObjectName(QStringLiteral("newestList"));
  auto* lines = verticalBox(list_, 4);
  lines->addWidget(user_);
  lines->addWidget(items_);
  lines->addStretch();
  auto* layout = horizontalBox(this, 24, {0, 4, 0, 4});
  layout->addWidget(thumbnail_, 1);
  layout->addWidget(list_, 1);
  thumbnail_->hide();
  list_->hide();
  setVisible(false);
}

void RunGlimpse::follow(const store::RunRecord& run) {
  const QString id = QString::fromStdString(run.id);
  const QString state =
      QStringLiteral("%1 %2 %3").arg(id).arg(run.epochs).arg(static_cast<int>(run.state));
  if (std::exchange(shown_, state) == state) return;
  if (std::exchange(runId_, id) != id) {
    thumbnail_->hide();
    list_->hide();
    setVisible(false);
  }
  curveReader_.start([&store = workspace_.store(),
                      id = run.id](const WorkContext&) { return readStoredRun(store, id, kSteps); },
                     [this](const Result<StoredRun>& stored) {
                       if (stored) showCurve(*stored);
                     });
  // While it trains its lists change, and its memory is needed.
  if (!experiment::isTerminal(run.state)) return listReader_.cancel();
  listReader_.start([&workspace = workspace_, id = run.id](
                        const WorkContext& context) { return readList(workspace, id, context); },
                    [this](const Result<List>& list) { showList(list ? *list : List()); });
}

void RunGlimpse::showCurve(const StoredRun& run) {
  RunCurves curves;
  curves.begin(run);
  QString key = curves.keyMetric();
  if (key.isEmpty()) key = QStringLiteral("val_loss");
  CurveThumbnail::Content content{.name = key};
  if (content.name.startsWith(QLatin1String("val_"))) content.name.remove(0, 4);
  for (const EpochRow& row : curves.epochs().rows())
    if (const auto value = EpochsModel::metricOf(row, key); value && std::isfinite(*value))
      content.values.push_back(*value);
  if (content.values.empty()) return thumbnail_->hide();
  if (const auto level = curves.baseline("most_popular", key)) {
    content.level = *level;
    content.levelName = baselineName("most_popular", curves.facts().loss, key);
  }
  thumbnail_->setContent(std::move(content));
  setVisible(true);
}

void RunGlimpse::showList(const List& list) {
  list_->setVisible(list && !list->items.empty());
  if (list_->isHidden()) return;
  user_->setText(tr("Top 3 of user %1").arg(shownText(list->user)));
  QStringList lines;
  for (const retrieval::RecommendedItem& item : list->items)
    lines << tr("%1  %2").arg(item.rank).arg(shownText(titleText(item.title, item.id)));
  items_->setText(lines.join(QLatin1Char('\n')));
  setVisible(true);
}

}  // namespace parapet::ui
