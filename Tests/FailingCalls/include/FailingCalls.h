#pragma once

#include <stdint.h>

// A library that is loaded before others (LD_PRELOAD) and has one call fail.
//
// LAMINA_FAILING_CALLS names a file that begins with a `failing_calls`, and
// LAMINA_FAILING_PROGRAM the program, by the name of its file, in which calls are counted. Others
// are left alone. Processes that run the program count together, so that the one that takes a dead
// one's place goes on where that was. The file is mapped before the program begins, so it works in
// a sandbox, and whoever else maps it sees and sets the numbers at any time.

/// Groups of functions that are counted as one.
enum failing_call {
  failing_none,
  /// mmap.
  failing_mmap,
  /// open, openat, fopen, opendir and their kin, but for those of fonts and of threads' states.
  failing_open,
  /// pthread_create: the C library's own use of clone is out of reach.
  failing_thread,
  /// posix_spawn.
  failing_spawn,
  failing_memfd,
  failing_sendmsg,
  failing_recvmsg,
  failing_socketpair,
  /// What EGL and GL report failures by: their results, the status of framebuffers, shaders and
  /// programs, glGetError; and the functions that may run out of memory, which then do nothing,
  /// while the next glGetError says so.
  failing_graphics,
  /// glGetGraphicsResetStatus, whose result is `code`; the context draws and reads nothing then.
  failing_reset,
  /// The same function, which is only counted; contexts are not robust.
  failing_robustness,
  /// As failing_open, of fonts and their configuration.
  failing_fonts,
  /// As failing_open, of what /proc says of threads, which Dispatch reads.
  failing_thread_states,
};

struct failing_calls {
  /// A `failing_call`.
  uint32_t call;
  /// The errno, or another result.
  uint32_t code;
  /// The number of the call that fails, from 1.
  uint64_t place;
  /// If not 0, of the calls after that one each so many-th fails too.
  uint64_t interval;
  /// Counts the calls.
  uint64_t count;
  /// Counts the failures.
  uint64_t failures;
};
