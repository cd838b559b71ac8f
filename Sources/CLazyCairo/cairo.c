#include "CLazyCairo.h"
#include "CLinux.h"

struct lazy_cairo lazy_cairo;

// The list says of each function what Cairo's header says.
#define SAME(result, name, parameters, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
LAZY_CAIRO_FUNCTIONS(SAME)
#undef SAME

const char *lazy_cairo_open(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lazy_cairo.name},
  static const struct lamina_function functions[] = {LAZY_CAIRO_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return lamina_open_library(
      "libcairo.so.2", functions, sizeof functions / sizeof *functions);
}
