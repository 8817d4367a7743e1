// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/ingest/download/download.h"
#include "engine/data/ingest/download/http_get.h"
#include "engine/data/ingest/download/known_datasets.h"
#include "engine/data/ingest/download/part_file.h"

/// Public data sets and how the apps download them.
namespace parapet::workspace {

using data::Checksum;
using data::download;
using data::DownloadReport;
using data::DownloadRequest;
using data::downloadsFolder;
using data::findKnownDataset;
using data::KnownDataset;
using data::knownDatasets;
using data::parseChecksum;
using data::parseWebAddress;
using data::partialBytes;
using data::TransferMeter;
using data::WebAddress;

}  // namespace parapet::workspace
