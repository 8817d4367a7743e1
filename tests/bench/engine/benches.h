// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

// The engine's hot functions through their public headers, on the device that a run would use.
// Each function adds one sub-command that prints JSON lines.
namespace parapet::bench {

/// `vectors`: writes a file of float32 vectors that the engine and its peers all read.
void addVectors(CLI::App& program);
/// `top-k`: retrieval::topK.
void addTopK(CLI::App& program);
/// `matmul`: the op of that name.
void addMatmul(CLI::App& program);
/// `negatives`: tensor::negativesLoss beside its three products.
void addNegatives(CLI::App& program);
/// `sequences`: tensor::attention, tableSoftmax and GELU beside their products.
void addSequences(CLI::App& program);
/// `rows`: the ops gatherRows, groupRows and rowwiseAdagrad on a table that fits no cache.
void addRows(CLI::App& program);
/// `evaluation`: retrieval::topK and RankingMetrics, `ease`: retrieval::invertSymmetric; both beside
/// the same products alone.
void addEvaluation(CLI::App& program);
/// `planner`: mesh::planTables for tables and devices that need not be here.
void addPlanner(CLI::App& program);
/// `input`: data::BatchLoader over a large generated data set.
void addInput(CLI::App& program);
/// `ranking`: training steps of a recipe over users and items, tables placed on a mesh or not.
void addRanking(CLI::App& program);

/// `word-piece`: data::WordPiece over a text.
void addWordPiece(CLI::App& program);

}  // namespace parapet::bench
