#pragma once

// EGL, GLES 3 and GBM, for LaminaGLES and for the client's CAGLESLayer. None of the three is
// linked: they are opened when they are needed, and functions of their names call them through
// tables of pointers. Of the libraries' own headers only types and constants are used, so none may
// declare functions.

#define EGL_NO_X11 1
#define EGL_EGL_PROTOTYPES 0
#define GL_GLES_PROTOTYPES 0
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>

// gbm.h would declare its functions. libraries.c compares these with it.
#include <stdint.h>
struct gbm_device;
struct gbm_bo;
enum gbm_bo_flags { GBM_BO_USE_RENDERING = 1 << 2 };
enum gbm_bo_transfer_flags { GBM_BO_TRANSFER_READ = 1 << 0 };
enum { GBM_BO_IMPORT_FD = 0x5503 };
struct gbm_import_fd_data {
  int fd;
  uint32_t width;
  uint32_t height;
  uint32_t stride;
  uint32_t format;
};

#include "functions.h"

/// Opens a library and fills its table, the first time. NULL, or why it cannot be used; then no
/// function of it may be called. Here because only the preprocessor has the list of functions.
const char *lamina_open_egl(void);
const char *lamina_open_gles(void);
const char *lamina_open_gbm(void);

#define LAMINA_CALL(table, result, name, parameters, arguments) \
  static inline result name parameters { return table.name arguments; }
#define LAMINA_CALL_EGL(...) LAMINA_CALL(lamina_egl, __VA_ARGS__)
#define LAMINA_CALL_GLES(...) LAMINA_CALL(lamina_gles, __VA_ARGS__)
#define LAMINA_CALL_GBM(...) LAMINA_CALL(lamina_gbm, __VA_ARGS__)
LAMINA_EGL_FUNCTIONS(LAMINA_CALL_EGL)
LAMINA_GLES_FUNCTIONS(LAMINA_CALL_GLES)
LAMINA_GBM_FUNCTIONS(LAMINA_CALL_GBM)
#undef LAMINA_CALL
#undef LAMINA_CALL_EGL
#undef LAMINA_CALL_GLES
#undef LAMINA_CALL_GBM
