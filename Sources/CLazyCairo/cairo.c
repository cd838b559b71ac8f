#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "CLazyCairo.h"

struct lazy_cairo lazy_cairo;

// The list says of each function what Cairo's header says.
#define SAME(result, name, parameters, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
LAZY_CAIRO_FUNCTIONS(SAME)
#undef SAME

const char *lazy_cairo_open(void) {
  static const struct {
    const char *name;
    size_t place;
  } functions[] = {
#define PLACE(result, name, parameters, arguments) {#name, offsetof(struct lazy_cairo, name)},
      LAZY_CAIRO_FUNCTIONS(PLACE)
#undef PLACE
  };
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) return dlerror();
    memcpy((char *)&lazy_cairo + functions[i].place, &address, sizeof address);
  }
  return NULL;
}
