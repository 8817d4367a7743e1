/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_MESH_COMMUNICATOR_ABI_H
#define PARAPET_ENGINE_MESH_COMMUNICATOR_ABI_H

/* The border between the engine and a plugin that moves data between the ranks of a mesh.
 *
 * A plugin exports the same three symbols as one that computes (engine/tensor/plugin_abi.h):
 * parapet_plugin_abi and parapet_plugin_build_tag, both read before any other call, and
 * parapet_plugin, here a PcPlugin. Its ABI number counts from 2001, so that no kind is ever taken
 * for another. engine/mesh/communicator.h is the contract of each collective; arguments have been
 * checked by the caller. Arrays by rank are the host's and are read before the call returns.
 *
 * A collective takes the buffers of all ranks at once. Those in the memory of a device are read and
 * written in the order of its stream: the call may return before they are. No call takes longer than
 * the time-out of its world. Functions return PC_OK or what went wrong, with text and rank in
 * PcError. None throws. A communicator is used by one thread at a time; abort may be called by any. */

#include "engine/tensor/plugin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PC_ABI_VERSION 2002u

/* PC_PEER: a rank failed, was silent for longer than the time-out, or the ranks were told to end. */
enum { PC_OK = 0, PC_FAILED = 1, PC_OUT_OF_MEMORY = 2, PC_UNSUPPORTED = 3, PC_PEER = 4 };

typedef struct PcError {
  int32_t rank;    /* whose fault it is, a rank or of a transport a process; -1 if not known */
  char text[1024]; /* UTF-8, ends with 0 */
} PcError;

/* As mesh::ElementType and mesh::Memory. */
enum { PC_F32 = 0, PC_F64 = 1, PC_BF16 = 2, PC_I32 = 3, PC_I64 = 4, PC_BYTES = 5 };
enum { PC_HOST = 0, PC_DEVICE = 1 };

typedef struct PcRank {
  const PpDevice* device;
  int32_t index; /* of the device */
} PcRank;

typedef struct PcWorld {
  uint32_t structSize;
  int32_t ranks;
  const PcRank* devices; /* [ranks] */
  int64_t timeoutMs;     /* of every call */
} PcWorld;

/* What a rank exchanges with each of the others, [ranks] elements each: see mesh::PeerCounts. */
typedef struct PcPeerCounts {
  const int64_t *send, *sendBegin, *receive;
} PcPeerCounts;

typedef struct PcCommunicator PcCommunicator;

/* What all collectives have in common. */
typedef struct PcCall {
  uint32_t structSize;
  int32_t type;
  int32_t memory;
  const void* const* in; /* [ranks]; of allReduce null: it works in `out` */
  void* const* out;      /* [ranks] */
} PcCall;

typedef struct PcCollectives {
  uint32_t structSize;
  int32_t (*create)(const PcWorld* world, PcCommunicator** made, PcError* error);
  /* Among some of the ranks, which number from 0 in it in the order given. It ends before the one
   * that it was made of; abort of either ends both. */
  int32_t (*group)(PcCommunicator* of, const int32_t* ranks, int32_t count, PcCommunicator** made,
                   PcError* error);
  void (*destroy)(PcCommunicator* communicator);

  int32_t (*allReduce)(PcCommunicator* communicator, const PcCall* call, int64_t n, PcError* error);
  /* counts: [ranks]. */
  int32_t (*reduceScatter)(PcCommunicator* communicator, const PcCall* call, const int64_t* counts,
                           PcError* error);
  int32_t (*allGather)(PcCommunicator* communicator, const PcCall* call, const int64_t* counts,
                       PcError* error);
  int32_t (*allToAll)(PcCommunicator* communicator, const PcCall* call, const PcPeerCounts* counts,
                      PcError* error);
  int32_t (*barrier)(PcCommunicator* communicator, PcError* error);
  void (*abort)(PcCommunicator* communicator, const char* reason);
} PcCollectives;

/* Holds what the processes of a run tell each other before they connect, and why they ended. Keys
 * are text that ends with 0, values any bytes; a key is set once. Any thread may call, until the
 * transport has been destroyed. Both return PC_OK or why not, with text. */
typedef struct PcStore {
  void* self;
  int32_t (*set)(void* self, const char* key, const void* bytes, int64_t size, PcError* error);
  /* Copies the value, of at most `capacity` bytes, once there is one. PC_PEER: there was none until
   * the time-out, which may be 0. */
  int32_t (*get)(void* self, const char* key, void* bytes, int64_t capacity, int64_t* size,
                 int64_t timeoutMs, PcError* error);
} PcStore;

/* How processes find each other. */
typedef struct PcMeeting {
  uint32_t structSize;
  int32_t processes, process;
  int64_t timeoutMs;       /* of every call */
  const char* bindAddress; /* of this process, where others reach it; a number, never a name */
  int64_t generation;      /* of the meeting: its keys in the store are no other's */
  PcStore store;
} PcMeeting;

typedef struct PcConnections PcConnections;

/* Messages between processes: mesh::Transport is the contract. What fails after create is told by
 * wait, and from then on everything fails. */
typedef struct PcTransport {
  uint32_t structSize;
  /* Returns when all processes are connected with each other. */
  int32_t (*create)(const PcMeeting* meeting, PcConnections** made, PcError* error);
  /* After the last wait; what was sent before it has been received if the others have said so. */
  void (*destroy)(PcConnections* connections);

  void (*send)(PcConnections* connections, int32_t to, uint64_t tag, const void* bytes,
               int64_t size);
  void (*receive)(PcConnections* connections, int32_t from, uint64_t tag, void* bytes,
                  int64_t size);
  int32_t (*wait)(PcConnections* connections, PcError* error);
  void (*close)(PcConnections* connections, const char* reason);
} PcTransport;

typedef struct PcPlugin {
  uint32_t structSize;
  const char* name; /* as the user asks for it, "gloo" */
  /* Either may be null, not both. */
  const PcCollectives* collectives;
  const PcTransport* transport;
} PcPlugin;

#ifdef __cplusplus
}
#endif
#endif
