// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

// The limits of this machine: short programs without a framework, against which the engine
// and its peers are held. Each function adds one sub-command that prints one JSON line.
namespace parapet::bench {

/// `fma`: multiply-adds of one vector register after another, in GFLOP/s.
void addFma(CLI::App& program);
/// `read`: a sum over memory of a given size, again and again, in GB/s.
void addRead(CLI::App& program);
/// `triad`: a = b + s·c over three arrays, 12 bytes an element, in GB/s.
void addTriad(CLI::App& program);
/// `rows`: random rows of a table read, then added to, in rows a second.
void addRows(CLI::App& program);
/// `sgemm`: products of the shapes given by oneDNN, in GFLOP/s.
void addSgemm(CLI::App& program);

}  // namespace parapet::bench
