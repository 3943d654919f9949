"""Shared by the programs beside this file: the loop of a user, with nothing but the published client."""
import json
import uuid

from globalmoo.client import Client
from globalmoo.request.create_model import CreateModel
from globalmoo.request.create_project import CreateProject
from globalmoo.request.load_inversed_output import LoadInversedOutput
from globalmoo.request.load_objectives import LoadObjectives
from globalmoo.request.load_output_cases import LoadOutputCases
from globalmoo.request.suggest_inverse import SuggestInverse


def make_trial(client, box, **space):
    """Model, project and trial; returns (project, trial, output cases)."""
    model = client.execute_request(CreateModel(name=f"Program {uuid.uuid4()}"))
    project = client.execute_request(
        CreateProject(model_id=model.id, name="Program", input_count=len(space["minimums"]), **space)
    )
    outputs = [box(case) for case in project.input_cases]
    trial = client.execute_request(
        LoadOutputCases(project_id=project.id, output_count=len(outputs[0]), output_cases=outputs)
    )
    return project, trial, outputs


def solve(box, space, objectives, limit):
    """Suggest, run, load until the loaded inverse says stop; prints what came of it as one line of JSON."""
    with Client() as client:
        project, trial, outputs = make_trial(client, box, **space)
        objective = client.execute_request(
            LoadObjectives(
                trial_id=trial.id, initial_input=project.input_cases[0], initial_output=outputs[0], **objectives
            )
        )
        for used in range(1, limit + 1):
            suggested = client.execute_request(SuggestInverse(objective_id=objective.id))
            output = box(suggested.input)
            inverse = client.execute_request(LoadInversedOutput(inverse_id=suggested.id, output=output))
            if inverse.should_stop():
                break
    print(
        json.dumps(
            {
                "stopReason": inverse.get_stop_reason().name,
                "suggestions": used,
                "input": inverse.input,
                "output": inverse.output,
                "l1Norm": inverse.l1_norm,
                "suggestTime": suggested.suggest_time,
                "details": inverse.get_result_details(),
                "satisfied": inverse.get_satisfaction_status(),
                "categories": project.categories,
                "inputCases": project.input_cases,
            }
        )
    )
