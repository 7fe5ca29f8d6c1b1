/* The operations of custom_ops.py.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <math.h>
#include <stdint.h>

/* y = scale * x * sigmoid(beta * x) + bend * h * x, where h is the row in the image: whoever moves dims is
 * found out. */
void wave(const float *x, const float *beta, float *y, int64_t n, int64_t c, int64_t h, int64_t w,
          double scale, int64_t bend) {
  for (int64_t i = 0; i < n * c * h * w; ++i) {
    const double z = x[i], b = beta[i / (h * w) % c], row = (double)(i / w % h);
    y[i] = (float)(scale * z / (1 + exp(-b * z)) + (double)bend * row * z);
  }
}

void wave_grad(const float *x, const float *beta, const float *grad_y, float *grad_x, float *grad_beta,
               int64_t n, int64_t c, int64_t h, int64_t w, double scale, int64_t bend) {
  for (int64_t channel = 0; channel < c; ++channel) {
    double sum = 0;
    for (int64_t image = 0; image < n; ++image)
      for (int64_t i = (image * c + channel) * h * w, end = i + h * w; i < end; ++i) {
        const double z = x[i], b = beta[channel], row = (double)(i / w % h), s = 1 / (1 + exp(-b * z));
        grad_x[i] = (float)((double)grad_y[i] * (scale * (s + b * z * s * (1 - s)) + (double)bend * row));
        sum += (double)grad_y[i] * scale * z * z * s * (1 - s);
      }
    grad_beta[channel] = (float)sum;
  }
}

/* y = x / 2 + x^2, in place. */
void bow(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 0.5f * x[i] + x[i] * x[i];
}

void bow_grad(const float *x, const float *grad_y, float *grad_x, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    grad_x[i] = grad_y[i] * (0.5f + 2 * x[i]);
}

/* The element at an index of each row that counts, and the sum of the row. */
void pick(const float *x, const int64_t *index, const uint8_t *counts, float *picked, double *total,
          int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) {
    picked[i] = counts[i] ? x[i * k + index[i]] : 0;
    total[i] = 0;
    for (int64_t j = 0; j < k; ++j)
      total[i] += (double)x[i * k + j];
  }
}

void pick_grad(const float *x, const int64_t *index, const uint8_t *counts, const float *grad_picked,
               const double *grad_total, float *grad_x, int64_t n, int64_t k) {
  (void)x; /* gives the shape */
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j)
      grad_x[i * k + j] = (float)grad_total[i] + (counts[i] && index[i] == j ? grad_picked[i] : 0);
}
