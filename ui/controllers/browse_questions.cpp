// SPDX-License-Identifier: GPL-3.0-or-later
// Lines over lists: what was left out, where a list comes from, in which context it is.
// What a BrowseSession is asked besides lists: users, items, reasons, ranks, values of contexts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/controllers/browse_session.h"
#include "ui/models/setting_names.h"

namespace parapet::ui {

using retrieval::ContextValue;
using retrieval::Recommender;
using retrieval::SeenItems;
using retrieval::UserSummary;

namespace {

QString valueText(const ContextValue& value) {
  const QString text = shownText(value.value);
  return text.isEmpty() ? BrowseSession::tr("unknown") : text;
}

Error noModel() {
  return {ErrorCode::kNotFound, "no model is open; choose a run first"};
}

/// Positions of at most `limit` of `count`, spread evenly.
std::vector<std::size_t> spread(std::size_t count, std::size_t limit) {
  std::vector<std::size_t> at;
  const std::size_t stride = (count + limit - 1) / std::max<std::size_t>(1, limit);
  for (std::size_t i = 0; i < count; i += std::max<std::size_t>(1, stride)) at.push_back(i);
  return at;
}

void keepFirst(BrowseSession::UserList& users) {
  if (users.size() > BrowseSession::kUserLimit) users.resize(BrowseSession::kUserLimit);
}

}  // namespace

QString seenText(SeenItems seen) {
  switch (seen) {
    case SeenItems::kKeep:
      return BrowseSession::tr("seen items kept");
    case SeenItems::kExcludeTrain:
      return BrowseSession::tr("training items excluded");
    case SeenItems::kExcludeAll:
      break;
  }
  return BrowseSession::tr("all rated items excluded");
}

QString provenanceText(const Recommender& model, const QString& runName, std::int64_t candidates,
                       SeenItems seen) {
  return BrowseSession::tr("%1 · step %2 · data %3\n%4 candidates, %5")
      .arg(runName, QString::fromStdString(formatCount(model.model().step)),
           QString::fromStdString(model.dataset().hash().substr(0, 8)),
           QString::fromStdString(formatCount(candidates)), seenText(seen));
}

QString contextText(const std::vector<ContextValue>& context, bool hasLastRow) {
  QStringList given, last;
  for (const ContextValue& value : context)
    (value.given ? given : last) << QStringLiteral("%1 %2").arg(leafName(value.name),
                                                                valueText(value));
  if (!last.isEmpty())
    given << (hasLastRow ? BrowseSession::tr("%1 (as in the last row)")
                         : BrowseSession::tr("%1 (the most frequent)"))
                 .arg(last.join(QStringLiteral(" · ")));
  return given.join(QStringLiteral(" · "));
}

void BrowseSession::findUsers(const QString& text, Order order, std::uint64_t draw,
                              Done<UserList> done) {
  const RecommenderPtr model = model_;
  if (!model) return done(noModel());
  struct Found {
    UserList users;
    std::map<std::int32_t, double> sensitivities;
  };
  usersSearch_.start(
      [model, text = text.toStdString(), order, draw,
       known = sensitivities_.byUser](const WorkContext& context) -> Result<Found> {
        using retrieval::UserOrder;
        constexpr auto kAll = static_cast<std::size_t>(-1);
        Found found{{}, known};
        if (order == Order::kRandom) {
          UserList all = model->findUsers(text, UserOrder::kById, kAll);
          std::vector<std::int64_t> indices(all.size());
          std::iota(indices.begin(), indices.end(), std::int64_t{0});
          shuffle(indices, Random(draw, RandomPurpose::kSampling));
          for (std::size_t i = 0; i < std::min(indices.size(), kUserLimit); ++i)
            found.users.push_back(std::move(all[static_cast<std::size_t>(indices[i])]));
        } else if (order == Order::kSensitive) {
          UserList all = model->findUsers(text, UserOrder::kById, kAll);
          std::vector<std::int32_t> missing;
          for (const std::size_t at : spread(all.size(), kSensitivityUsers)) {
            found.users.push_back(std::move(all[at]));
            if (!known.contains(found.users.back().row)) missing.push_back(found.users.back().row);
          }
          PARAPET_ASSIGN(const auto measured, model->contextSensitivity(missing, context));
          for (std::size_t i = 0; i < missing.size(); ++i)
            found.sensitivities[missing[i]] = measured[i];
          std::ranges::stable_sort(found.users, std::greater{}, [&](const UserSummary& user) {
            const double value = found.sensitivities.at(user.row);
            return std::isnan(value) ? -1.0 : value;
          });
        } else {
          const UserOrder engineOrder =
              order == Order::kActiveFirst     ? UserOrder::kActivityDescending
              : order == Order::kInactiveFirst ? UserOrder::kActivityAscending
              : order == Order::kWorst         ? UserOrder::kWorst
                                               : UserOrder::kById;
          found.users = model->findUsers(text, engineOrder, kUserLimit);
        }
        keepFirst(found.users);
        for (UserSummary& user : found.users)
          if (const auto at = found.sensitivities.find(user.row); at != found.sensitivities.end())
            user.sensitivity = at->second;
        return found;
      },
      [this, model, done = std::move(done)](Result<Found> found) {
        if (!found.ok()) return done(found.error());
        if (sensitivities_.model == model) sensitivities_.byUser = std::move(found->sensitivities);
        done(std::move(found->users));
      });
}

void BrowseSession::findItems(const QString& text, Done<ItemList> done) {
  const RecommenderPtr model = model_;
  if (!model) return done(noModel());
  constexpr std::size_t kItemLimit = 50;
  itemsSearch_.start(
      [model, text = text.toStdString()](const WorkContext&) -> Result<ItemList> {
        return model->findItems(text, kItemLimit);
      },
      std::move(done));
}

void BrowseSession::explain(int column, const QString& item, Done<retrieval::Explanation> done) {
  const Column* asked = at(column);
  const RecommenderPtr model = modelOf(column);
  if (!asked || !model) return done(noModel());
  constexpr std::int64_t kNearest = 10;
  explain_.start(
      [model, query = asked->query, item = item.toStdString()](const WorkContext&) {
        return model->explain(queryOf(query, *model), item, kNearest);
      },
      std::move(done));
}

void BrowseSession::similar(int column, const QString& item, std::int64_t count,
                            Done<ItemList> done) {
  const RecommenderPtr model = modelOf(column);
  if (!model) return done(noModel());
  similar_.start([model, item = item.toStdString(),
                  count](const WorkContext&) { return model->similarItems(item, count); },
                 std::move(done));
}

void BrowseSession::itemRanks(const QString& item, Done<ItemRanks> done) {
  if (!model_) return done(noModel());
  std::vector<std::pair<ColumnQuery, RecommenderPtr>> asked;
  for (const Column& column : columns_)
    if (const RecommenderPtr& model = modelFor(column)) asked.emplace_back(column.query, model);
  ranks_.start(
      [asked = std::move(asked), item = item.toStdString(), k = k_, seen = seen(),
       filter = filter_](const WorkContext& context) -> Result<ItemRanks> {
        ItemRanks rows;
        for (const auto& [query, model] : asked) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          retrieval::Query own = queryOf(query, *model);
          PARAPET_ASSIGN(own.candidates, model->candidatesOf(filter));
          auto rank = model->rankOf(own, item, k, seen);
          if (rank)
            for (ContextValue& value : rank->context)
              value.given = query.context.contains(QString::fromStdString(value.name));
          const QString where =
              rank ? contextText(rank->context, model->hasTrainingRows(query.user.toStdString()))
                   : QString();
          rows.push_back({query.user, std::move(rank), where,
                          QString::fromStdString(model->model().runId).left(6),
                          model->model().step});
        }
        return rows;
      },
      std::move(done));
}

void BrowseSession::contextDomains(int column, Done<Domains> done) {
  const RecommenderPtr model = modelOf(column);
  if (!model || model->contexts().empty()) {
    domains_.cancel();
    return done(Domains());
  }
  // Checkpoints of a run share their data set and its training rows.
  const std::string run = model->model().runId;
  if (const auto known = domainsOf_.find(run); known != domainsOf_.end()) {
    domains_.cancel();
    return done(known->second);
  }
  domains_.start(
      [model](const WorkContext&) -> Result<Domains> {
        return model->contextDomains(kContextValues);
      },
      [this, run, done = std::move(done)](Result<Domains> found) {
        if (found.ok()) domainsOf_[run] = *found;
        done(std::move(found));
      });
}

void BrowseSession::attributeValues(const QString& name, Done<Values> done) {
  const RecommenderPtr model = model_;
  if (!model) return;  // asked for again once there is one
  values_.start([model, name = name.toStdString()](
                    const WorkContext&) { return model->attributeValues(name); },
                std::move(done));
}

}  // namespace parapet::ui
