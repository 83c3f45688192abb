"""Work in a forked process, which has no threads of its parent; whoever waits for one is killed."""

import os
import pickle
import select
import signal
from collections.abc import Callable
from typing import Any

#: Seconds after which a process is taken to wait for ever.
PATIENCE = 30


def forked(job: Callable[[], Any]) -> Any:
    """Return what a job returns in a forked process, or raise what it raises there."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = (True, job())
        except BaseException as error:
            found = (False, error)
        try:
            with os.fdopen(writing, "wb") as file:
                pickle.dump(found, file)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        try:
            assert select.select([file], [], [], PATIENCE)[0], "the forked process hangs"
            succeeded, result = pickle.load(file)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if not succeeded:
        raise result
    return result
