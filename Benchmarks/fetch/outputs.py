"""Looks at what a contestant wrote."""

from PIL import Image

from peers import Job
from support import pictures

BOX = (256, 256)


def judge(job: Job, wanted: dict[int, dict]) -> dict:
    """Returns how many outputs are right by name and size, and how many are missing, wrong or too many."""
    right = wrong = 0
    found = {path.name for path in job.output.iterdir()}
    for index, picture in wanted.items():
        name = f"{index:09}.jpg"
        if name not in found:
            continue
        found.remove(name)
        with Image.open(job.output / name) as opened:
            size = pictures.wanted_size((picture["width"], picture["height"]), "fit", BOX)
            if pictures.has_size(opened.size, size):
                right += 1
            else:
                wrong += 1
    return {"right": right, "wrong": wrong, "missing": len(wanted) - right - wrong, "too_many": len(found)}
