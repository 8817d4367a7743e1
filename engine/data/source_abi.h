/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_DATA_SOURCE_ABI_H
#define PARAPET_ENGINE_DATA_SOURCE_ABI_H

/* The border between the engine and a plugin that reads and writes a columnar file format.
 *
 * A plugin exports the same three symbols as one that computes (engine/tensor/plugin_abi.h):
 * parapet_plugin_abi and parapet_plugin_build_tag, both read before any other call, and
 * parapet_plugin, here a PsPlugin. Its ABI number counts from 1001, so that neither kind is ever
 * taken for the other. Tables grow at their end only; a reader checks structSize before it uses a
 * slot.
 *
 * A file is rows in groups. A cursor reads some columns of one group as batches of rows; a batch
 * stays as it is until it is released, and may be read by any thread. Different cursors may be
 * used by different threads at once, one cursor by one thread at a time. Functions that can fail
 * return PS_OK or a kind of error whose text they leave in PsError. No function starts a thread or
 * throws. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PS_ABI_VERSION 1002u

/* PS_FAILED: a defect of the plugin. PS_DATA: the file is not what it should be. PS_IO: the system
 * refused. */
enum { PS_OK = 0, PS_FAILED = 1, PS_OUT_OF_MEMORY = 2, PS_UNSUPPORTED = 3, PS_DATA = 4, PS_IO = 5 };

typedef struct PsError {
  char text[1024]; /* UTF-8, ends with 0 */
} PsError;

/* What the values of a column are read as. PS_INTEGER: integers of any width, decimals without
 * decimal places, bools, days and times as seconds since 1970, and a column of nulls alone.
 * PS_NUMBER: floats and other decimals. PS_OTHER: a type that cannot be read; its typeName says
 * which. */
enum { PS_INTEGER = 0, PS_NUMBER = 1, PS_TEXT = 2, PS_OTHER = 3 };

typedef struct PsColumn {
  const char* name;
  const char* typeName; /* as the format calls it, "uint32", "list<float>" */
  int32_t kind;
  int32_t isList;
} PsColumn;

typedef struct PsFileInfo {
  int64_t rows, groups;
  const PsColumn* columns;
  int32_t columnCount;
} PsFileInfo;

/* A column within a group. Bounds, where they are known, are of the values as they are read, and
 * never too narrow. */
typedef struct PsChunk {
  int64_t values; /* rows, or the values of all lists */
  int64_t bytes;  /* once read, roughly */
  int32_t hasBounds;
  double least, most;
} PsChunk;

/* Value i is bytes[offsets[e], offsets[e + 1]) with e = codes[i], or e = i where codes is null.
 * Belongs to the batch. */
typedef struct PsTexts {
  const int32_t* codes;
  const int64_t* offsets;
  int64_t entries; /* offsets has one more */
  const char* bytes;
} PsTexts;

typedef struct PsFile PsFile;
typedef struct PsCursor PsCursor;
typedef struct PsBatch PsBatch;
typedef struct PsOutput PsOutput;

/* Columns of a batch are counted as the cursor's `columns` have them. */
typedef struct PsReading {
  uint32_t structSize;
  /* Reads what the file says of itself. No descriptor stays open. */
  int32_t (*open)(const char* path, PsFile** file, PsError* error);
  void (*close)(PsFile* file);
  void (*describe)(const PsFile* file, PsFileInfo* info); /* valid until close */
  int64_t (*groupRows)(const PsFile* file, int64_t group);
  void (*chunk)(const PsFile* file, int64_t group, int32_t column, PsChunk* chunk);

  /* Batches of at most batchRows rows. The file must stay open until finish. */
  int32_t (*start)(const PsFile* file, int64_t group, const int32_t* columns, int32_t columnCount,
                   int64_t batchRows, PsCursor** cursor, PsError* error);
  int32_t (*next)(PsCursor* cursor, PsBatch** batch, PsError* error); /* null: no more rows */
  void (*finish)(PsCursor* cursor);

  int64_t (*rows)(const PsBatch* batch);
  int64_t (*values)(const PsBatch* batch, int32_t column); /* rows, or the values of all lists */
  /* Lists: offsets [rows + 1], from 0. */
  int32_t (*offsets)(const PsBatch* batch, int32_t column, int32_t* out, PsError* error);
  /* How many rows are null, and [rows] 1 where one is; `out` may be null. A null list is empty. */
  int64_t (*nullRows)(const PsBatch* batch, int32_t column, uint8_t* out);
  /* The same for the [values] of lists. */
  int64_t (*nullValues)(const PsBatch* batch, int32_t column, uint8_t* out);
  /* [values], 0 for a null and for one that int64 cannot hold. PS_INTEGER only. */
  int32_t (*integers)(const PsBatch* batch, int32_t column, int64_t* out, PsError* error);
  /* [values], 0 for a null. PS_INTEGER and PS_NUMBER. */
  int32_t (*numbers)(const PsBatch* batch, int32_t column, double* out, PsError* error);
  /* "" for a null. PS_TEXT only. */
  void (*texts)(const PsBatch* batch, int32_t column, PsTexts* out);
  void (*release)(PsBatch* batch);

  /* The first value at `from` or behind it that int64 cannot hold, and its digits as the text of
   * `value`; [values] if there is none. PS_INTEGER only. */
  int64_t (*nextUnfit)(const PsBatch* batch, int32_t column, int64_t from, PsError* value);
  /* 1 if a time is between two seconds; then [values] how far behind the second that integers()
   * gives, in microseconds; 0 for a null. `out` may be null. */
  int32_t (*microseconds)(const PsBatch* batch, int32_t column, int32_t* out);
} PsReading;

enum {
  PS_UINT8 = 0,
  PS_UINT16 = 1,
  PS_UINT32 = 2,
  PS_INT64 = 3,
  PS_BOOL = 4,
  PS_FLOAT = 5,
  PS_DOUBLE = 6,
  PS_STRING = 7 /* stored as a dictionary */
};
enum { PS_PLAIN = 0, PS_SNAPPY = 1, PS_ZSTD = 2 };

typedef struct PsField {
  const char* name;
  int32_t type;
  int32_t isList, isNullable;
} PsField;

typedef struct PsText {
  const char* bytes;
  uint64_t size;
} PsText;

/* Rows of one column to be written; one of the three arrays is in use, as the type tells. They have
 * been checked against it. */
typedef struct PsValues {
  const int64_t* integers;
  const double* numbers;
  const PsText* texts;
  const uint8_t* missing; /* [rows] 1: null; may be null itself */
  const int32_t* offsets; /* lists: [rows + 1] */
} PsValues;

/* Takes the bytes of a file in order; 0 if it cannot. */
typedef int32_t (*PsWrite)(void* context, const void* bytes, uint64_t count);

typedef struct PsWriting {
  uint32_t structSize;
  int32_t (*create)(const PsField* fields, int32_t fieldCount, int32_t compression, PsWrite write,
                    void* context, PsOutput** output, PsError* error);
  /* One group. */
  int32_t (*append)(PsOutput* output, int64_t rows, const PsValues* columns, PsError* error);
  int32_t (*complete)(PsOutput* output, PsError* error);
  void (*discard)(PsOutput* output); /* at the end, completed or not */
} PsWriting;

typedef struct PsPlugin {
  uint32_t structSize;
  const char* name;    /* of the format, "parquet" */
  const char* library; /* what reads it, with its version */
  const PsReading* reading;
  const PsWriting* writing;
} PsPlugin;

#ifdef __cplusplus
}
#endif
#endif
