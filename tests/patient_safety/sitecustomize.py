"""Imported by the interpreter of every process that the gate starts anew: see `process_state`."""

import atexit
import os

if os.environ.get("PATIENT_PROCESS") == str(os.getpid()):
    import random

    import process_state

    random.seed(0)
    atexit.register(process_state.dump, "exit")
