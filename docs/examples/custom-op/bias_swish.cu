/* What bias_swish.c computes, for NVIDIA GPUs: y = z * sigmoid(beta * z) for z = x + bias.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * custom-ops.json says how many threads call each function. */

static __device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/* One thread for each element. There are whole blocks, so the last threads have nothing to do. */
__global__ void bias_swish(const float *x, const float *bias, const float *beta, float *y, int64_t rows,
                           int64_t channels) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * channels)
    return;
  const float z = x[i] + bias[i % channels];
  y[i] = z * sigmoid(beta[i % channels] * z);
}

/* One block for each channel. Its threads take the rows in turn; then half of them add what the other half has
 * summed up, and so on: always in the same order, so that each run gives the same bits. */
__global__ void bias_swish_grad(const float *x, const float *bias, const float *beta, const float *grad_y,
                                float *grad_x, float *grad_bias, float *grad_beta, int64_t rows,
                                int64_t channels) {
  constexpr unsigned threads = 128; /* "block" in custom-ops.json */
  __shared__ float bias_sums[threads], beta_sums[threads];
  const int64_t c = blockIdx.x;
  if (c >= channels)
    return;
  float bias_sum = 0, beta_sum = 0;
  for (int64_t row = threadIdx.x; row < rows; row += threads) {
    const int64_t i = row * channels + c;
    const float z = x[i] + bias[c], s = sigmoid(beta[c] * z), slope = s * (1 - s), dy = grad_y[i];
    grad_x[i] = dy * (s + beta[c] * z * slope);
    bias_sum += grad_x[i];
    beta_sum += dy * z * z * slope;
  }
  bias_sums[threadIdx.x] = bias_sum;
  beta_sums[threadIdx.x] = beta_sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      bias_sums[threadIdx.x] += bias_sums[threadIdx.x + half];
      beta_sums[threadIdx.x] += beta_sums[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) {
    grad_bias[c] = bias_sums[0];
    grad_beta[c] = beta_sums[0];
  }
}
