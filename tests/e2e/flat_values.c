/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All parameters, and all gradients, as one array: federated averaging, an optimizer outside, gradients that
 * come from elsewhere. usage: flat_values DATA_FOLDER */
#include "training.h"

static float all[MLP_PARAMETERS_COUNT], other[MLP_PARAMETERS_COUNT], gradients[MLP_TRAINABLE_COUNT];

static void expect(int truth, const char *what) {
  if (!truth)
    fail(what, "is not so");
  printf("ok   %s\n", what);
}

/* The parameters one by one, as the header lists them. */
static void is_in_order(mlp *model) {
  float *next = other;
  for (int64_t i = 0; i < mlp_parameter_count(model); ++i) {
    dlc_parameter_info info;
    check(mlp_parameter_info(model, i, &info), model, "parameter_info");
    check(mlp_parameter_read(model, info.name, next, info.bytes), model, info.name);
    next += info.bytes / sizeof(float);
  }
  expect(next - other == MLP_PARAMETERS_COUNT, "the count is the sum of all");
  expect(mlp_parameters_count(model, 0) == MLP_PARAMETERS_COUNT &&
             mlp_parameters_count(model, 1) == MLP_TRAINABLE_COUNT,
         "the functions count as the header does");
  check(mlp_parameters_read_all(model, all, MLP_PARAMETERS_COUNT, 0), model, "parameters_read_all");
  expect(!memcmp(all, other, sizeof all), "the array has the parameters in the header's order");
}

/* A round of federated averaging: two clients go from the same parameters, the server takes the mean. */
static void averages_clients(const data_set *data) {
  mlp *clients[2] = {create(1), create(1)};
  for (int client = 0; client < 2; ++client) {
    train(clients[client], data, 10 * client, 10 * client + 10);
    check(mlp_parameters_read_all(clients[client], client ? other : all, MLP_PARAMETERS_COUNT, 0),
          clients[client], "parameters_read_all");
  }
  expect(memcmp(all, other, sizeof all) != 0, "clients learn from data of their own");
  for (int64_t i = 0; i < MLP_PARAMETERS_COUNT; ++i)
    all[i] = (all[i] + other[i]) / 2;
  for (int client = 0; client < 2; ++client) {
    check(mlp_parameters_write_all(clients[client], all, MLP_PARAMETERS_COUNT, 0), clients[client],
          "parameters_write_all");
    is_in_order(clients[client]);
  }
  static float scores[2][64 * 10];
  for (int client = 0; client < 2; ++client)
    check(mlp_predict(clients[client], 64, batch_images(data, 0), scores[client]), clients[client],
          "predict");
  expect(!memcmp(scores[0], scores[1], sizeof scores[0]), "both predict alike then");
  for (int client = 0; client < 2; ++client)
    mlp_destroy(clients[client]);
}

/* Gradients that one instance computes are another one's step. */
static void hands_gradients_on(const data_set *data) {
  mlp *straight = create(1), *computes = create(1), *applies = create(1);
  for (int64_t step = 0; step < 5; ++step) {
    check(mlp_train_step(straight, batch_images(data, step), batch_labels(data, step), NULL), straight,
          "train_step");
    check(mlp_grad_step(computes, batch_images(data, step), batch_labels(data, step), NULL), computes,
          "grad_step");
    check(mlp_gradients_read_all(computes, gradients, MLP_TRAINABLE_COUNT), computes, "gradients_read_all");
    check(mlp_gradients_write_all(applies, gradients, MLP_TRAINABLE_COUNT), applies, "gradients_write_all");
    check(mlp_apply(applies), applies, "apply");
    check(mlp_parameters_read_all(applies, all, MLP_TRAINABLE_COUNT, 1), applies, "parameters_read_all");
    check(mlp_parameters_write_all(computes, all, MLP_TRAINABLE_COUNT, 1), computes, "parameters_write_all");
  }
  check(mlp_parameters_read_all(straight, other, MLP_PARAMETERS_COUNT, 0), straight, "parameters_read_all");
  expect(!memcmp(all, other, sizeof all), "gradients handed on give the bits of train_step");
  mlp_destroy(straight);
  mlp_destroy(computes);
  mlp_destroy(applies);
}

/* An optimizer of the program's own: plain gradient descent on one batch. */
static void serves_an_optimizer(const data_set *data) {
  mlp *model = create(1);
  float first = 0, loss = 0;
  check(mlp_parameters_read_all(model, all, MLP_TRAINABLE_COUNT, 1), model, "parameters_read_all");
  for (int step = 0; step < 30; ++step) {
    check(mlp_set_seed(model, 1), model, "set_seed"); /* the same elements are dropped each time */
    check(mlp_grad_step(model, batch_images(data, 0), batch_labels(data, 0), &loss), model, "grad_step");
    first = step ? first : loss;
    check(mlp_gradients_read_all(model, gradients, MLP_TRAINABLE_COUNT), model, "gradients_read_all");
    for (int64_t i = 0; i < MLP_TRAINABLE_COUNT; ++i)
      all[i] -= 0.1f * gradients[i];
    check(mlp_parameters_write_all(model, all, MLP_TRAINABLE_COUNT, 1), model, "parameters_write_all");
  }
  printf("     loss from %g to %g\n", (double)first, (double)loss);
  expect(loss < 0.5f * first, "an optimizer outside lowers the loss");
  mlp_destroy(model);
}

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage", "flat_values DATA_FOLDER");
  data_set data = read_data(argv[1]);
  mlp *model = create(1);
  is_in_order(model);
  expect(mlp_gradients_read_all(model, gradients, MLP_TRAINABLE_COUNT) == DLC_UNAVAILABLE,
         "there are no gradients before a step");
  expect(mlp_parameters_write_all(model, all, MLP_PARAMETERS_COUNT - 1, 0) == DLC_INVALID_ARGUMENT &&
             strstr(mlp_last_error(model), "235146 numbers; the array has 235145") != NULL,
         "the sentence has both counts");
  mlp_destroy(model);
  averages_clients(&data);
  hands_gradients_on(&data);
  serves_an_optimizer(&data);
  free_data(&data);
  return 0;
}
