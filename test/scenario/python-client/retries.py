"""Repeats after answers that were lost on the way, and reads everything back at last."""
import json

from globalmoo.client import Client
from globalmoo.request.load_inversed_output import LoadInversedOutput
from globalmoo.request.load_objectives import LoadObjectives
from globalmoo.request.read_model import ReadModel
from globalmoo.request.read_models import ReadModels
from globalmoo.request.read_objective import ReadObjective
from globalmoo.request.suggest_inverse import SuggestInverse

from inverse_loop import make_trial


def box(x):
    return [x[0] + x[1], x[0] * x[1]]


client = Client()
project, trial, outputs = make_trial(
    client, box, minimums=[0, 0], maximums=[9, 9], input_types=["float", "float"], categories=[]
)
objective = client.execute_request(
    LoadObjectives(
        trial_id=trial.id,
        objectives=[1000, 5000],
        objective_types=["value", "value"],
        initial_input=project.input_cases[0],
        initial_output=outputs[0],
        minimum_bounds=[-1, -1],
        maximum_bounds=[1, 1],
    )
)
suggested = [client.execute_request(SuggestInverse(objective_id=objective.id)) for _ in range(3)]
output = box(suggested[0].input)
loaded = [client.execute_request(LoadInversedOutput(inverse_id=suggested[0].id, output=output)) for _ in range(2)]
following = client.execute_request(SuggestInverse(objective_id=objective.id))
read = client.execute_request(ReadObjective(objective.id))
[model_id] = [
    model.id for model in client.execute_request(ReadModels()) if project.id in [one.id for one in model.projects]
]
model = client.execute_request(ReadModel(model_id))
[one_project] = model.projects
[one_trial] = one_project.trials
print(
    json.dumps(
        {
            "suggestedIds": [inverse.id for inverse in suggested],
            "sameAnswer": suggested[0] == suggested[1] == suggested[2],
            "openOutput": suggested[0].output,
            "openResults": suggested[0].results,
            "sameLoaded": loaded[0] == loaded[1],
            "resultIds": [result.id for result in loaded[0].results],
            "followingIteration": following.iteration - suggested[0].iteration,
            "attemptCount": read.attempt_count,
            "iterationCount": read.iteration_count,
            "stopReason": read.stop_reason.name,
            "lastIsFollowing": read.last_inverse.id == following.id,
            "nested": one_trial.objectives == [read],
            "outputCases": one_trial.output_cases == outputs,
            "developed": one_project.developed_at is not None,
        }
    )
)
