/* The operations of custom_ops.c for GPUs, with what CUDA C++ has: shuffles, shared memory, tables of constants,
 * functions and templates of their own, dims of blocks and grids.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

static __device__ int64_t number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ void wave(const float *x, const float *beta, float *y, int64_t n, int64_t c, int64_t h, int64_t w,
                     double scale, int64_t bend) {
  /* Steps of the grid: its size must be right, and blockIdx.y and blockDim.z those of a grid of one dim. */
  for (int64_t i = number() + blockIdx.y; i < n * c * h * w; i += int64_t(gridDim.x) * blockDim.x * blockDim.z) {
    const double z = x[i], b = beta[i / (h * w) % c], row = double(i / w % h);
    y[i] = float(scale * z / (1 + exp(-b * z)) + double(bend) * row * z);
  }
}

/* A warp for each channel. */
__global__ void __launch_bounds__(32) wave_grad(const float *x, const float *beta, const float *grad_y,
                                                float *grad_x, float *grad_beta, int64_t n, int64_t c,
                                                int64_t h, int64_t w, double scale, int64_t bend) {
  const int64_t channel = blockIdx.x;
  float sum = 0;
  for (int64_t at = threadIdx.x; at < n * h * w; at += warpSize) {
    const int64_t i = (at / (h * w) * c + channel) * h * w + at % (h * w);
    const double z = x[i], b = beta[channel], row = double(i / w % h), s = 1 / (1 + exp(-b * z));
    grad_x[i] = float(double(grad_y[i]) * (scale * (s + b * z * s * (1 - s)) + double(bend) * row));
    sum += float(double(grad_y[i]) * scale * z * z * s * (1 - s));
  }
  for (unsigned by = 16; by > 4; by /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, by);
  for (unsigned by = 4; by > 0; by /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, by, 8);
  if (threadIdx.x == 7) /* one of the eight that have all of it */
    grad_beta[channel] = sum;
}

__constant__ float factors[2] = {0.5f, 1};

template <typename T> static __device__ T square(T x) { return x * x; }

__global__ void bow(const float *x, float *y, int64_t n) {
  const int64_t i = number();
  if (i < n)
    y[i] = factors[0] * x[i] + factors[min(i, int64_t(0)) + 1] * square(x[i]);
}

__global__ void bow_grad(const float *x, const float *grad_y, float *grad_x, int64_t n) {
  if (const int64_t i = number(); i < n)
    grad_x[i] = grad_y[i] * (0.5f + 2 * x[i]);
}

/* A block for each row: its first threads bring the row to shared memory. */
__global__ void pick(const float *x, const int64_t *index, const uint8_t *counts, float *picked, double *total,
                     int64_t n, int64_t k) {
  __shared__ float row[16];
  const int64_t i = blockIdx.x;
  if (i >= n)
    return;
  for (int64_t j = threadIdx.x; j < k; j += blockDim.x)
    row[j] = x[i * k + j];
  __syncthreads();
  if (threadIdx.x == 1)
    picked[i] = counts[i] ? row[index[i]] : 0;
  if (threadIdx.x != 0)
    return;
  double sum = 0;
  for (int64_t j = 0; j < k; ++j)
    sum += double(row[j]);
  total[i] = sum;
}

__global__ void pick_grad(const float *, const int64_t *index, const uint8_t *counts, const float *grad_picked,
                          const double *grad_total, float *grad_x, int64_t n, int64_t k) {
  const int64_t at = number(), i = at / k;
  if (at < n * k)
    grad_x[at] = float(grad_total[i]) + (counts[i] && index[i] == at % k ? grad_picked[i] : 0);
}
