/*===-- dlc/abi.h - what generated code and the runtime agree on ----------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The compiler emits one constant `dlc_model` per program, plus small C functions named after the
 * model which forward to the `dlc_instance_*` functions below. The model is the interface that users see;
 * each `dlc_target` of it says where tensors lie on one kind of machine and what the functions of the
 * program (train_step, predict ...) run there: tables of launches, which the runtime walks. This is the only
 * header shared by the compiler and the runtime. Any change of a struct or of a meaning raises
 * DLC_ABI_VERSION.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_ABI_H
#define DLC_ABI_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DLC_ABI_VERSION 10u

/* ---- execution ------------------------------------------------------------------------------ */

/* A kernel computes the chunks [begin, end) of its work. `buffers` are its inputs, then its outputs,
 * then its scratch; `dims` are the actual sizes of the program's named dims, in declaration order.
 * Chunks are fixed at compile time and write disjoint memory: any split over threads gives the same
 * bits. */
typedef void (*dlc_kernel)(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end);

/* ---- description of a model ----------------------------------------------------------------- */

typedef enum dlc_symbol_kind {
  DLC_PARAMETER = 0,       /* trained or frozen weight: saved, named as in the model */
  DLC_BUFFER = 1,          /* running statistic: saved */
  DLC_OPTIMIZER_STATE = 2, /* slot of the optimizer, shaped like its parameter: saved */
  DLC_GRADIENT = 3,        /* gradient kept by grad_step and accumulate: not saved */
  DLC_HYPERPARAMETER = 4,  /* rank 0, f64: saved, set by the user at run time */
  DLC_RNG = 5,             /* i64[2]: seed, number of steps drawn: saved */
  DLC_STEP_COUNT = 6,      /* i64, rank 0: optimizer updates done: saved */
  DLC_CONSTANT = 7         /* large constant of the program: comes with the weights, not saved */
} dlc_symbol_kind;

/* A tensor that lives from create to destroy, as users and files see it; a dlc_placement says where. */
typedef struct dlc_symbol {
  const char *name;   /* as users name it: "fc1.weight", "fc1.weight.exp_avg", "learning_rate" */
  uint32_t kind;      /* dlc_symbol_kind */
  uint32_t dtype;     /* dlc_dtype */
  uint32_t trainable; /* parameters: 1 unless frozen */
  uint32_t rank;
  const int64_t *shape;     /* logical shape, `rank` entries */
  const void *initial;      /* logical row-major initial values; NULL: all zero, or in the weights file */
  uint32_t in_weights_file; /* 1: `create` reads the initial value from the weights file */
  uint32_t
      average_of;    /* 0, or: the moving average of symbol `average_of - 1`, a parameter, which lies alike */
  double low, limit; /* hyperparameters: the values v with low <= v < limit are allowed */
} dlc_symbol;

/* The actual size of an axis: `factor` times the actual sizes of `dim_count` named dims (none: static). */
typedef struct dlc_axis {
  int64_t factor;
  const uint32_t *dims; /* indices in dlc_model::dims; the same may be there twice */
  uint32_t dim_count;
  uint32_t reserved;
} dlc_axis;

/* An input (or target) that the caller owns and passes to each call. */
typedef struct dlc_input {
  const char *name;
  uint32_t dtype;
  uint32_t rank;
  const int64_t *shape; /* with every named dim at its bound */
  const dlc_axis *axes; /* `rank` of them; NULL: all static */
  uint32_t is_target;   /* 1: a label or target, which predict does not take */
  uint32_t is_index;    /* 1: class indices or row numbers, checked before each call */
  int64_t index_limit;  /* valid indices are [index_low, index_limit) ... */
  int64_t index_low;
  int64_t ignore_index; /* ... or this value (INT64_MIN: none) */
  uint32_t taken_by; /* 0, or the one dlc_function_kind that takes it: DLC_VJP: the cotangent of output `of`,
                        DLC_JVP: the tangent of input `of`; has the shape and dtype of that. DLC_HVP: a number
                        for each one of the trainable parameters, in their order; `of` is 0 */
  uint32_t of;
} dlc_input;

typedef enum dlc_output_role {
  DLC_OUTPUT_LOSS = 0,        /* f32, rank 0: the step's loss as it is minimised */
  DLC_OUTPUT_PREDICTION = 1,  /* the model's outputs */
  DLC_OUTPUT_LOSS_SUM = 2,    /* f64, rank 0: eval: sum over the rows of the (weighted) loss */
  DLC_OUTPUT_LOSS_WEIGHT = 3, /* f64, rank 0: eval: loss_sum / loss_weight is the mean loss */
  DLC_OUTPUT_CORRECT = 4,     /* i64, rank 0: eval: rows whose largest score is the label */
  DLC_OUTPUT_INDEX_RANGE = 5, /* i64[4]: smallest and largest of computed indices, and the range [low, limit)
                                 that they must lie in; written by every function that computes them */
  DLC_OUTPUT_GRAD_NORM = 6,   /* f64, rank 0: the norm of all gradients before they were clipped */
  DLC_OUTPUT_GRADIENT = 7,    /* of DLC_VJP: the gradient of input `of`; has its shape and dtype */
  DLC_OUTPUT_TANGENT = 8,     /* of DLC_JVP: the tangent of output `of`, a prediction; the same */
  DLC_OUTPUT_PRODUCT = 9,     /* of DLC_HVP: like what it takes */
  /* Of steps that train, of their own batch: as the three of eval. A program has all three or none of them. */
  DLC_OUTPUT_STEP_LOSS_SUM = 10,
  DLC_OUTPUT_STEP_LOSS_WEIGHT = 11,
  DLC_OUTPUT_STEP_CORRECT = 12
} dlc_output_role;

/* A result. Predictions and derivatives are written to memory of the caller. */
typedef struct dlc_output {
  const char *name;
  uint32_t role; /* dlc_output_role */
  uint32_t dtype;
  uint32_t rank;
  uint32_t of; /* of derivatives; else 0 */
  const int64_t *shape;
  const dlc_axis *axes;
} dlc_output;

/* Instruction sets that code for a CPU uses; create refuses a CPU that lacks one. The bits are those of the
 * architecture that the code is for: these on x86-64, dlc_cpu_feature_aarch64 on AArch64. */
typedef enum dlc_cpu_feature {
  DLC_CPU_AVX2 = 1u << 0,
  DLC_CPU_FMA = 1u << 1,
  DLC_CPU_AVX512F = 1u << 2,
  DLC_CPU_AVX512BW = 1u << 3,
  DLC_CPU_AVX512DQ = 1u << 4,
  DLC_CPU_AVX512VL = 1u << 5,
  DLC_CPU_AVX512BF16 = 1u << 6,
  DLC_CPU_AVX512VNNI = 1u << 7,
  DLC_CPU_F16C = 1u << 8,
  DLC_CPU_BMI2 = 1u << 9,
  DLC_CPU_SSE42 = 1u << 10,
  DLC_CPU_POPCNT = 1u << 11,
  DLC_CPU_MOVBE = 1u << 12,
  DLC_CPU_LZCNT = 1u << 13,
  DLC_CPU_BMI1 = 1u << 14,
  DLC_CPU_AVX = 1u << 15,
  DLC_CPU_AVXVNNI = 1u << 16,
  DLC_CPU_GFNI = 1u << 17,
  DLC_CPU_AVX512CD = 1u << 18,
  DLC_CPU_AVX512IFMA = 1u << 19,
  DLC_CPU_AVX512VBMI = 1u << 20,
  DLC_CPU_AVX512VBMI2 = 1u << 21,
  DLC_CPU_AVX512BITALG = 1u << 22,
  DLC_CPU_AVX512VPOPCNTDQ = 1u << 23,
  DLC_CPU_AVX512FP16 = 1u << 24,
  DLC_CPU_AMX_TILE = 1u << 25,
  DLC_CPU_AMX_BF16 = 1u << 26
} dlc_cpu_feature;

typedef enum dlc_cpu_feature_aarch64 {
  DLC_CPU_AARCH64_LSE = 1u << 0,
  DLC_CPU_AARCH64_CRC32 = 1u << 1,
  DLC_CPU_AARCH64_RDM = 1u << 2,
  DLC_CPU_AARCH64_FP16 = 1u << 3,
  DLC_CPU_AARCH64_DOTPROD = 1u << 4,
  DLC_CPU_AARCH64_RCPC = 1u << 5,
  DLC_CPU_AARCH64_JSCVT = 1u << 6,
  DLC_CPU_AARCH64_FCMA = 1u << 7,
  DLC_CPU_AARCH64_SHA3 = 1u << 8,
  DLC_CPU_AARCH64_FHM = 1u << 9,
  DLC_CPU_AARCH64_FLAGM = 1u << 10,
  DLC_CPU_AARCH64_FRINT = 1u << 11,
  DLC_CPU_AARCH64_I8MM = 1u << 12,
  DLC_CPU_AARCH64_BF16 = 1u << 13,
  DLC_CPU_AARCH64_SVE = 1u << 14,
  DLC_CPU_AARCH64_SVE2 = 1u << 15,
  DLC_CPU_AARCH64_SVE2P1 = 1u << 16,
  DLC_CPU_AARCH64_F32MM = 1u << 17,
  DLC_CPU_AARCH64_F64MM = 1u << 18,
  DLC_CPU_AARCH64_CSSC = 1u << 19,
  DLC_CPU_AARCH64_MOPS = 1u << 20,
  DLC_CPU_AARCH64_HBC = 1u << 21,
  DLC_CPU_AARCH64_LUT = 1u << 22,
  DLC_CPU_AARCH64_FAMINMAX = 1u << 23,
  DLC_CPU_AARCH64_CMPBR = 1u << 24,
  DLC_CPU_AARCH64_FPRCVT = 1u << 25
} dlc_cpu_feature_aarch64;

/* A named dim: sizes 1..bound (static ones do not appear), in a training step least..bound. */
typedef struct dlc_dim {
  const char *name;
  int64_t bound;
  int64_t least; /* 0 is 1 */
} dlc_dim;

/* ---- one target of a model -------------------------------------------------------------------- */

typedef enum dlc_target_kind { DLC_TARGET_CPU = 0, DLC_TARGET_CUDA = 1 } dlc_target_kind;

/* Where a symbol lies on the target, and in which form. */
typedef struct dlc_placement {
  const int32_t *permutation; /* physical dim i is logical dim permutation[i]; NULL: the identity */
  uint64_t offset;            /* byte offset in the arena, a multiple of 64 */
  uint64_t bytes;             /* size in the arena */
  uint32_t panel; /* 0, or: the last physical dim is cut into panels of so many elements, which lie one
                     after the other, each with all other dims; divides that dim, rank at least 2 */
  uint32_t reserved;
} dlc_placement;

typedef struct dlc_kernel_info {
  const char *name;
  dlc_kernel function;
  int64_t chunks; /* at least 1 */
} dlc_kernel_info;

/* How a kernel uses what a place names. */
typedef enum dlc_access { DLC_ACCESS_READ = 1, DLC_ACCESS_WRITE = 2 } dlc_access;

typedef struct dlc_operand {
  uint64_t bytes;  /* with every named dim at its bound */
  uint32_t access; /* bits of dlc_access */
  uint32_t reserved;
} dlc_operand;

/* A kernel of a GPU. Its parameters are a pointer for each place of a launch, then one to the actual sizes of
 * the named dims (int64_t, in declaration order). Grid and block have one axis. */
typedef struct dlc_device_kernel {
  const char *name;
  const char *entry; /* its symbol in the images */
  const dlc_operand *operands;
  uint32_t operand_count; /* the places that each launch of it has */
  uint32_t grid;          /* blocks, at least 1 */
  uint32_t block;         /* threads of a block, 1 to 1024 */
  uint32_t shared_bytes;  /* of shared memory that is asked for at the launch */
} dlc_device_kernel;

typedef enum dlc_image_kind {
  DLC_IMAGE_PTX = 0,   /* text with a zero at its end, which counts */
  DLC_IMAGE_CUBIN = 1, /* machine code: for GPUs of the same major version, and the minor one or a newer */
  DLC_IMAGE_SIMT = 2   /* code of this machine, for a check without a GPU */
} dlc_image_kind;

/* With a compute capability: for this one alone, as "sm_90a" is. */
#define DLC_SM_EXACT 0x10000u

/* Code of all kernels of a target. Where there are several, the runtime takes the one that fits the GPU best.
 */
typedef struct dlc_image {
  uint32_t kind; /* dlc_image_kind */
  uint32_t sm;   /* compute capability, 80 is 8.0; 0 for DLC_IMAGE_SIMT */
  uint64_t bytes;
  const void *data;
} dlc_image;

/* What a kernel reads or writes: `offset` bytes (less than 2^40) after the begin of what kind and number
 * (less than 2^21) name. */
typedef uint64_t dlc_place;
#define DLC_PLACE(kind, number, offset)                                                                      \
  ((uint64_t)(offset) << 24 | (uint64_t)(number) << 3 | (uint64_t)(kind))

typedef enum dlc_place_kind {
  DLC_PLACE_WORKING = 0, /* the arena; `number` is 0 */
  DLC_PLACE_STATE = 1,   /* where symbol `number` lies */
  DLC_PLACE_INPUT = 2,   /* the caller's input `number` */
  DLC_PLACE_OUTPUT = 3   /* the caller's output `number` */
} dlc_place_kind;

#define DLC_COPY UINT32_MAX

/* Of a launch of a kernel, in copy_size: ranks add up what it has written to its last place, each getting the same sum
 * (dlc_instance_rank_step). The low bits are the number of the bytes in copy_sizes; the numbers are F32, or F64. */
#define DLC_SUM_OVER_RANKS 0x80000000u
#define DLC_SUM_OF_F64 0x40000000u

/* One entry of a function's table: runs a kernel on some places, or copies the first place to the second. */
typedef struct dlc_launch {
  uint32_t kernel;                   /* number in dlc_target::kernels, or DLC_COPY */
  uint32_t first_place, place_count; /* in dlc_function::places: what the kernel gets as `buffers` */
  uint32_t copy_size;                /* DLC_COPY: number in dlc_function::copy_sizes; else 0, or DLC_SUM_OVER_RANKS */
} dlc_launch;

/* Launches in the order in which they run. Its places name only inputs and outputs that it uses; apply has no
 * inputs. */
typedef struct dlc_function {
  const dlc_launch *launches;
  const dlc_place *places;
  const dlc_axis *copy_sizes; /* in bytes */
  uint32_t launch_count, place_count, copy_count;
  uint32_t reserved;
} dlc_function;

typedef enum dlc_function_kind {
  DLC_TRAIN_STEP = 0,
  DLC_GRAD_STEP = 1,
  DLC_ACCUMULATE = 2,
  DLC_APPLY = 3,
  DLC_EVAL_STEP = 4,
  DLC_PREDICT = 5,
  /* The first three for any sizes of the named dims; those above run where all have their bounds. A program
   * has these three or none of them. */
  DLC_TRAIN_STEP_N = 6,
  DLC_GRAD_STEP_N = 7,
  DLC_ACCUMULATE_N = 8,
  /* Derivatives of the prediction: its vector-Jacobian product and its Jacobian-vector product. */
  DLC_VJP = 9,
  DLC_JVP = 10,
  /* The Hessian of the loss by the trainable parameters, times a vector. */
  DLC_HVP = 11
} dlc_function_kind;
#define DLC_FUNCTIONS 12

/* The part of the runtime for a kind of machine. A model names it by its symbol, so that a program links only
 * what its models need. */
typedef struct dlc_backend dlc_backend;
extern const dlc_backend dlc_cpu_backend, dlc_cuda_backend;

typedef struct dlc_target {
  uint32_t kind;        /* dlc_target_kind */
  uint32_t features;    /* of a CPU: bits of dlc_cpu_feature or dlc_cpu_feature_aarch64; of a GPU: the least
                           compute capability, as in dlc_image */
  uint64_t arena_bytes; /* symbols, then the working memory shared by all functions */
  const dlc_placement *placements; /* of dlc_model::symbols, in their order */
  const dlc_kernel_info *kernels;  /* of a CPU */
  const dlc_function *functions;   /* of each kind, up to the last that dlc_model::functions has */
  uint32_t kernel_count;
  uint32_t image_count;
  const dlc_device_kernel *device_kernels; /* of a GPU */
  const dlc_image *images;
  const dlc_backend *backend; /* NULL: the CPU's */
} dlc_target;

/* ---- the model -------------------------------------------------------------------------------- */

typedef struct dlc_model {
  uint32_t abi_version; /* DLC_ABI_VERSION of the compiler */
  uint32_t functions; /* bits `1 << dlc_function_kind`: a program compiled without a loss has predict only */
  const char *name;   /* the C prefix */
  uint64_t fingerprint;     /* of the interface: names, shapes, dtypes; the header carries the same */
  const char *weights_file; /* default weights path (file name), NULL when embedded or none needed */
  int64_t batch;            /* rows of a full batch, 0 when no dim is the batch */
  const dlc_symbol *symbols;
  uint32_t symbol_count;
  uint32_t input_count;
  const dlc_input *inputs;
  const dlc_output *outputs;
  uint32_t output_count;
  uint32_t dim_count;
  const dlc_dim *dims;       /* dims[0] is the batch where there is one */
  const dlc_target *targets; /* create takes the first that this machine can run */
  uint32_t target_count;
  uint32_t fixed_batch; /* 1: DLC_TRAIN_STEP_N and so on take no other batch than a full one */
} dlc_model;

/* ---- what the generated `<name>_*` functions call --------------------------------------------- */

typedef struct dlc_instance dlc_instance;

dlc_status dlc_instance_create(const dlc_model *model, uint32_t header_abi, uint64_t header_fingerprint,
                               const dlc_create_options *options, dlc_instance **out);
void dlc_instance_destroy(dlc_instance *instance);
dlc_status dlc_instance_train_step(dlc_instance *instance, const void *const *inputs, float *loss);
/* A training step in slices, with the bits of train_step. `continue` runs pieces of it until about so many
 * microseconds have passed, at least one; `*done` receives 1 where that was the last one, and only then can
 * the step fail (DLC_NOT_FINITE, DLC_INDEX_OUT_OF_RANGE). Inputs must stay as they are until then. Everything
 * but continue, destroy and what takes a const instance answers DLC_BUSY meanwhile; step_count is that from
 * before. On a GPU the step is one piece. */
dlc_status dlc_instance_train_step_begin(dlc_instance *instance, const void *const *inputs);
dlc_status dlc_instance_train_step_begin_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                           const void *const *inputs);
dlc_status dlc_instance_train_step_continue(dlc_instance *instance, int64_t microseconds, int32_t *done);
dlc_status dlc_instance_grad_step(dlc_instance *instance, const void *const *inputs, float *loss);
dlc_status dlc_instance_accumulate(dlc_instance *instance, const void *const *inputs, float *loss);
dlc_status dlc_instance_apply(dlc_instance *instance);
dlc_status dlc_instance_sync(dlc_instance *instance, float *loss);
dlc_status dlc_instance_eval_step(dlc_instance *instance, int64_t rows, const void *const *inputs,
                                  dlc_metrics *metrics);
/* `sizes`: of the named dims after the batch, dims[1] on; NULL: each at its bound. The calls above run with
 * all of these at their bounds. */
dlc_status dlc_instance_train_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                     const void *const *inputs, float *loss);
dlc_status dlc_instance_grad_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                    const void *const *inputs, float *loss);
dlc_status dlc_instance_accumulate_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                     const void *const *inputs, float *loss);
dlc_status dlc_instance_eval_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                    const void *const *inputs, dlc_metrics *metrics);
dlc_status dlc_instance_predict(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                const void *const *inputs, void *const *outputs);
/* As predict: `inputs` has cotangents or tangents where the description has them, `outputs` takes what the
 * function gives. */
dlc_status dlc_instance_vjp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs);
dlc_status dlc_instance_jvp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs);
/* The derivative of each prediction by each input: for each pair a matrix of the caller's, predictions first,
 * each with the prediction's elements as rows and the input's as columns, all of one dtype. As many calls of
 * vjp or of jvp as are needed, of that which needs fewer. Allocates memory meanwhile: DLC_OUT_OF_MEMORY. */
dlc_status dlc_instance_jacobian(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                 const void *const *inputs, void *const *matrices);
/* The same with targets, as eval_step takes them; of the loss that training has, at the state that is there.
 */
dlc_status dlc_instance_hvp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs);
dlc_status dlc_instance_save(dlc_instance *instance, const char *path);
dlc_status dlc_instance_save_weights(dlc_instance *instance, const char *path);
dlc_status dlc_instance_load(dlc_instance *instance, const char *path);
/* The bytes of the files above, in the caller's memory. `*needed` receives how many there are; a NULL buffer
 * of 0 bytes asks for this number alone, and a buffer that is too small is DLC_INVALID_ARGUMENT. */
dlc_status dlc_instance_save_to_memory(dlc_instance *instance, void *buffer, size_t bytes, size_t *needed);
dlc_status dlc_instance_save_weights_to_memory(dlc_instance *instance, void *buffer, size_t bytes,
                                               size_t *needed);
dlc_status dlc_instance_load_from_memory(dlc_instance *instance, const void *data, size_t bytes);
/* Gives the instance the state of `from`, as if save and then load had gone through a file. The models must
 * be the same one by fingerprint, names and shapes (DLC_INVALID_ARGUMENT), though perhaps compiled for
 * different machines or running on different ones. DLC_BUSY where a call on either of them runs;
 * DLC_UNAVAILABLE where averages are in the places of parameters; DLC_NOT_FINITE where the instance has
 * check_finite and the state has a NaN or infinite value. The sentence is the instance's, not that of `from`.
 */
dlc_status dlc_instance_copy_state(dlc_instance *instance, dlc_instance *from);
dlc_status dlc_instance_set_hyperparameter(dlc_instance *instance, const char *name, double value);
dlc_status dlc_instance_get_hyperparameter(dlc_instance *instance, const char *name, double *value);
dlc_status dlc_instance_set_seed(dlc_instance *instance, uint64_t seed);
/* Optimizer updates done so far (kept by save and load: a resumed program knows where it was); 0 for
 * NULL or a model compiled without a loss. */
int64_t dlc_instance_step_count(const dlc_instance *instance);
int64_t dlc_instance_parameter_count(const dlc_instance *instance);
dlc_status dlc_instance_parameter_info(const dlc_instance *instance, int64_t index, dlc_parameter_info *info);
dlc_status dlc_instance_parameter_read(dlc_instance *instance, const char *name, void *buffer, size_t bytes);
dlc_status dlc_instance_parameter_write(dlc_instance *instance, const char *name, const void *buffer,
                                        size_t bytes);
dlc_status dlc_instance_parameter_view(dlc_instance *instance, const char *name, void **data);
dlc_status dlc_instance_gradient_read(dlc_instance *instance, const char *name, void *buffer, size_t bytes);
dlc_status dlc_instance_gradient_write(dlc_instance *instance, const char *name, const void *buffer,
                                       size_t bytes);
/* All parameters and buffers, or the trained parameters alone, as one array: in the order of parameter_info,
 * each row-major. It has doubles where a parameter or buffer is F64, else floats; what is neither F32 nor F64
 * has no part in it. `count` must be how many numbers there are. The gradients are those of the trained
 * parameters, in their order. Writing floats that come as doubles takes memory (DLC_OUT_OF_MEMORY). */
int64_t dlc_instance_parameters_count(const dlc_instance *instance, int32_t trainable_only);
dlc_status dlc_instance_parameters_read_all(dlc_instance *instance, void *values, int64_t count,
                                            int32_t trainable_only);
dlc_status dlc_instance_parameters_write_all(dlc_instance *instance, const void *values, int64_t count,
                                             int32_t trainable_only);
dlc_status dlc_instance_gradients_read_all(dlc_instance *instance, void *values, int64_t count);
dlc_status dlc_instance_gradients_write_all(dlc_instance *instance, const void *values, int64_t count);
dlc_status dlc_instance_grad_norm(dlc_instance *instance, double *norm);
/* Of the last train_step, grad_step or accumulate, of its own batch and before an update: sums and counts as
 * eval_step has them, but of the training itself, with its dropout and the statistics of the batch.
 * DLC_UNAVAILABLE before the first, and where the program has no DLC_OUTPUT_STEP_*. */
dlc_status dlc_instance_step_metrics(dlc_instance *instance, dlc_metrics *metrics);
dlc_status dlc_instance_use_average(dlc_instance *instance, int32_t use);
/* Entries of the caller's own, numbers and texts by name, such as the epoch or the best accuracy: save writes them,
 * load and copy_state replace all of them. A name has 1 to 200 bytes, a text up to 65536, both UTF-8 without control
 * characters in the name; there may be 1000, of 262144 bytes in all (DLC_INVALID_ARGUMENT). Writing replaces an entry of that name, and a NULL text takes it out.
 * What is read is NULL or 0 and DLC_INVALID_ARGUMENT where there is no entry of that name and kind; a text stays the
 * instance's, valid until the next call that writes or loads. */
dlc_status dlc_instance_extra_write_number(dlc_instance *instance, const char *name, double value);
dlc_status dlc_instance_extra_write_text(dlc_instance *instance, const char *name, const char *text);
dlc_status dlc_instance_extra_read_number(dlc_instance *instance, const char *name, double *value);
dlc_status dlc_instance_extra_read_text(dlc_instance *instance, const char *name, const char **text);
/* How many there are; the name of one, from 0, and whether it is a number (`is_number` may be NULL). */
int64_t dlc_instance_extra_count(const dlc_instance *instance);
dlc_status dlc_instance_extra_name(dlc_instance *instance, int64_t index, const char **name, int32_t *is_number);
/* Takes over what `from`, an instance of another model, has learned: the values of parameters, buffers and
 * states of the optimizer of the same name, kind, dtype and shape, and where training stands (the count of
 * steps, unless the optimizer begins anew, and the random numbers). `visit`, which may be NULL, is told which
 * of these tensors were taken. */
dlc_status dlc_instance_adopt(dlc_instance *instance, dlc_instance *from,
                              void (*visit)(void *context, const dlc_symbol *symbol, int32_t taken),
                              void *context);
/* A sentence about the last call on the instance that failed with anything but DLC_BUSY, "" before; it
 * stays the instance's, valid until the next call. */
const char *dlc_instance_last_error(const dlc_instance *instance);
/* A sentence about something in the file of the last create or load that was left out, or about numbers in it
 * that are NaN or infinite; "" if there was neither. It stays the instance's, valid until the next load. */
const char *dlc_instance_last_remark(const dlc_instance *instance);

/* ---- for programs that hold models in memory --------------------------------------------------- */

/* Calls `visit` for each tensor of a safetensors file, by name in ascending order; the name and the array are
 * valid during the call. Dtypes that dlc does not have are an error. Ends with the first status of `visit`
 * that is not DLC_OK. `error` (may be NULL) receives a sentence that names the file. */
dlc_status dlc_visit_tensors(const char *path,
                             dlc_status (*visit)(void *context, const char *name, const dlc_array *tensor),
                             void *context, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
