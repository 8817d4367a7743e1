// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <memory>

#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// The database of a store with one run, without the store's threads and without a sync: in a
/// transaction, which the test rolls back. Null if it could not be made.
inline std::unique_ptr<Database> databaseWithRun(const QTemporaryDir& folder, const char* id) {
  const std::string path = folder.filePath("runs.db").toStdString();
  {
    auto store = RunStore::open(path, {}).value();
    RunRecord run;
    run.id = id;
    run.experimentJson = "{}";
    if (!store->createRun(run).ok()) return nullptr;
  }
  auto database =
      std::make_unique<Database>(Database::open(path, Database::Access::kReadWrite).value());
  const bool begun =
      database->run("PRAGMA synchronous=OFF").ok() && database->run("BEGIN IMMEDIATE").ok();
  return begun ? std::move(database) : nullptr;
}

}  // namespace parapet::store
