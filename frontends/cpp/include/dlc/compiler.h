/*===-- dlc/compiler.h - the compiler as a C library ------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For programs in any language that compile a model and train it in the same process. libdlc has these
 * functions; the header is C11 and C++17, and includes nothing but the C library.
 *
 * No function prints, throws or ends the process because of its input: what is wrong with a model or an
 * option is text. Statuses are those of dlc_status in dlc/runtime.h, 0 is success. A handle serves one thread
 * at a time; different handles, any threads. Neither handles nor instances survive fork(): make them in the
 * child.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_COMPILER_H
#define DLC_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLC_COMPILER_API __attribute__((visibility("default")))

/* What was compiled, or why it was not. */
typedef struct dlc_compiled dlc_compiled;

/* Set struct_size to sizeof(dlc_compile_request); fields are only ever added at the end. */
typedef struct dlc_compile_request {
  size_t struct_size;
  const char *file;  /* an ONNX model (.onnx), a program of torch.export (.pt2) or one of dlc (.mlir). It names
                        the model in messages and, where --name is not given, in C */
  const void *model; /* the file's bytes, of an ONNX model or of a program of torch.export: then `file` is not
                        read. Data that an ONNX model keeps in other files are looked for in the folder of
                        `file`. NULL: `file` is read */
  size_t model_bytes;
  const char *const *options; /* those of the command `dlc compile` (dlc compile --help), one in each string:
                                 "--loss=mse"; a value may also be the next string. Options that say where
                                 files go or that print are refused */
  size_t option_count;
} dlc_compile_request;

/* Compiles into this process: dlc_compiled_create makes instances, dlc_compiled_function has the functions of
 * the model's C header. */
DLC_COMPILER_API int32_t dlc_compile(const dlc_compile_request *request, dlc_compiled **out);

/* Compiles to files, which stay in memory: a library, header, manifest and weights, or what --emit says, for
 * any machine. There is no code for this process then. */
DLC_COMPILER_API int32_t dlc_compile_files(const dlc_compile_request *request, dlc_compiled **out);

/* Finds everything that would stop a compilation, all at once, as `dlc check` does: DLC_OK if nothing does.
 * There is a manifest then, and no code. */
DLC_COMPILER_API int32_t dlc_check(const dlc_compile_request *request, dlc_compiled **out);

/* The three above also set `*out` where they fail, to a handle that has the messages; it is NULL only where
 * memory ran out, or the request is no request. Instances must be gone before it is. NULL is allowed. */
DLC_COMPILER_API void dlc_compiled_destroy(dlc_compiled *compiled);

/* All errors, one a line, with the model's name or place before each; "" if there were none. The text is the
 * handle's, as are those of the functions below. */
DLC_COMPILER_API const char *dlc_compiled_error(const dlc_compiled *compiled);

/* Remarks say where training is not what the model's file says, or what was done about it. */
typedef enum dlc_severity { DLC_ERROR = 0, DLC_WARNING = 1, DLC_REMARK = 2, DLC_NOTE = 3 } dlc_severity;

/* A message; a note belongs to the one before it. */
typedef struct dlc_message {
  int32_t severity;  /* dlc_severity */
  const char *place; /* "mlp.onnx", "net.mlir:4:8" */
  const char *text;  /* "at 'Gemm_3': ..." */
} dlc_message;

DLC_COMPILER_API size_t dlc_compiled_message_count(const dlc_compiled *compiled);
/* DLC_INVALID_ARGUMENT where there is no message of this number. */
DLC_COMPILER_API int32_t dlc_compiled_message(const dlc_compiled *compiled, size_t index,
                                              dlc_message *message);

/* What was compiled, as JSON: inputs with shapes and ranges, states, functions, memory (docs/c-api.md). ""
 * where nothing was, and of dlc_compile_files, where it is a file. */
DLC_COMPILER_API const char *dlc_compiled_manifest(const dlc_compiled *compiled);

/* The loss of what was compiled, as --loss names it, also where the model computes it itself: "mse", or
 * "output" where that is none of these. By softmax-cross-entropy, nll, bce and bce-with-logits a prediction
 * is right or wrong, and evaluations count it; by others `correct` is 0. "" without a loss, and where nothing
 * was compiled. */
DLC_COMPILER_API const char *dlc_compiled_loss(const dlc_compiled *compiled);

/* A file of dlc_compile_files. */
typedef struct dlc_file {
  const char *name;
  const void *data;
  size_t bytes;
} dlc_file;

DLC_COMPILER_API size_t dlc_compiled_file_count(const dlc_compiled *compiled);
DLC_COMPILER_API int32_t dlc_compiled_file(const dlc_compiled *compiled, size_t index, dlc_file *file);

/* The address of a function that the model's header declares, by its whole name, such as "mlp_train_step";
 * NULL where there is none. `<model>_create` is not among them: dlc_compiled_create takes its place. */
DLC_COMPILER_API const void *dlc_compiled_function(dlc_compiled *compiled, const char *name);

/* Makes an instance, what `<model>_create` of the header makes, with the model's own initial values unless
 * the options name a file. `<model>_destroy` ends it. `options` is a dlc_create_options of dlc/runtime.h, or
 * NULL; its buffer for errors receives a sentence. DLC_UNAVAILABLE where there is no code for this process.
 */
struct dlc_create_options;
DLC_COMPILER_API int32_t dlc_compiled_create(dlc_compiled *compiled, const struct dlc_create_options *options,
                                             void **instance);

/* The address of a function that programs call beside a model: the loaders of dlc/runtime.h, and those of
 * dlc/metrics.h and dlc/logs.h, by their whole names, such as "dlc_auc"; NULL where there is none. They need
 * no handle. */
DLC_COMPILER_API const void *dlc_runtime_function(const char *name);

/* The version of the compiler, "0.1.0", and the one that code and runtime must have in common. */
DLC_COMPILER_API const char *dlc_compiler_version(void);
DLC_COMPILER_API uint32_t dlc_compiler_abi_version(void);

#ifdef __cplusplus
}
#endif
#endif
