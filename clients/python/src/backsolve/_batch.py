"""The calls about one problem on the service, as steps for either client."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._derivatives import jacobian_of
from ._errors import IncompatibleServiceError
from ._generated import models as m
from ._generated.problems import LeaseLostError, NotFoundError, OutputConflictError
from ._refusals import said_here
from ._steps import Call, Steps
from ._wire import make
from .problem import Failed, Problem, Space
from .sources import FINE

LOST = (LeaseLostError, OutputConflictError, NotFoundError)
"""An evaluation is no longer one's own."""
MAXIMUM_REASON = 500
CLAIM_LIMIT = 64


@dataclass(frozen=True)
class Told:
    """Outcome of a report."""

    state: str
    """done; waiting: it is tried again; failed; cancelled: it is no longer needed; lost: another evaluator has it."""
    warnings: tuple[str, ...] = ()
    is_last: bool = False
    """Whether the search ended with it. It may end otherwise as well."""
    misses: Sequence[float] | None = None
    """Distance of each output from its goal, in tolerances. None before there are goals."""
    missed_by: Sequence[float] | None = None


@dataclass(frozen=True)
class Place:
    """Ids of a problem on the service."""

    model_id: int
    project_id: int
    batch_id: int


def key_of(identity: str, role: str) -> str:
    """The Idempotency-Key of a creation: the same whenever the same problem is created."""
    return hashlib.sha256(f"{identity} {role}".encode()).hexdigest()


def evaluator_name() -> str:
    return f"python on {platform.node() or 'a machine'}"[:100]


def service_name(name: str) -> str:
    """The service wants at least four characters."""
    return name[:80] if len(name) >= 4 else f"{name} (Python)"


def create_project(problem: Problem, name: str, identity: str, parallel: int, budget: int | None) -> Steps[m.Project]:
    """
    Model and project. Names of models are unique within an account. Unless the problem says how many, as many cases are designed as run
    at a time: they fill the first round. Half of the budget is left to the search.
    """
    new_model = m.NewModel(name=f"{service_name(name)} {identity[:8]}")
    with said_here(problem.names, "/model"):
        model: m.Model = (yield Call("create_model", new_model, idempotency_key=key_of(identity, "model"))).body
    body = problem.project_body(service_name(name))
    at_once = parallel if budget is None else min(parallel, budget // 2)
    if problem.cases is None and at_once > 1:
        body = body.model_copy(update={"parallelism": at_once})
    with said_here(problem.names, "/project"):
        project: m.Project = (yield Call("create_project", model.id, body, idempotency_key=key_of(identity, "project"))).body
    return project


def batch_body(problem: Problem, name: str, parallel: int, maximum_attempts: int | None, trial_id: int | None, tries: int) -> m.NewBatch:
    fields: dict[str, Any] = {
        "name": service_name(name),
        "objectives": [problem.objective_body(maximum_attempts)],
        "parallelism": parallel,
        "timeoutSeconds": 1_209_600,
        "maximumTries": tries,
    }
    return make(m.NewBatch, fields if trial_id is None else {**fields, "trialId": trial_id}, problem.names, "/batch")


def attempts_left(budget: int | None, runs: int) -> int | None:
    """Raises ValueError when the runs so far use up the budget."""
    if budget is None:
        return None
    if budget <= runs:
        raise ValueError(
            f"A budget of {budget} runs leaves no runs for the search after {runs} runs. Give a larger budget, or fewer cases."
        )
    return budget - runs


def claim(
    batch_id: int, limit: int, wait: int, lease: int, space: Space, key: str | None = None, sources: Sequence[str] = ()
) -> Steps[list[m.ClaimedEvaluation]]:
    """At most `limit` evaluations; waits up to `wait` seconds for the first. Raises IncompatibleServiceError when one is no input."""
    asked = min(limit, CLAIM_LIMIT)
    served = {"sources": [FINE, *sources]} if sources else {}
    asking = {"evaluator": evaluator_name(), "batchId": batch_id, "limit": asked, "leaseSeconds": lease, "wait": wait, **served}
    body = m.NewEvaluationClaim.model_validate(asking)
    answer = yield Call("claim_evaluations", body, idempotency_key=key)
    claimed: list[m.ClaimedEvaluation] = answer.body.evaluations
    check_claimed(claimed, batch_id, asked, space)
    return claimed


def check_claimed(claimed: Sequence[m.ClaimedEvaluation], batch_id: int, limit: int, space: Space) -> None:
    """A black box may be a rig: it gets no input that the problem does not allow."""
    if len(claimed) > limit:
        raise _unusable(f"it hands out {len(claimed)} evaluations, and {limit} were asked for")
    if len({each.id for each in claimed}) < len(claimed):
        raise _unusable("it hands out an evaluation twice")
    for each in claimed:
        fault = _fault_of(each, batch_id, space)
        if fault is not None:
            raise _unusable(f"evaluation {each.id} {fault}")


def _fault_of(evaluation: m.ClaimedEvaluation, batch_id: int, space: Space) -> str | None:
    if evaluation.id < 1 or evaluation.try_ < 1 or not evaluation.lease_token:
        return "has no number, no try or no lease"
    if evaluation.batch_id != batch_id:
        return f"belongs to the batch {evaluation.batch_id} instead of {batch_id}"
    if tuple(evaluation.output_names) != space.outputs:
        return f"is for the outputs {', '.join(evaluation.output_names)} instead of {', '.join(space.outputs)}"
    return space.fault_of(evaluation.input)


def _unusable(why: str) -> IncompatibleServiceError:
    return IncompatibleServiceError(f"The answer of the service to a claim cannot be used: {why}. No run was started.")


def report(evaluation_id: int, lease_token: str, outcome: Sequence[float] | Failed, seconds: float) -> Steps[Told]:
    """An output or a failure. A lease that is lost is a state, not an error."""
    try:
        if isinstance(outcome, Failed):
            body = m.NewEvaluationFailure(lease_token=lease_token, reason=clean_reason(outcome.reason), retryable=outcome.retryable)
            failed: m.FailedEvaluation = (yield Call("fail_evaluation", evaluation_id, body)).body
            return Told(failed.state)
        output = m.NewEvaluationOutput(lease_token=lease_token, compute_time=round(seconds * 1e9), **told(outcome))
        answer: m.ReportedEvaluation = (yield Call("put_evaluation_output", evaluation_id, output)).body
        judged = answer.inverse
        is_last = judged is not None and judged.status in ("converged", "max_iterations")
        off = (None, None) if judged is None else (judged.misses, judged.missed_by)
        return Told(answer.state, tuple(warning.detail for warning in answer.warnings), is_last, *off)
    except LOST:
        return Told("lost")


def told(outcome: Sequence[float]) -> dict[str, Any]:
    """The fields of a body that an output fills, with its derivatives where it has any."""
    jacobian = jacobian_of(outcome)
    return {"output": list(outcome), **({} if jacobian is None else {"jacobian": jacobian})}


def release(evaluation_id: int, lease_token: str) -> Steps[None]:
    """Hands an evaluation back unharmed; one that is lost already is back."""
    with contextlib.suppress(*LOST):
        yield Call("release_evaluation", evaluation_id, m.NewRelease(lease_token=lease_token))


def heartbeat(evaluation_id: int, lease_token: str) -> Steps[bool]:
    """Renews the lease. False if the output is no longer needed, or the lease is lost."""
    try:
        extended: m.ExtendedLease = (yield Call("heartbeat_evaluation", evaluation_id, m.NewHeartbeat(lease_token=lease_token))).body
    except LOST:
        return False
    return extended.is_wanted


def clean_reason(reason: str) -> str:
    """On one line, without control characters, as the service takes it."""
    line = re.sub(r"[\x00-\x1f\x7f-\x9f\s]+", " ", reason).strip() or "failed"
    short = line if len(line) <= MAXIMUM_REASON else f"{line[: MAXIMUM_REASON - 3]}..."
    return short.encode("utf-8", "replace").decode()
