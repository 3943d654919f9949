"""Registration as the release before sends it: one field for the whole name, no agreement."""
import json

from globalmoo.client import Client
from globalmoo.request.read_trial import ReadTrial
from globalmoo.request.register_account import RegisterAccount

from inverse_loop import make_trial


def box(x):
    return [x[0] - x[1]]


client = Client()
account = client.execute_request(
    RegisterAccount(
        company="Example Works",
        name="Grace Brewster Hopper",
        email="grace@example.org",
        password="a password",
        time_zone="UTC",
    )
)
_, trial, _ = make_trial(client, box, minimums=[0, 0], maximums=[1, 1], input_types=["float"] * 2, categories=[])
assert client.execute_request(ReadTrial(trial.id)) == trial
print(json.dumps({"account": account.model_dump(mode="json")}))
