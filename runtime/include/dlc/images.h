/*===-- dlc/images.h - images in PNG and JPEG ------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images as floats, and folders of them as data sets. These functions are in a library of their own, libdlc-images.a, which
 * is linked beside the runtime and needs libpng and libjpeg: -ldlc-images -ldlc-runtime -lpng -ljpeg.
 *
 * Pixels become numbers from 0 to 1, [channels][height][width]. A channel of transparency is left out; grey images become
 * coloured ones of three equal channels, and coloured ones grey by 0.299 red + 0.587 green + 0.114 blue. What a file says about
 * gamma, colour profiles and the way up is not looked at. All of this, and how images become smaller or larger, is as
 * torchvision does it with images of Pillow: to the bit, but for 16-bit PNG, of which the high byte is taken.
 *
 * Files may be hostile: an image has at most 65,535 pixels a side and 89,478,485 in all, which is known before memory is
 * taken for it, a file at most 1 GiB; damage that a decoder would paint over is an error.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_IMAGES_H
#define DLC_IMAGES_H

#include "dlc/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The form of all images of a batch. An image of another size is made smaller or larger, so that it just covers height and
 * width with its sides in proportion (bilinear, over all pixels that it has), and what is too much is cut off at both sides
 * equally: Resize and CenterCrop of torchvision. */
typedef struct dlc_image_form {
  int32_t channels;      /* 1: grey; 3: red, green, blue */
  int32_t dtype;         /* 0: numbers from 0 to 1, DLC_F32; DLC_U8: the bytes, for an input of that type */
  int64_t height, width; /* both 0: as the image is, where one alone is read */
} dlc_image_form;

/* Reads one file; which of the two kinds it has is seen by its bytes. The array is [1][channels][height][width] of
 * DLC_F32, or of the form's dtype. Errors: DLC_IO_ERROR; DLC_BAD_FILE for files of other kinds and for damaged ones; DLC_INVALID_ARGUMENT for a form that
 * there is not; DLC_OUT_OF_MEMORY. */
dlc_status dlc_read_image(const char *path, const dlc_image_form *form, dlc_array *out, char *error, size_t error_bytes);
/* The same of a file in memory, to `to`, which has room for channels * height * width elements; the form's height and width
 * are not 0. `name` stands for the file in errors. */
dlc_status dlc_decode_image(const void *bytes, size_t count, const char *name, const dlc_image_form *form, void *to,
                            char *error, size_t error_bytes);

/* A folder that has a subfolder of images for each class, as torchvision.datasets.ImageFolder takes it: the classes are the
 * subfolders' names in the order of their bytes, and the images of a class those in its subfolder and below, in the order of
 * their paths. Files that do not end in .png, .jpg or .jpeg are passed over, but for those of other kinds of images (.bmp,
 * .webp ...). A folder that has images and no subfolders has no classes. */
typedef struct dlc_image_folder dlc_image_folder;
/* Lists the files, and reads none. `classes` may be NULL; else those of the training, so that data to test with have the same
 * numbers: they are copied. DLC_BAD_FILE names a subfolder without images, one that is none of the classes, and an image of
 * another kind. */
dlc_status dlc_image_folder_open(const char *path, const dlc_classes *classes, dlc_image_folder **out, char *error,
                                 size_t error_bytes);
int64_t dlc_image_folder_count(const dlc_image_folder *folder);
/* The file of an image, and its class: NULL and -1 beyond the last, -1 where there are no classes. */
const char *dlc_image_folder_path(const dlc_image_folder *folder, int64_t image);
int64_t dlc_image_folder_label(const dlc_image_folder *folder, int64_t image);
/* The classes, NULL where there are none; they are the folder's. */
const dlc_classes *dlc_image_folder_classes(const dlc_image_folder *folder);
/* Reads an image to `to`. Threads may call it at the same time. */
dlc_status dlc_image_folder_read(const dlc_image_folder *folder, int64_t image, const dlc_image_form *form, void *to,
                                 char *error, size_t error_bytes);
/* The images in that form, and their classes (DLC_I64) where there are any, for dlc_loader_create_dataset: files are read by the
 * loader's threads when their batch is made. The folder must outlive the loader, and has one form at a time.
 * DLC_INVALID_ARGUMENT for a form that there is not, or without a height and a width. */
dlc_status dlc_image_folder_dataset(dlc_image_folder *folder, const dlc_image_form *form, dlc_dataset *out, char *error,
                                    size_t error_bytes);
void dlc_image_folder_close(dlc_image_folder *folder);

#ifdef __cplusplus
}
#endif
#endif
