// The libraries' own headers, with the functions that they declare, and not CGL.h, which defines
// functions of the same names.
#define EGL_NO_X11 1
#include <EGL/egl.h>
#include <GLES3/gl3.h>
#include <gbm.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "CLinux.h"
#include "functions.h"

struct lamina_egl lamina_egl;
struct lamina_gles lamina_gles;
struct lamina_gbm lamina_gbm;

// The list says of each function what its header says.
#define SAME(result, name, parameters, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
LAMINA_EGL_FUNCTIONS(SAME)
LAMINA_GLES_FUNCTIONS(SAME)
LAMINA_GBM_FUNCTIONS(SAME)
_Static_assert(GBM_BO_USE_RENDERING == 1 << 2, "GBM_BO_USE_RENDERING");
_Static_assert(GBM_BO_TRANSFER_READ == 1 << 0, "GBM_BO_TRANSFER_READ");
_Static_assert(GBM_BO_IMPORT_FD == 0x5503, "GBM_BO_IMPORT_FD");
_Static_assert(sizeof(struct gbm_import_fd_data) == 20, "gbm_import_fd_data");
_Static_assert(offsetof(struct gbm_import_fd_data, format) == 16, "gbm_import_fd_data");

// Fills a table once, whoever asks first. The text of a failure is kept, since the loader's own
// lasts until the thread's next call.
#define OPENER(title, file, list) \
  static pthread_once_t title##_once = PTHREAD_ONCE_INIT; \
  static const char *title##_failure; \
  static void fill_##title(void) { \
    static const struct lamina_function functions[] = {list}; \
    title##_failure = \
        lamina_open_library(file, functions, sizeof functions / sizeof *functions); \
    if (title##_failure) title##_failure = strdup(title##_failure); \
  } \
  const char *lamina_open_##title(void) { \
    pthread_once(&title##_once, fill_##title); \
    return title##_failure; \
  }

#define EGL_FUNCTION(result, name, parameters, arguments) {#name, &lamina_egl.name},
OPENER(egl, "libEGL.so.1", LAMINA_EGL_FUNCTIONS(EGL_FUNCTION))
#define GLES_FUNCTION(result, name, parameters, arguments) {#name, &lamina_gles.name},
OPENER(gles, "libGLESv2.so.2", LAMINA_GLES_FUNCTIONS(GLES_FUNCTION))
#define GBM_FUNCTION(result, name, parameters, arguments) {#name, &lamina_gbm.name},
OPENER(gbm, "libgbm.so.1", LAMINA_GBM_FUNCTIONS(GBM_FUNCTION))
