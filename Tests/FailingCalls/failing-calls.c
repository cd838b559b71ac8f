#define _GNU_SOURCE
#include "FailingCalls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EGL_NO_X11 1
#define EGL_EGL_PROTOTYPES 0
#define GL_GLES_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>

// Where calls are counted; NULL in other programs, and before this one begins.
static struct failing_calls *_Atomic plan;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LAMINA_FAILING_CALLS");
  const char *program = getenv("LAMINA_FAILING_PROGRAM");
  if (!path || !program || strcmp(program, program_invocation_short_name) != 0) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) abort();
  void *page = (void *)syscall(
      SYS_mmap, NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  close(file);
  plan = page;
}

// Counts a call. Whether it is to fail.
static bool fails(enum failing_call call) {
  struct failing_calls *page = plan;
  if (!page || __atomic_load_n(&page->call, __ATOMIC_ACQUIRE) != call) return false;
  uint64_t number = __atomic_add_fetch(&page->count, 1, __ATOMIC_ACQ_REL);
  uint64_t place = __atomic_load_n(&page->place, __ATOMIC_ACQUIRE);
  uint64_t interval = __atomic_load_n(&page->interval, __ATOMIC_ACQUIRE);
  bool now = place > 0
             && (number == place || (interval > 0 && number > place && (number - place) % interval == 0));
  if (now) __atomic_add_fetch(&page->failures, 1, __ATOMIC_ACQ_REL);
  return now;
}

static int code(void) { return (int)__atomic_load_n(&plan->code, __ATOMIC_ACQUIRE); }

// MARK: The functions of others

typedef void *lookup(void *handle, const char *name);

static lookup *real_dlsym(void) {
  static lookup *_Atomic found;
  if (found) return found;
  // The names of the versions in which architectures got it.
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  for (int i = 0; i < 3 && !found; i++) found = (lookup *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  if (!found) abort();
  return found;
}

static void *next(const char *name) {
  void *found = real_dlsym()(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

// The function that this library's takes the place of.
#define NEXT(name) \
  ({ \
    static __typeof__(&name) found; \
    if (!found) found = (__typeof__(&name))next(#name); \
    found; \
  })

#define FAIL(call, result) \
  if (fails(call)) { \
    errno = code(); \
    return result; \
  }

// MARK: System calls

// As a system call, since it is needed before functions can be looked up.
void *mmap(void *address, size_t count, int protection, int flags, int file, off_t offset) {
  FAIL(failing_mmap, MAP_FAILED)
  return (void *)syscall(SYS_mmap, address, count, protection, flags, file, offset);
}

void *mmap64(void *address, size_t count, int protection, int flags, int file, off64_t offset) {
  return mmap(address, count, protection, flags, file, offset);
}

// The group of a file: what cannot be opened of fonts is left out by fontconfig, and Dispatch ends
// a program in which it cannot read what its threads do.
static enum failing_call opening(const char *path) {
  if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/stat")) return failing_thread_states;
  return strstr(path, "font") ? failing_fonts : failing_open;
}

static mode_t mode(int flags, va_list arguments) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name, ...) \
  va_list arguments; \
  va_start(arguments, flags); \
  mode_t bits = mode(flags, arguments); \
  va_end(arguments); \
  FAIL(opening(path), -1) \
  return NEXT(name)(__VA_ARGS__, flags, bits);

int open(const char *path, int flags, ...) { OPEN(open, path) }
int open64(const char *path, int flags, ...) { OPEN(open64, path) }
int openat(int folder, const char *path, int flags, ...) { OPEN(openat, folder, path) }
int openat64(int folder, const char *path, int flags, ...) { OPEN(openat64, folder, path) }

// By these names the C library's headers call them if the flags are not known in advance.
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat64(folder, path, flags); }

FILE *fopen(const char *path, const char *mode) {
  FAIL(opening(path), NULL)
  return NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  FAIL(opening(path), NULL)
  return NEXT(fopen64)(path, mode);
}

DIR *opendir(const char *path) {
  FAIL(opening(path), NULL)
  return NEXT(opendir)(path);
}

int memfd_create(const char *name, unsigned flags) {
  FAIL(failing_memfd, -1)
  return NEXT(memfd_create)(name, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
  FAIL(failing_socketpair, -1)
  return NEXT(socketpair)(domain, type, protocol, ends);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  if (fails(failing_sendmsg)) {
    // There is no such error while the connection stands.
    if (code() == EPIPE) shutdown(socket, SHUT_RDWR);
    errno = code();
    return -1;
  }
  return NEXT(sendmsg)(socket, message, flags);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  FAIL(failing_recvmsg, -1)
  return NEXT(recvmsg)(socket, message, flags);
}

// These two return their errors.

int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (fails(failing_thread)) return code();
  return NEXT(pthread_create)(thread, attributes, body, argument);
}

int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  if (fails(failing_spawn)) return code();
  return NEXT(posix_spawn)(process, path, actions, attributes, arguments, environment);
}

// MARK: EGL and GL

// Whether a function did nothing, of which glGetError is to tell.
static _Thread_local bool is_out_of_memory;
// Whether a reset was reported, after which a context does nothing.
static _Thread_local bool is_lost;

// Functions that return something else if they fail; then what they would have returned is not
// made.
#define RESULTS(F) \
  F(EGLDisplay, NULL, eglGetPlatformDisplay, \
    (EGLenum platform, void *native, const EGLAttrib *attributes), \
    (platform, native, attributes)) \
  F(EGLBoolean, EGL_FALSE, eglInitialize, (EGLDisplay display, EGLint *major, EGLint *minor), \
    (display, major, minor)) \
  F(EGLBoolean, EGL_FALSE, eglBindAPI, (EGLenum api), (api)) \
  F(EGLBoolean, EGL_FALSE, eglMakeCurrent, \
    (EGLDisplay display, EGLSurface draw, EGLSurface read, EGLContext context), \
    (display, draw, read, context)) \
  F(const char *, NULL, eglQueryString, (EGLDisplay display, EGLint name), (display, name)) \
  F(const GLubyte *, NULL, glGetString, (GLenum name), (name)) \
  F(GLenum, GL_FRAMEBUFFER_UNSUPPORTED, glCheckFramebufferStatus, (GLenum target), (target)) \
  F(GLuint, 0, glCreateProgram, (void), ()) \
  F(GLuint, 0, glCreateShader, (GLenum type), (type))

// Functions that allocate, or let the driver do so.
#define ALLOCATIONS(F) \
  F(glBufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage), \
    (target, size, data, usage)) \
  F(glTexImage2D, \
    (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLint border, \
     GLenum format, GLenum type, const void *pixels), \
    (target, level, internal, width, height, border, format, type, pixels)) \
  F(glTexSubImage2D, \
    (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, \
     GLenum type, const void *pixels), \
    (target, level, x, y, width, height, format, type, pixels)) \
  F(glTexImage3D, \
    (GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height, GLsizei depth, \
     GLint border, GLenum format, GLenum type, const void *pixels), \
    (target, level, internal, width, height, depth, border, format, type, pixels)) \
  F(glTexSubImage3D, \
    (GLenum target, GLint level, GLint x, GLint y, GLint z, GLsizei width, GLsizei height, \
     GLsizei depth, GLenum format, GLenum type, const void *pixels), \
    (target, level, x, y, z, width, height, depth, format, type, pixels)) \
  F(glBlitFramebuffer, \
    (GLint x0, GLint y0, GLint x1, GLint y1, GLint toX0, GLint toY0, GLint toX1, GLint toY1, \
     GLbitfield mask, GLenum filter), \
    (x0, y0, x1, y1, toX0, toY0, toX1, toY1, mask, filter)) \
  F(glGenerateMipmap, (GLenum target), (target)) \
  F(glFramebufferTexture2D, \
    (GLenum target, GLenum attachment, GLenum kind, GLuint texture, GLint level), \
    (target, attachment, kind, texture, level)) \
  F(glFramebufferTextureLayer, \
    (GLenum target, GLenum attachment, GLuint texture, GLint level, GLint layer), \
    (target, attachment, texture, level, layer)) \
  F(glClear, (GLbitfield mask), (mask)) \
  F(glDrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count)) \
  F(glMultiDrawArraysEXT, \
    (GLenum mode, const GLint *first, const GLsizei *count, GLsizei draws), \
    (mode, first, count, draws)) \
  F(glReadPixels, \
    (GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels), \
    (x, y, width, height, format, type, pixels)) \
  F(glUseProgram, (GLuint program), (program))

// Functions that write whether something worked.
#define STATUSES(F) \
  F(glGetShaderiv, GL_COMPILE_STATUS) \
  F(glGetProgramiv, GL_LINK_STATUS)

#define RESULT(type, failure, name, parameters, arguments) \
  static type(*real_##name) parameters; \
  static type failing_##name parameters { \
    if (fails(failing_graphics)) return failure; \
    return real_##name arguments; \
  }
RESULTS(RESULT)

#define ALLOCATION(name, parameters, arguments) \
  static void(*real_##name) parameters; \
  static void failing_##name parameters { \
    if (fails(failing_graphics)) { \
      is_out_of_memory = true; \
    } else if (!is_lost) { \
      real_##name arguments; \
    } \
  }
ALLOCATIONS(ALLOCATION)

#define STATUS(name, status) \
  static void (*real_##name)(GLuint, GLenum, GLint *); \
  static void failing_##name(GLuint object, GLenum subject, GLint *result) { \
    if (subject == status && fails(failing_graphics)) { \
      *result = GL_FALSE; \
    } else { \
      real_##name(object, subject, result); \
    } \
  }
STATUSES(STATUS)

static GLenum (*real_glGetError)(void);
static GLenum failing_glGetError(void) {
  if (!is_out_of_memory && !fails(failing_graphics)) return real_glGetError();
  is_out_of_memory = false;
  return GL_OUT_OF_MEMORY;
}

static EGLContext (*real_eglCreateContext)(EGLDisplay, EGLConfig, EGLContext, const EGLint *);
static EGLContext failing_eglCreateContext(
    EGLDisplay display, EGLConfig config, EGLContext shared, const EGLint *attributes) {
  if (fails(failing_graphics)) return EGL_NO_CONTEXT;
  is_lost = false;
  struct failing_calls *page = plan;
  if (page && page->call == failing_robustness) {
    for (const EGLint *attribute = attributes; *attribute != EGL_NONE; attribute += 2) {
      if (*attribute == EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT) return EGL_NO_CONTEXT;
    }
  }
  return real_eglCreateContext(display, config, shared, attributes);
}

static GLenum (*real_glGetGraphicsResetStatusEXT)(void);
static GLenum failing_glGetGraphicsResetStatusEXT(void) {
  fails(failing_robustness);
  if (!fails(failing_reset)) return real_glGetGraphicsResetStatusEXT();
  is_lost = true;
  return (GLenum)code();
}

// A function of this library that takes a graphics library's place; NULL for none.
static void *in_place_of(const char *name, void *real) {
  if (!plan || !real) return NULL;
#define LOOK_UP(function) \
  if (strcmp(name, #function) == 0) { \
    memcpy(&real_##function, &real, sizeof real); \
    return (void *)failing_##function; \
  }
#define LOOK_UP_RESULT(type, failure, name, ...) LOOK_UP(name)
#define LOOK_UP_FIRST(name, ...) LOOK_UP(name)
  RESULTS(LOOK_UP_RESULT)
  ALLOCATIONS(LOOK_UP_FIRST)
  STATUSES(LOOK_UP_FIRST)
  LOOK_UP(glGetError)
  LOOK_UP(eglCreateContext)
  LOOK_UP(glGetGraphicsResetStatusEXT)
  return NULL;
}

static __eglMustCastToProperFunctionPointerType (*real_eglGetProcAddress)(const char *);
static __eglMustCastToProperFunctionPointerType failing_eglGetProcAddress(const char *name) {
  void *real = (void *)real_eglGetProcAddress(name);
  void *place = in_place_of(name, real);
  return (__eglMustCastToProperFunctionPointerType)(place ? place : real);
}

void *dlsym(void *handle, const char *name) {
  // What these two find depends on who asks, so this function must not be on the stack.
  if (!plan || handle == RTLD_NEXT || handle == RTLD_DEFAULT
      || (strncmp(name, "gl", 2) != 0 && strncmp(name, "egl", 3) != 0)) {
    __attribute__((musttail)) return real_dlsym()(handle, name);
  }
  void *real = real_dlsym()(handle, name);
  if (real && strcmp(name, "eglGetProcAddress") == 0) {
    memcpy(&real_eglGetProcAddress, &real, sizeof real);
    return (void *)failing_eglGetProcAddress;
  }
  void *place = in_place_of(name, real);
  return place ? place : real;
}
