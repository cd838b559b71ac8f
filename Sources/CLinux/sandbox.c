#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock's interface, as the newest kernel that is known has it. The C library has no functions
// for it, and its header here may be older than the kernel.

struct landlock_ruleset {
  uint64_t files, net, scoped;
};

struct landlock_path {
  uint64_t rights;
  int32_t descriptor;
} __attribute__((packed));

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

enum {
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  REMOVE_DIR = 1 << 4,
  REMOVE_FILE = 1 << 5,
  MAKE_DIR = 1 << 7,
  MAKE_REG = 1 << 8,
  REFER = 1 << 13,
  TRUNCATE = 1 << 14,
  IOCTL_DEV = 1 << 15,
  /// What can be granted for a path that is no folder.
  OF_FILES = WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
};

/// All rights over files that a version of Landlock knows.
static uint64_t all_rights(int version) {
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return ((uint64_t)1 << count) - 1;
}

static uint64_t rights(enum lamina_file_use use) {
  switch (use) {
    case lamina_read_files: return READ_FILE | READ_DIR;
    case lamina_use_devices: return READ_FILE | READ_DIR | WRITE_FILE | IOCTL_DEV;
    case lamina_change_files:
      return READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR
             | MAKE_REG | REFER;
  }
  return 0;
}

int lamina_restrict_files(const struct lamina_file_rule *rules, size_t count) {
  long version = syscall(CREATE_RULESET, NULL, 0, RULESET_VERSION);
  if (version < 0) return -errno;
  uint64_t handled = all_rights((int)version);
  struct landlock_ruleset attributes = {
      .files = handled,
      .net = version >= 4 ? 3 : 0,     // Binding and connecting by TCP.
      .scoped = version >= 6 ? 3 : 0,  // Abstract sockets and signals.
  };
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int ruleset = (int)syscall(CREATE_RULESET, &attributes, size, 0);
  if (ruleset < 0) return -errno;
  for (size_t i = 0; i < count; i++) {
    int file = open(rules[i].path, O_PATH | O_CLOEXEC);
    if (file < 0) continue;  // Nothing can be granted for what is not there.
    struct landlock_path path = {.rights = rights(rules[i].use) & handled, .descriptor = file};
    if (syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &path, 0) < 0 && errno == EINVAL) {
      path.rights &= OF_FILES;
      syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &path, 0);
    }
    close(file);
  }
  int result = syscall(RESTRICT_SELF, ruleset, 0) < 0 ? -errno : 0;
  close(ruleset);
  return result;
}

int lamina_drop_capabilities(void) {
  for (int capability = 0; capability < 64; capability++) {
    // Not possible without CAP_SETPCAP, and not needed then: no_new_privs keeps exec from giving
    // any.
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
  memset(none, 0, sizeof none);
  return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

// libseccomp's interface. It is opened at run time, since not every machine has it.

struct seccomp_comparison {
  unsigned argument;
  int operation;
  uint64_t a, b;
};

static struct {
  void *(*init)(uint32_t);
  int (*attr_set)(void *, int, uint32_t);
  int (*resolve)(const char *);
  int (*add)(void *, uint32_t, int, unsigned, const struct seccomp_comparison *);
  int (*load)(void *);
  void (*release)(void *);
} seccomp;

enum { EQUAL = 4, MASKED_EQUAL = 7 };
enum { SYNCHRONIZE_THREADS = 4 };
#define ALLOW 0x7fff0000u
#define ERROR(code) (0x00050000u | (code))

const char *lamina_open_seccomp(void) {
  static const struct lamina_function functions[] = {
      {"seccomp_init", &seccomp.init},
      {"seccomp_attr_set", &seccomp.attr_set},
      {"seccomp_syscall_resolve_name", &seccomp.resolve},
      {"seccomp_rule_add_array", &seccomp.add},
      {"seccomp_load", &seccomp.load},
      {"seccomp_release", &seccomp.release},
  };
  return lamina_open_library(
      "libseccomp.so.2", functions, sizeof functions / sizeof *functions);
}

static int allow(
    void *filter, const char *name, unsigned count, const struct seccomp_comparison *comparisons) {
  int call = seccomp.resolve(name);
  if (call < 0) return 0;  // Not one of this machine's, or one of another's.
  return seccomp.add(filter, ALLOW, call, count, comparisons);
}

int lamina_make_filter(
    const char *const *names, size_t count, bool allows_new_code, void **made) {
  if (!seccomp.init) return -ENOSYS;
  void *filter = seccomp.init(ERROR(EPERM));
  if (!filter) return -ENOMEM;
  int result = seccomp.attr_set(filter, SYNCHRONIZE_THREADS, 1);
  for (size_t i = 0; i < count && result == 0; i++) result = allow(filter, names[i], 0, NULL);

  struct {
    const char *name;
    struct seccomp_comparison comparison;
  } conditions[] = {
      // Threads, but no processes.
      {"clone", {0, MASKED_EQUAL, CLONE_THREAD, CLONE_THREAD}},
      // Signals to itself.
      {"tgkill", {0, EQUAL, (uint64_t)getpid(), 0}},
      {"kill", {0, EQUAL, (uint64_t)getpid(), 0}},
      {"prctl", {0, EQUAL, PR_SET_NAME, 0}},
      // Limits are read, not set.
      {"prlimit64", {2, EQUAL, 0, 0}},
      {"mmap", {2, MASKED_EQUAL, allows_new_code ? 0 : PROT_EXEC, 0}},
      {"mprotect", {2, MASKED_EQUAL, allows_new_code ? 0 : PROT_EXEC, 0}},
  };
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions && result == 0; i++) {
    result = allow(filter, conditions[i].name, 1, &conditions[i].comparison);
  }
  // The arguments of clone3 lie in memory, where no filter sees them. The C library then uses
  // clone.
  int clone3 = seccomp.resolve("clone3");
  if (clone3 >= 0 && result == 0) result = seccomp.add(filter, ERROR(ENOSYS), clone3, 0, NULL);
  if (result == 0) {
    *made = filter;
  } else {
    seccomp.release(filter);
  }
  return result;
}

int lamina_apply_filter(void *filter) {
  int result = seccomp.load(filter);
  seccomp.release(filter);
  return result;
}
