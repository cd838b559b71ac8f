#pragma once

// For a C file that defines functions of a library by their own names and links none of it. The first
// that is called opens the library. A list of functions is a macro that says of each its result,
// name, parameters and arguments. A file defines those of one library.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "CLinux.h"

#define LAMINA_POINTER(result, name, parameters, arguments) result(*name) parameters;
#define LAMINA_PLACE(result, name, parameters, arguments) {#name, &table.name},
#define LAMINA_CALL(result, name, parameters, arguments) \
  result name parameters { return opened()->name arguments; }

/// Defines the functions of a list, and `open`, which opens the library unless it is open: NULL, or
/// why it cannot be used now, until the thread's next call. Where a function is called and the
/// library cannot be opened, the program ends with a line that names its `package`.
#define LAMINA_LIBRARY(open, file, package, list) \
  static struct table { list(LAMINA_POINTER) } table; \
  static atomic_bool is_open; \
  static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; \
  const char *open(void) { \
    static const struct lamina_function functions[] = {list(LAMINA_PLACE)}; \
    const char *failure = NULL; \
    if (atomic_load_explicit(&is_open, memory_order_acquire)) return NULL; \
    pthread_mutex_lock(&opening); \
    if (!is_open) { \
      failure = lamina_open_library(file, functions, sizeof functions / sizeof *functions); \
      if (!failure) atomic_store_explicit(&is_open, true, memory_order_release); \
    } \
    pthread_mutex_unlock(&opening); \
    return failure; \
  } \
  static inline struct table *opened(void) { \
    if (__builtin_expect(!atomic_load_explicit(&is_open, memory_order_acquire), 0)) { \
      const char *failure = open(); \
      if (failure) { \
        fprintf(stderr, "Lamina: %s; install %s\n", failure, package); \
        abort(); \
      } \
    } \
    return &table; \
  } \
  list(LAMINA_CALL)
