"""
Runs the quick start of the installed package as its own description prints it. That text uses two names which it does not
import; they are supplied here and nothing else is changed.
"""
import builtins
import importlib.metadata
import logging
import re

import dotenv

builtins.load_dotenv = dotenv.load_dotenv
builtins.logger = logging.getLogger("quick start")

text = importlib.metadata.metadata("globalmoo-sdk").get_payload()
blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
[program] = [block for block in blocks if "def main" in block]
exec(compile(program, "quick start", "exec"), {"__name__": "__main__"})
