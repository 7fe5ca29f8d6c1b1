/* A shared library that links a model: of all that it has of the model and the runtime, programs see this function. */
#include "mlp.h"

__attribute__((visibility("default"))) int plugin_trains(void) {
  mlp *model = NULL;
  dlc_create_options options = {.struct_size = sizeof options};
  if (mlp_create(&options, &model) != DLC_OK)
    return 0;
  mlp_destroy(model);
  return 1;
}
