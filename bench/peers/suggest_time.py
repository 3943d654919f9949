"""Times one BoTorch suggestion on histories sent over JSON lines: {"U", "Y", "lower", "upper", "repeats"} -> {"seconds"}.

U in the unit box, Y natural outputs, two-sided intervals. One suggestion is the fit of the models from scratch and the
maximization of the acquisition, with the settings of composite.py. The first request of a process warms it up.
"""

import os

# One core, as our side.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import sys
import time
import warnings
from types import SimpleNamespace

warnings.simplefilter("ignore")

import torch

from composite import residual_score, suggest

for line in sys.stdin:
    request = json.loads(line)
    U, Y = torch.tensor(request["U"]), torch.tensor(request["Y"])
    lower, upper = torch.tensor(request["lower"]), torch.tensor(request["upper"])
    shape = SimpleNamespace(
        two_sided=torch.ones(len(lower), dtype=torch.bool).numpy(), scale=((upper - lower) / 2).numpy(), margin=0.0
    )
    score = residual_score(shape, lower, upper)
    seconds = []
    for repeat in range(request["repeats"]):
        began = time.process_time()
        suggest(U, Y, score, repeat + 1)
        seconds.append(time.process_time() - began)
    print(json.dumps({"seconds": seconds}), flush=True)
