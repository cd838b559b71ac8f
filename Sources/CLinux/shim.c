#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

_Static_assert(lamina_seal_seal == F_SEAL_SEAL, "F_SEAL_SEAL");
_Static_assert(lamina_seal_shrink == F_SEAL_SHRINK, "F_SEAL_SHRINK");
_Static_assert(lamina_seal_grow == F_SEAL_GROW, "F_SEAL_GROW");

// Control data must be aligned as a cmsghdr is.
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(lamina_max_descriptors * sizeof(int))];
};

ssize_t lamina_send_message(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count,
    bool wait) {
  // A message without bytes would read as the end of the connection.
  if (count == 0 || descriptor_count > lamina_max_descriptors) return -EINVAL;
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  union control control;
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

// Takes the descriptors out of a message's control data. Returns false, with those that found no
// room closed, where there are more than `lamina_max_descriptors`.
static bool take_descriptors(struct msghdr *message, int *descriptors, size_t *count) {
  bool all_fit = true;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
       header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < here; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      if (*count < lamina_max_descriptors) {
        descriptors[(*count)++] = descriptor;
      } else {
        close(descriptor);
        all_fit = false;
      }
    }
  }
  return all_fit;
}

ssize_t lamina_receive_message(
    int socket, void *bytes, size_t capacity, int *descriptors, size_t *descriptor_count,
    bool wait) {
  *descriptor_count = 0;
  struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
  union control control;
  struct msghdr message = {
      .msg_iov = &vector,
      .msg_iovlen = 1,
      .msg_control = &control,
      .msg_controllen = sizeof control,
  };
  ssize_t received;
  do {
    received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;

  bool all_fit = take_descriptors(&message, descriptors, descriptor_count);
  ssize_t result = received;
  if (message.msg_flags & MSG_TRUNC) {
    result = -EMSGSIZE;
  } else if (!all_fit || message.msg_flags & MSG_CTRUNC) {
    // Cut off for want of room here, or of a descriptor that the process may have.
    result = *descriptor_count == lamina_max_descriptors ? -E2BIG : -EMFILE;
  }
  if (result <= 0) {
    for (size_t i = 0; i < *descriptor_count; i++) close(descriptors[i]);
    *descriptor_count = 0;
  }
  return result;
}

int lamina_create_memory_file(const char *name) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return descriptor < 0 ? -errno : descriptor;
}

int lamina_add_seals(int descriptor, int seals) {
  return fcntl(descriptor, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

int lamina_get_seals(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals < 0 ? -errno : seals;
}

int lamina_has_huge_pages(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) < 0) return -errno;
  return system.f_type == HUGETLBFS_MAGIC;
}

int lamina_is_dma_buf(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) < 0) return -errno;
  return system.f_type == DMA_BUF_MAGIC;
}

int lamina_sync_dma_buf(int descriptor, bool begins) {
  struct dma_buf_sync sync = {
      .flags = DMA_BUF_SYNC_READ | (begins ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END),
  };
  int result;
  do {
    result = ioctl(descriptor, DMA_BUF_IOCTL_SYNC, &sync);
  } while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result < 0 ? -errno : 0;
}

bool lamina_can_open(int count) {
  int files[16];
  int made = 0;
  for (; made < count && made < 16; made++) {
    files[made] = made == 0 ? eventfd(0, EFD_CLOEXEC) : fcntl(files[0], F_DUPFD_CLOEXEC, 0);
    if (files[made] < 0) break;
  }
  for (int i = 0; i < made; i++) close(files[i]);
  return made >= count;
}

int lamina_punch_hole(int descriptor, int64_t offset, int64_t count) {
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return fallocate(descriptor, mode, offset, count) < 0 ? -errno : 0;
}

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

int lamina_populate(void *start, size_t count, bool writes) {
  int advice = writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  long page = sysconf(_SC_PAGESIZE);
  int result;
  do {
    result = madvise(start, count, advice);
  } while (result < 0 && errno == EINTR);
  // QEMU's user mode says yes to any advice, to one that is none too, and does nothing.
  if (result == 0 && madvise(start, page, -1) < 0) return 0;
  if (result < 0 && errno != EINVAL) return -errno;
  // A kernel before 5.14, or QEMU. Others may write to the same page meanwhile. Unless the pointer
  // is volatile, a compiler leaves out an or with 0.
  for (volatile char *place = start; place < (char *)start + count; place += page) {
    if (writes) {
      __atomic_fetch_or(place, 0, __ATOMIC_RELAXED);
    } else {
      (void)__atomic_load_n(place, __ATOMIC_RELAXED);
    }
  }
  return 0;
}

int64_t lamina_first_hole(int descriptor, int64_t offset) {
  off_t hole = lseek(descriptor, offset, SEEK_HOLE);
  return hole < 0 ? -errno : hole;
}

int lamina_poll(int descriptor, short events, int64_t nanoseconds) {
  struct pollfd entry = {.fd = descriptor, .events = events};
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  int count = ppoll(&entry, 1, nanoseconds < 0 ? NULL : &limit, NULL);
  return count < 0 ? -errno : count;
}

int lamina_set_no_new_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

pid_t lamina_spawn(
    const char *path, char *const arguments[], char *const environment[], int socket) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return -error;
  posix_spawnattr_t attributes;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -error;
  }

  // Onto itself, dup2 clears close-on-exec here.
  error = posix_spawn_file_actions_adddup2(&actions, socket, 3);
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);

  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) {
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  pid_t process = 0;
  if (error == 0) {
    error = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error != 0 ? -error : process;
}

int lamina_exit_code(int status) {
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

const char *lamina_loaded_file(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : NULL;
}

bool lamina_schedule_as_batch(bool is_batch) {
  const struct sched_param parameter = {0};
  if (sched_getscheduler(0) != (is_batch ? SCHED_OTHER : SCHED_BATCH)) return false;
  return sched_setscheduler(0, is_batch ? SCHED_BATCH : SCHED_OTHER, &parameter) == 0;
}

int lamina_join(pthread_t thread, int milliseconds) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += milliseconds / 1000;
  deadline.tv_nsec += milliseconds % 1000 * 1000000L;
  if (deadline.tv_nsec >= 1000000000L) {
    deadline.tv_sec += 1;
    deadline.tv_nsec -= 1000000000L;
  }
  return -pthread_timedjoin_np(thread, NULL, &deadline);
}

const char *lamina_open_library(
    const char *name, const struct lamina_function *functions, size_t count) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) return dlerror();
    memcpy(functions[i].address, &address, sizeof address);
  }
  return NULL;
}

_Noreturn void lamina_end_without_library(const char *failure, const char *package) {
  fprintf(stderr, "Lamina: %s; install %s\n", failure, package);
  abort();
}
