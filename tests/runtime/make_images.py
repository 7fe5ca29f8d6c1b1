#!/usr/bin/env python3
"""Writes images.inc: small images of all kinds, and what torchvision makes of them by Resize and CenterCrop of images of Pillow.
By hand: needs torchvision, Pillow and NumPy. Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import io

import numpy
from PIL import Image
from torchvision import transforms


def picture(height, width, channels, seed):
    """Smooth, so that JPEG makes little of it, with edges."""
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [127 + 90 * numpy.sin(x / (3 + c + seed) + c) * numpy.cos(y / (4 + seed) - c) + 30 * ((x + y * 2) % 7 > 4)
              for c in range(channels)]
    pixels = numpy.clip(numpy.stack(planes, -1), 0, 255).astype(numpy.uint8)
    return pixels[..., 0] if channels == 1 else pixels


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def files():
    colours = Image.fromarray(picture(19, 30, 3, 1))
    grey = Image.fromarray(picture(21, 13, 1, 2))
    alpha = Image.fromarray(picture(9, 11, 4, 3), "RGBA")
    yield "colours_png", saved(colours, "PNG")
    yield "grey_png", saved(grey, "PNG")
    yield "alpha_png", saved(alpha, "PNG")
    yield "palette_png", saved(colours.quantize(13), "PNG")
    yield "bits_png", saved(grey.convert("1"), "PNG")
    yield "colours_jpeg", saved(colours, "JPEG", quality=85)
    yield "full_jpeg", saved(colours, "JPEG", quality=90, subsampling=0)
    yield "grey_jpeg", saved(grey, "JPEG", quality=85)
    yield "progressive_jpeg", saved(colours, "JPEG", quality=60, progressive=True)
    yield "inks_jpeg", saved(Image.fromarray(picture(12, 12, 4, 2), "CMYK"), "JPEG", quality=90)
    yield "narrow_png", saved(Image.fromarray(picture(40, 3, 3, 1)), "PNG")


def numbers(values):
    return ", ".join(str(value) for value in values)


def main():
    print("// Made by make_images.py.")
    print("// clang-format off")
    print("const std::vector<Case> cases = {")
    for name, file in files():
        image = Image.open(io.BytesIO(file))
        print(f'{{"{name}", {{{numbers(file)}}}, {{')
        for mode, channels in ("RGB", 3), ("L", 1):
            for size in 8, 16:
                form = transforms.Compose([transforms.Resize(size), transforms.CenterCrop(size)])
                pixels = numpy.asarray(form(image.convert(mode))).reshape(size, size, channels)
                if size == 8:
                    print(f"{{{channels}, {size}, {{{numbers(pixels.transpose(2, 0, 1).reshape(-1))}}}}},")
                else:  # of a larger one the sum of each row
                    print(f"{{{channels}, {size}, {{{numbers(pixels.transpose(2, 0, 1).sum(-1, dtype=int).reshape(-1))}}}}},")
        print("}},")
    print("};")


main()
