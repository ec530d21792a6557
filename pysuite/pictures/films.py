"""Files of pictures and films."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pysuite import files

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = (".png", ".jpg", ".jpeg")
FILMS = (".gif", ".mp4")
INSTALL = "films in mp4 need imageio-ffmpeg: pip install 'granular-plus[pictures]'"
QUALITY = 88  # of JPEG, 1 to 95


def is_film(path: Path) -> bool:
    """Return whether a file is a film. Raises ValueError for an unknown format."""
    suffix = path.suffix.lower()
    if suffix not in PICTURES + FILMS:
        known = ", ".join(PICTURES + FILMS)
        raise ValueError(f"picture {path}: {suffix or 'no suffix'} must be one of {known}")
    return suffix in FILMS


def write(pictures: Iterator[Image], path: Path, rate: float) -> int:
    """Write a picture or a film with `rate` frames per second. Return the number of frames.

    All pictures must be RGB and have the same size. If `path` is not a film, only the first picture
    is written. Raises ImportError if the format is MP4 and imageio-ffmpeg is missing.
    """
    counter = itertools.count()
    counted = (picture for picture, _ in zip(pictures, counter, strict=False))
    with files.whole(path) as temporary:
        if path.suffix.lower() == ".mp4":
            _write_mp4(counted, temporary, rate)
        else:
            first = next(counted)
            if is_film(path):
                time = round(1000.0 / rate)
                first.save(temporary, save_all=True, append_images=counted, duration=time, loop=0)
            else:
                first.save(temporary, optimize=True, quality=QUALITY)
    return next(counter)


def _write_mp4(pictures: Iterator[Image], path: Path, rate: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ImportError(f"{INSTALL} ({error})") from error
    first = next(pictures)
    # in H.264, width and height must be even
    even = first.width // 2 * 2, first.height // 2 * 2
    writer = imageio_ffmpeg.write_frames(
        str(path), even, fps=rate, codec="libx264", macro_block_size=2, quality=7
    )
    writer.send(None)
    try:
        for picture in itertools.chain([first], pictures):
            writer.send(np.ascontiguousarray(picture.crop((0, 0, *even))))
    finally:
        writer.close()
