#pragma once

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift cannot call. Functions return 0 or a count, or the negated errno.

/// As many descriptors as one message carries.
enum { lamina_max_descriptors = 16 };

/// Has the processor fetch what lies there while it does something else. Here because Swift has no
/// such instruction.
static inline void lamina_prefetch(const void *place) { __builtin_prefetch(place); }

/// Sends one message with up to `lamina_max_descriptors` descriptors, which stay the caller's.
/// `wait` false gives -EAGAIN where the peer's queue is full. A peer that is gone is -EPIPE, never
/// a signal. Here because control messages are laid out by function-like macros (CMSG_FIRSTHDR,
/// CMSG_LEN), which Swift does not import.
ssize_t lamina_send_message(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count,
    bool wait);

/// Receives one message; 0 when the peer closed. `descriptors` has room for
/// `lamina_max_descriptors`; those received close on exec and are the caller's. A message that did
/// not fit gives -EMSGSIZE, more descriptors than that -E2BIG, and more than the process may open
/// -EMFILE: all that arrived are then closed. `wait` false gives -EAGAIN where there is none. Here
/// for the same macros.
ssize_t lamina_receive_message(
    int socket, void *bytes, size_t capacity, int *descriptors, size_t *descriptor_count,
    bool wait);

/// An anonymous file in memory that closes on exec and can be sealed. Here because the declaration
/// and its flags depend on _GNU_SOURCE, which Swift's Glibc module does not promise.
int lamina_create_memory_file(const char *name);

/// What stops a memory file from changing its size, and from taking more seals. Here for the same
/// reason, and because fcntl is variadic.
enum {
  lamina_seal_seal = 1,
  lamina_seal_shrink = 2,
  lamina_seal_grow = 4,
};
int lamina_add_seals(int descriptor, int seals);
int lamina_get_seals(int descriptor);

/// 1 if a file lies in hugetlbfs, else 0. Here because Swift's Glibc module lacks fstatfs.
int lamina_has_huge_pages(int descriptor);

/// 1 if a descriptor is that of a dma-buf, else 0. Here for the same reason.
int lamina_is_dma_buf(int descriptor);

/// Tells a dma-buf's device that the processor begins, or ends, to read it. Waits until what writes
/// it is done. Here because ioctl is variadic and its codes are function-like macros.
int lamina_sync_dma_buf(int descriptor, bool begins);

/// Whether the process may have so many more descriptors now, at most 16. Here because fcntl is
/// variadic.
bool lamina_can_open(int count);

/// Gives the pages of a range back to the system; they read as zeros. Here because the flags of
/// fallocate depend on _GNU_SOURCE.
int lamina_punch_hole(int descriptor, int64_t offset, int64_t count);

/// Gets the pages of mapped memory that are not there, before they are touched. Here because older
/// C libraries lack the names.
int lamina_populate(void *start, size_t count, bool writes);

/// Where the first hole at or after a place is. Here because SEEK_HOLE depends on _GNU_SOURCE.
int64_t lamina_first_hole(int descriptor, int64_t offset);

/// Waits for events of a descriptor, as poll does, for at most `nanoseconds`, or if that is
/// negative for as long as it takes. Returns 1, 0 if nothing came, or -errno. Here because ppoll
/// depends on _GNU_SOURCE.
int lamina_poll(int descriptor, short events, int64_t nanoseconds);

/// From here on neither this process nor a child gains rights by exec. Here because prctl is
/// variadic.
int lamina_set_no_new_privileges(void);

/// Starts a program with the descriptors 0, 1 and 2 of this process and `socket` as 3, and no
/// others; signals at their defaults and none blocked. `arguments` and `environment` end in NULL.
/// Returns its process ID. Here because posix_spawn's types are opaque in some C libraries and
/// pointers in others, and closing all but a few descriptors needs _GNU_SOURCE.
pid_t lamina_spawn(
    const char *path, char *const arguments[], char *const environment[], int socket);

/// The exit code in a status of waitpid, or the negated signal that ended the process. Here because
/// WIFEXITED and the like are function-like macros.
int lamina_exit_code(int status);

/// Has the calling thread, and threads that it starts, be scheduled as a batch: when they wake,
/// they do not take a core from what runs there. With false, as usual. Returns whether that changed
/// anything: not for a thread that is scheduled in any other way. Here because SCHED_BATCH depends
/// on _GNU_SOURCE.
bool lamina_schedule_as_batch(bool is_batch);

/// The path of the program or library whose code or data is at an address; NULL where there is
/// none. Lives as long as that is loaded. Here because dladdr needs _GNU_SOURCE.
const char *lamina_loaded_file(const void *address);

/// A function of a library that is opened at run time, and where its address goes.
struct lamina_function {
  const char *name;
  void *address;
};

/// Opens a library for as long as the process lives, and finds its functions. NULL, or why it
/// cannot be used, until the thread's next call. Here because lists of functions are the
/// preprocessor's.
const char *lamina_open_library(
    const char *name, const struct lamina_function *functions, size_t count);

/// Ends the program with a line: it needs a library that cannot be opened, for that reason.
_Noreturn void lamina_end_without_library(const char *failure, const char *package);

// For a C file that defines functions of a library by their own names and links none of it. The
// first that is called opens the library, or ends the program with a line that names its `package`.
// A list of functions is a macro that says of each its result, name, parameters and arguments.
// Besides them, this defines `open`, which opens the library unless it is open: NULL, or why it
// cannot be used now, until the thread's next call. A file has one library.
#define LAMINA_LIBRARY(open, file, package, list) \
  static struct table { list(LAMINA_LIBRARY_POINTER) } table; \
  static bool is_open; \
  static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER; \
  const char *open(void); \
  const char *open(void) { \
    static const struct lamina_function functions[] = {list(LAMINA_LIBRARY_PLACE)}; \
    const char *failure = NULL; \
    pthread_mutex_lock(&opening); \
    if (!is_open) { \
      failure = lamina_open_library(file, functions, sizeof functions / sizeof *functions); \
      if (!failure) __atomic_store_n(&is_open, true, __ATOMIC_RELEASE); \
    } \
    pthread_mutex_unlock(&opening); \
    return failure; \
  } \
  static inline struct table *opened(void) { \
    if (__builtin_expect(!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE), 0)) { \
      const char *failure = open(); \
      if (failure) lamina_end_without_library(failure, package); \
    } \
    return &table; \
  } \
  list(LAMINA_LIBRARY_CALL)
#define LAMINA_LIBRARY_POINTER(result, name, parameters, arguments) result(*name) parameters;
#define LAMINA_LIBRARY_PLACE(result, name, parameters, arguments) {#name, &table.name},
#define LAMINA_LIBRARY_CALL(result, name, parameters, arguments) \
  result name parameters { return opened()->name arguments; }

/// Waits until a thread has ended and all of its destructors were called, for at most so long.
/// -ETIMEDOUT where it has not; it can be waited for again then. Here because
/// pthread_timedjoin_np needs _GNU_SOURCE.
int lamina_join(pthread_t thread, int milliseconds);

/// What a thread may do below a path.
enum lamina_file_use {
  lamina_read_files,
  /// Reads, writes and controls what is there.
  lamina_use_devices,
  /// Creates and deletes, too, but no devices, links or sockets.
  lamina_change_files,
};

struct lamina_file_rule {
  const char *path;
  enum lamina_file_use use;
};

/// Restricts the thread, and the threads and processes that it starts from now on, to this use of
/// files: nothing else is opened, run, created or deleted. TCP, abstract sockets and signals to
/// other processes are refused as well, if the kernel knows how. Paths that are not there are left
/// out. -ENOSYS or -EOPNOTSUPP if the kernel has no Landlock. Here because the C library has no
/// functions for it.
int lamina_restrict_files(const struct lamina_file_rule *rules, size_t count);

/// Gives up all capabilities of the thread. Here because the C library has no function for it.
int lamina_drop_capabilities(void);

/// Opens libseccomp. NULL, or why it cannot be used. Here for the same reason as
/// `lamina_open_library`.
const char *lamina_open_seccomp(void);

/// Makes a filter that lets threads make these system calls, and no others but for starting
/// threads, mapping memory and signals to the process itself. Others fail with EPERM.
/// `allows_new_code` tells whether memory may become executable. Returns 0 or -errno. Needs
/// `lamina_open_seccomp`. Here because CLONE_THREAD depends on _GNU_SOURCE.
int lamina_make_filter(
    const char *const *names, size_t count, bool allows_new_code, void **filter);

/// Applies a filter to all threads of the process from here on, and frees it. Returns 0 or -errno.
/// Needs no_new_privs.
int lamina_apply_filter(void *filter);
