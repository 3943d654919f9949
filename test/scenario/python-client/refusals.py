"""Plays what the client makes of refusals: several violations, an unknown id, a malformed id, a key that is not valid."""
import json

from globalmoo.client import Client
from globalmoo.credentials import Credentials
from globalmoo.exceptions.invalid_request import InvalidRequestException
from globalmoo.request.create_model import CreateModel
from globalmoo.request.create_project import CreateProject
from globalmoo.request.read_models import ReadModels
from globalmoo.request.suggest_inverse import SuggestInverse


def refusal(client, request):
    try:
        client.execute_request(request)
    except InvalidRequestException as refused:
        return {
            "status": refused.status,
            "title": refused.error.title,
            "message": refused.error.message,
            "properties": [error["property"] for error in refused.get_errors()],
            "text": str(refused),
        }
    return None


client = Client()
model = client.execute_request(CreateModel(name="Refusals of one program"))
wrong_space = CreateProject(
    model_id=model.id,
    name="Wrong space",
    input_count=3,
    minimums=[0, 5, 0.5],
    maximums=[0, 4, 3],
    input_types=["float", "integer", "integer"],
    categories=[],
)
print(
    json.dumps(
        {
            "shortName": refusal(client, CreateModel(name="abc", description="short")),
            "takenName": refusal(client, CreateModel(name="Refusals of one program")),
            "space": refusal(client, wrong_space),
            "unknown": refusal(client, SuggestInverse(objective_id=987654321)),
            "malformed": refusal(client, SuggestInverse(objective_id="first")),
            "key": refusal(Client(Credentials(api_key="bks_not_a_key")), ReadModels()),
        }
    )
)
