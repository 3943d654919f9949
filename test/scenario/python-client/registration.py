"""Registers, then works with the key that came back. The key in the environment is of no use."""
import json
import os

from globalmoo.client import Client
from globalmoo.credentials import Credentials
from globalmoo.exceptions.invalid_request import InvalidRequestException
from globalmoo.request.create_model import CreateModel
from globalmoo.request.read_models import ReadModels
from globalmoo.request.register_account import RegisterAccount

uri = os.environ["GMOO_API_URI"]
nobody = Client(Credentials(api_key="none yet", base_uri=uri))
request = RegisterAccount(
    company="Example Works",
    first_name="Ada",
    last_name="Byron",
    email="Ada@example.org",
    password="correct horse battery staple",
    time_zone="Europe/London",
)
account = nobody.execute_request(request)
client = Client(Credentials(api_key=account.api_key, base_uri=uri))
client.execute_request(CreateModel(name="First model of Ada"))
try:
    nobody.execute_request(request)
    again = None
except InvalidRequestException as refused:
    again = [refused.status, [error["property"] for error in refused.get_errors()]]
print(
    json.dumps(
        {
            "account": account.model_dump(mode="json"),
            "models": [model.name for model in client.execute_request(ReadModels())],
            "again": again,
        }
    )
)
