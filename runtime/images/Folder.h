//===- Folder.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of images, whose subfolders are classes.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_IMAGES_FOLDER_H
#define DLC_RUNTIME_IMAGES_FOLDER_H

#include "runtime/images/Pixels.h"

namespace dlc::runtime {

/// An image's file; the path is the folder's.
struct ImageFile {
  char *path;
  size_t folderBytes; ///< of its folder, at the path's beginning
  int64_t label;
};

/// Lists a folder and what is below it.
class ImageList {
public:
  ~ImageList();
  /// The images of a folder, with or without those below it, in order.
  dlc_status add(const char *folder, bool isDeep, int64_t label, Error &error);
  Array<ImageFile> files;

private:
  dlc_status visit(const char *folder, int depth, bool isDeep, int64_t label, Error &error);
  dlc_status take(const char *folder, const char *name, int depth, bool isDeep, int64_t label, Error &error);
};

/// The names of the subfolders, in the order of their bytes.
class FolderNames {
public:
  ~FolderNames();
  dlc_status read(const char *folder, Error &error);
  Array<char *> names;
};

} // namespace dlc::runtime

#endif
