/* Bias and Swish in one function, with its gradient: y = z * sigmoid(beta * z) for z = x + bias.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * custom-ops.json says what the tensors are; dlc calls these functions with pointers, sizes and nothing else.
 */
#include <math.h>
#include <stdint.h>

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

void bias_swish(const float *x, const float *bias, const float *beta, float *y, int64_t rows,
                int64_t channels) {
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < channels; ++c) {
      const float z = x[row * channels + c] + bias[c];
      y[row * channels + c] = z * sigmoid(beta[c] * z);
    }
}

/* dy/dz = s + beta * z * s * (1 - s) and dy/dbeta = z^2 * s * (1 - s), where s is the sigmoid. grad_x may lie
 * where grad_y does: each element is read before it is written. */
void bias_swish_grad(const float *x, const float *bias, const float *beta, const float *grad_y, float *grad_x,
                     float *grad_bias, float *grad_beta, int64_t rows, int64_t channels) {
  for (int64_t c = 0; c < channels; ++c)
    grad_bias[c] = grad_beta[c] = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t i = row * channels + c;
      const float z = x[i] + bias[c], s = sigmoid(beta[c] * z), slope = s * (1 - s), dy = grad_y[i];
      grad_x[i] = dy * (s + beta[c] * z * slope);
      grad_bias[c] += grad_x[i];
      grad_beta[c] += dy * z * z * slope;
    }
}
