"""Reads event bodies, one per line, with the client's own event handling."""
import json
import sys

from globalmoo.client import Client

client = Client()
events = [client.handle_event(line) for line in sys.stdin if line.strip()]
print(json.dumps([[event.name.value, type(event.data).__name__, event.data.id, event.subject] for event in events]))
