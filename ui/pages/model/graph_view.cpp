// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/graph_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kRadius = 6.0, kStripe = 5.0, kMargin = 8.0, kArrow = 9.0, kMark = 14.0;
/// The size of boxes: a height of three lines, and the gaps between columns and rows.
constexpr double kHeight = 58.0, kMinWidth = 112.0, kMaxWidth = 304.0;
constexpr double kBetweenRight = 48.0, kBetweenDown = 26.0, kBetweenRows = 12.0;
/// Around the boxes of a tower, and above them for its title.
constexpr double kLaneEdge = 10.0, kLaneTitle = 26.0;
constexpr int kFontPixels = 12;

QFont boxFont(QFont::Weight weight = QFont::Normal) {
  QFont font = QApplication::font();
  font.setPixelSize(kFontPixels);
  font.setWeight(weight);
  return font;
}

QString weightsText(const QString& count) {
  return QObject::tr("%1 parameters").arg(count);
}

QString parametersText(const GraphBox& box) {
  return box.parameters < 0 ? QString() : QString::fromStdString(formatCount(box.parameters));
}

/// The width at which no text of a box is cut.
double widthOf(const ModelGraph& graph, const GraphBox& box) {
  const QFontMetricsF plain(boxFont()), bold(boxFont(QFont::Bold));
  const QString parameters = parametersText(box);
  const double title =
      bold.horizontalAdvance(box.title) + (box.severity == Severity::kNone ? 0.0 : kMark + 4.0);
  const double last =
      plain.horizontalAdvance(graph.shapeOf(box)) +
      (parameters.isEmpty() ? 0.0
                            : 2.0 * kMargin + plain.horizontalAdvance(weightsText(parameters)));
  const double text = std::max({title, plain.horizontalAdvance(box.detail), last});
  return std::clamp(std::ceil(text) + kStripe + 2.0 * kMargin + 2.0, kMinWidth, kMaxWidth);
}

/// The stripe at the left tells what a box is; its title says so as well.
QColor stripeOf(GraphBox::Kind kind, const QPalette& palette) {
  const auto color = [&palette](int index) {
    return seriesStyle(index, SeriesRole::kTraining, isDark(palette)).color;
  };
  switch (kind) {
    case GraphBox::Kind::kFeature:
      return color(0);
    case GraphBox::Kind::kLayer:
      return color(5);
    case GraphBox::Kind::kScore:
      return color(2);
    default:
      return color(3);
  }
}

// Smaller, nothing can be read; larger, a box fills the view.
constexpr double kMinZoom = 0.15, kMaxFit = 2.0, kMaxZoom = 3.0, kZoomStep = 1.25;
constexpr double kEdge = 12.0;
constexpr double kWheelStep = 120.0;

}  // namespace

GraphGrid::GraphGrid(const ModelGraph& graph, GraphFlow flow) : flow_(flow) {
  std::vector<double> widths;
  double lastRow = 0.0;
  for (const GraphBox& box : graph.boxes) {
    const auto column = static_cast<std::size_t>(box.column);
    widths.resize(std::max(widths.size(), column + 1), kMinWidth);
    widths[column] = std::max(widths[column], widthOf(graph, box));
    lastRow = std::max(lastRow, box.row);
  }
  const bool right = flow == GraphFlow::kRight;
  across_ = right || widths.empty() ? kHeight : std::ranges::max(widths);
  pitch_ = across_ + kBetweenRows;
  double begin = 0.0;
  for (const double width : widths) {
    columns_.emplace_back(begin, begin + (right ? width : kHeight));
    begin = columns_.back().second + (right ? kBetweenRight : kBetweenDown);
  }
  const double along = columns_.empty() ? 0.0 : columns_.back().second;
  const double aside = lastRow * pitch_ + across_;
  size_ = right ? QSizeF(along, aside) : QSizeF(aside, along);
}

std::pair<double, double> GraphGrid::column(int column) const {
  return columns_[static_cast<std::size_t>(column)];
}

QRectF GraphGrid::boxAt(const GraphBox& box) const {
  const auto [begin, end] = column(box.column);
  const double aside = box.row * pitch_;
  return flow_ == GraphFlow::kRight ? QRectF(begin, aside, end - begin, across_)
                                    : QRectF(aside, begin, across_, end - begin);
}

double GraphGrid::middleOf(double row, double height) const {
  return (row + height / 2.0) * pitch_ - (pitch_ - across_) / 2.0;
}

BoxItem::BoxItem(const ModelGraph& graph, int index, const GraphGrid& grid)
    : box_(graph.boxes[static_cast<std::size_t>(index)]),
      index_(index),
      size_(grid.boxAt(box_).size()),
      shape_(graph.shapeOf(box_)),
      parameters_(parametersText(box_)) {
  setFlag(ItemIsSelectable);
  setPos(grid.boxAt(box_).topLeft());
  setToolTip(description());
}

QString BoxItem::description() const {
  QStringList parts{ModelGraph::nameOf(box_)};
  const QString weights = parameters_.isEmpty() ? QString() : weightsText(parameters_);
  // The detail of several features is further names.
  const QString detail = box_.features > 1 ? QString() : box_.detail;
  for (const QString& part : {detail, shape_, weights, box_.problem})
    if (!part.isEmpty()) parts << part;
  return parts.join('\n');
}

QRectF BoxItem::boundingRect() const {
  return QRectF({0.0, 0.0}, size_).adjusted(-3.0, -3.0, 3.0, 3.0);
}

void BoxItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QPalette palette = QApplication::palette();
  const QRectF frame({0.0, 0.0}, size_);
  painter->setRenderHint(QPainter::Antialiasing);
  QPainterPath shape;
  shape.addRoundedRect(frame, kRadius, kRadius);
  painter->fillPath(shape, palette.color(QPalette::Base));
  painter->save();
  painter->setClipPath(shape, Qt::IntersectClip);
  painter->fillRect(QRectF(0.0, 0.0, kStripe, size_.height()), stripeOf(box_.kind, palette));
  if (box_.severity != Severity::kNone) {
    QColor tint = severityColor(palette, box_.severity);
    tint.setAlpha(36);
    painter->fillRect(frame, tint);
  }
  painter->restore();
  QPen border(lineColor(palette), 1.0);
  if (box_.severity != Severity::kNone) border = {severityColor(palette, box_.severity), 2.0};
  if (isSelected()) border = {palette.color(QPalette::Highlight), 3.0};
  painter->setPen(border);
  painter->drawPath(shape);
  paintTexts(*painter, frame.adjusted(kStripe + kMargin, 6.0, -kMargin, -6.0));
}

void BoxItem::paintTexts(QPainter& painter, const QRectF& inside) const {
  const QPalette palette = QApplication::palette();
  const double line = inside.height() / 3.0;
  const auto draw = [&](const QString& text, int row, Qt::Alignment side, double from, double to) {
    const QRectF cell(inside.left() + from, inside.top() + row * line, to - from, line);
    const QString shown =
        QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, cell.width());
    painter.drawText(cell, side | Qt::AlignVCenter, shown);
  };
  const bool marked = box_.severity != Severity::kNone;
  const double wide = inside.width();
  painter.setFont(boxFont(QFont::Bold));
  painter.setPen(palette.color(QPalette::Text));
  draw(box_.title, 0, Qt::AlignLeft, 0.0, marked ? wide - kMark - 4.0 : wide);
  const QFont font = boxFont();
  painter.setFont(font);
  painter.setPen(quietColor(palette));
  draw(box_.detail, 1, Qt::AlignLeft, 0.0, wide);
  painter.setPen(palette.color(QPalette::Text));
  const double shapeWidth = QFontMetricsF(font).horizontalAdvance(shape_) + 2.0;
  draw(shape_, 2, Qt::AlignLeft, 0.0, std::min(wide, shapeWidth));
  painter.setPen(quietColor(palette));
  if (!parameters_.isEmpty()) {
    // Where the word has no room, the number stands alone.
    const double room = wide - shapeWidth - kMargin;
    const QString words = weightsText(parameters_);
    const bool fits = QFontMetricsF(font).horizontalAdvance(words) <= room;
    draw(fits ? words : parameters_, 2, Qt::AlignRight, std::min(wide, shapeWidth + kMargin), wide);
  }
  if (marked)
    severityIcon(palette, box_.severity)
        .paint(&painter, QRectF(inside.right() - kMark, inside.top() + 2.0, kMark, kMark).toRect());
}

ArrowItem::ArrowItem(const BoxItem& from, const BoxItem& to, const GraphEdge& edge,
                     const GraphGrid& grid) {
  const bool right = grid.flow() == GraphFlow::kRight;
  // "Along" goes with the arrows, "aside" across them.
  const auto point = [right](double along, double aside) {
    return right ? QPointF(along, aside) : QPointF(aside, along);
  };
  ahead_ = point(1.0, 0.0);
  double along = grid.column(from.box().column).second;
  double aside = grid.middleOf(from.box().row, 1.0);
  path_.moveTo(point(along, aside));
  const auto curveTo = [&](double nextAlong, double nextAside) {
    const double reach = std::max(20.0, (nextAlong - along) / 2.0);
    path_.cubicTo(point(along + reach, aside), point(nextAlong - reach, nextAside),
                  point(nextAlong, nextAside));
    along = nextAlong;
    aside = nextAside;
  };
  for (std::size_t passed = 0; passed < edge.passages.size(); ++passed) {
    const auto [begin, end] = grid.column(from.box().column + static_cast<int>(passed) + 1);
    curveTo(begin, grid.middleOf(edge.passages[passed], kPassage));
    path_.lineTo(point(along = end, aside));
  }
  const double tip = grid.column(to.box().column).first;
  tip_ = point(tip, grid.middleOf(to.box().row, 1.0));
  curveTo(tip - (kArrow - 1.0), grid.middleOf(to.box().row, 1.0));
  setZValue(-1.0);
}

QRectF ArrowItem::boundingRect() const {
  return path_.boundingRect().united({tip_, tip_}).adjusted(-kArrow, -kArrow, kArrow, kArrow);
}

void ArrowItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QColor color = quietColor(QApplication::palette());
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(color, 1.25));
  painter->drawPath(path_);
  painter->setPen(Qt::NoPen);
  painter->setBrush(color);
  const QPointF base = tip_ - kArrow * ahead_;
  const QPointF side = kArrow / 2.0 * QPointF(ahead_.y(), ahead_.x());
  const QPointF corners[] = {tip_, base + side, base - side};
  painter->drawPolygon(corners, 3);
}

LaneItem::LaneItem(const QString& title, const QRectF& boxes)
    : title_(title), ground_(boxes.adjusted(-kLaneEdge, -kLaneTitle, kLaneEdge, kLaneEdge)) {
  // A single narrow box may be narrower than the title.
  const double wide =
      QFontMetricsF(boxFont(QFont::Bold)).horizontalAdvance(title) + 2.0 * kLaneEdge;
  ground_.setWidth(std::max(ground_.width(), wide));
  setZValue(-2.0);
}

void LaneItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QPalette palette = QApplication::palette();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  QColor ground = palette.color(QPalette::Highlight);
  ground.setAlphaF(0.07F);
  painter->setBrush(ground);
  painter->drawRoundedRect(ground_, kRadius, kRadius);
  painter->setPen(quietColor(palette));
  painter->setFont(boxFont(QFont::Bold));
  painter->drawText(ground_.adjusted(kLaneEdge, 0.0, 0.0, 0.0).toRect().adjusted(0, 5, 0, 0),
                    Qt::AlignLeft | Qt::AlignTop, title_);
}

GraphView::GraphView(QWidget* parent) : QGraphicsView(parent), SpokenDrawing(this) {
  setScene(&scene_);
  setFrameShape(QFrame::StyledPanel);
  setDragMode(QGraphicsView::ScrollHandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setRenderHint(QPainter::Antialiasing);
  setBackgroundRole(QPalette::Window);
  setAccessibleName(tr("Graph of the model"));
  setToolTip(
      tr("Wheel or + and − zoom, 0 shows everything, arrows go from box to box, Enter opens "
         "the settings"));
  connect(&scene_, &QGraphicsScene::selectionChanged, this, &GraphView::describe);
}

// The scene tells of its end to a view that has no boxes any more.
GraphView::~GraphView() {
  scene_.disconnect(this);
}

GraphFlow GraphView::bestFlow() const {
  const auto share = [this](GraphFlow flow) {
    const QSizeF size = GraphGrid(graph_, flow).size();
    return std::min(viewport()->width() / size.width(), viewport()->height() / size.height());
  };
  return share(GraphFlow::kRight) >= share(GraphFlow::kDown) ? GraphFlow::kRight : GraphFlow::kDown;
}

void GraphView::setGraph(const ModelGraph& graph) {
  graph_ = graph;
  if (fitted_) flow_ = bestFlow();
  rebuild();
}

void GraphView::rebuild() {
  const QString before = selected() ? selected()->pointer : QString();
  boxes_.clear();
  arrows_.clear();
  lanes_.clear();
  scene_.clear();
  const GraphGrid grid(graph_, flow_);
  for (std::size_t index = 0; index < graph_.boxes.size(); ++index) {
    boxes_.push_back(new BoxItem(graph_, static_cast<int>(index), grid));
    scene_.addItem(boxes_.back());
  }
  for (const GraphEdge& edge : graph_.edges) {
    arrows_.push_back(new ArrowItem(*boxes_[static_cast<std::size_t>(edge.from)],
                                    *boxes_[static_cast<std::size_t>(edge.to)], edge, grid));
    scene_.addItem(arrows_.back());
  }
  addLanes();
  scene_.setSceneRect(scene_.itemsBoundingRect().adjusted(-kEdge, -kEdge, kEdge, kEdge));
  if (!before.isEmpty()) select(before);
  describe();
  if (fitted_) fit();
}

void GraphView::addLanes() {
  for (const auto& [lane, title] : {std::pair(GraphBox::Lane::kQuery, tr("Query tower")),
                                    std::pair(GraphBox::Lane::kCandidate, tr("Candidate tower"))}) {
    QRectF taken;
    for (const BoxItem* box : boxes_)
      if (box->box().lane == lane) taken |= box->frame();
    if (taken.isEmpty()) continue;
    lanes_.push_back(new LaneItem(title, taken));
    scene_.addItem(lanes_.back());
  }
}

void GraphView::zoomBy(double factor) {
  const double next = std::clamp(zoom() * factor, kMinZoom, kMaxZoom);
  fitted_ = false;
  scale(next / zoom(), next / zoom());
  emit zoomChanged();
}

void GraphView::fit() {
  resetTransform();
  const QRectF picture = scene_.sceneRect();
  if (picture.isEmpty()) return;
  const QSizeF room = viewport()->size();
  const double share =
      std::min({kMaxFit, room.width() / picture.width(), room.height() / picture.height()});
  scale(std::max(share, kMinZoom), std::max(share, kMinZoom));
  centerOn(picture.center());
  fitted_ = true;
  emit zoomChanged();
}

const GraphBox* GraphView::selected() const {
  for (const BoxItem* box : boxes_)
    if (box->isSelected()) return &box->box();
  return nullptr;
}

void GraphView::select(const QString& pointer) {
  const BoxItem* nearest = nullptr;
  for (const BoxItem* box : boxes_) {
    const QString& own = box->box().pointer;
    const bool around = pointer == own || pointer.startsWith(own + '/');
    if (around && (nearest == nullptr || own.size() > nearest->box().pointer.size())) nearest = box;
  }
  selectBox(nearest);
}

void GraphView::selectBox(const BoxItem* box) {
  for (BoxItem* each : boxes_) each->setSelected(each == box);
  if (box != nullptr) ensureVisible(box->sceneBoundingRect(), 16, 16);
}

void GraphView::step(const QPointF& direction) {
  const auto current = std::ranges::find_if(boxes_, &BoxItem::isSelected);
  if (current == boxes_.end()) {
    selectBox(boxes_.empty() ? nullptr : boxes_.front());
    return;
  }
  const BoxItem* best = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const BoxItem* box : boxes_) {
    const QPointF way = box->pos() - (*current)->pos();
    const double ahead = QPointF::dotProduct(way, direction);
    const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
    if (ahead < 1.0 || ahead + 2.0 * aside >= least) continue;
    least = ahead + 2.0 * aside;
    best = box;
  }
  if (best != nullptr) selectBox(best);
}

void GraphView::describe() {
  const auto current = std::ranges::find_if(boxes_, &BoxItem::isSelected);
  setAccessibleDescription(current != boxes_.end()
                               ? (*current)->description()
                               : tr("%1 boxes; arrow keys go through them").arg(boxes_.size()));
  spokenChanged();
}

int GraphView::spokenParts() const {
  return static_cast<int>(boxes_.size());
}

SpokenPart GraphView::spokenPart(int index) const {
  const BoxItem& box = *boxes_.at(static_cast<std::size_t>(index));
  const QString lane = box.box().lane == GraphBox::Lane::kQuery       ? tr(", query tower")
                       : box.box().lane == GraphBox::Lane::kCandidate ? tr(", candidate tower")
                                                                      : QString();
  QStringList readers;
  for (const GraphEdge& edge : graph_.edges)
    if (edge.from == index)
      readers << ModelGraph::nameOf(graph_.boxes.at(static_cast<std::size_t>(edge.to)));
  QString value = box.description().section('\n', 1).replace('\n', QStringLiteral(", "));
  if (!readers.isEmpty()) value += tr("; read by %1").arg(readers.join(QStringLiteral(", ")));
  return {ModelGraph::nameOf(box.box()) + lane, value,
          mapFromScene(box.sceneBoundingRect()).boundingRect()};
}

int GraphView::chosenPart() const {
  const auto current = std::ranges::find_if(boxes_, &BoxItem::isSelected);
  return current == boxes_.end() ? -1 : static_cast<int>(current - boxes_.begin());
}

QString GraphView::spokenValue() const {
  const int chosen = chosenPart();
  QString value = tr("%n boxes", nullptr, spokenParts());
  if (chosen >= 0) value += QStringLiteral("; ") + spokenPart(chosen).name;
  return value;
}

void GraphView::paintPicture(QPainter& painter) {
  const QSignalBlocker quiet(&scene_);
  scene_.render(&painter);
}

QSize GraphView::pictureSize() const {
  return scene_.sceneRect().size().toSize();
}

void GraphView::wheelEvent(QWheelEvent* event) {
  zoomBy(std::pow(kZoomStep, event->angleDelta().y() / kWheelStep));
  event->accept();
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(kZoomStep);
    case Qt::Key_Minus:
      return zoomBy(1.0 / kZoomStep);
    case Qt::Key_0:
    case Qt::Key_Home:
      return fit();
    case Qt::Key_Left:
      return step({-1.0, 0.0});
    case Qt::Key_Right:
      return step({1.0, 0.0});
    case Qt::Key_Up:
      return step({0.0, -1.0});
    case Qt::Key_Down:
      return step({0.0, 1.0});
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected() != nullptr) emit chosen(selected()->pointer);
      return;
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (selected() != nullptr) emit chosen(selected()->pointer);
  event->accept();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  QGraphicsView::mouseReleaseEvent(event);
  if (const auto* box = dynamic_cast<BoxItem*>(itemAt(event->pos()))) selectBox(box);
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  if (!fitted_) return;
  if (bestFlow() == flow_) return fit();
  flow_ = bestFlow();
  rebuild();
}

void GraphView::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) scene_.update();
}

}  // namespace parapet::ui
