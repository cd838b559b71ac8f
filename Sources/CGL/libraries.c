// The libraries' own headers, with the functions that they declare, and not CGL.h, which defines
// functions of the same names.
#define EGL_NO_X11 1
#include <EGL/egl.h>
#include <GLES3/gl3.h>
#include <gbm.h>

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

#define OPEN(name, functions) \
  lamina_open_library(name, functions, sizeof functions / sizeof *functions)

const char *lamina_open_egl(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_egl.name},
  static const struct lamina_function functions[] = {LAMINA_EGL_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libEGL.so.1", functions);
}

const char *lamina_open_gles(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_gles.name},
  static const struct lamina_function functions[] = {LAMINA_GLES_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libGLESv2.so.2", functions);
}

const char *lamina_open_gbm(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_gbm.name},
  static const struct lamina_function functions[] = {LAMINA_GBM_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libgbm.so.1", functions);
}
