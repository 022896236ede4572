"""Prints what the SAM CLI makes of a template, as JSON: its functions with their folders, and its routes.

Arguments: the template, and the file that --env-vars names.
"""

import json
import logging
import sys

from samcli.commands.local.cli_common.invoke_context import InvokeContext
from samcli.lib.providers.api_provider import ApiProvider

template, env_vars = sys.argv[1:]
# It warns of every resource that is no function.
logging.disable(logging.WARNING)


def authorizer_seen(authorizer):
    return authorizer and {
        "function": authorizer.lambda_name,
        "type": authorizer.type,
        "sources": [source.identity_source for source in authorizer.identity_sources],
    }


def route_seen(route):
    return {
        "path": route.path,
        "methods": route.methods,
        "function": route.function_name,
        "authorizer": authorizer_seen(route.authorizer_object),
    }


with InvokeContext(template_file=template, env_vars_file=env_vars) as context:
    runner = context.local_lambda_runner
    functions = [
        {"name": function.functionname, "folder": str(runner.get_invoke_config(function).code_abs_path)}
        for function in runner.provider.get_all()
    ]
    api = ApiProvider(context.stacks, cwd=context.get_cwd()).api
    routes = [route_seen(route) for route in api.routes]

json.dump({"functions": functions, "routes": routes}, sys.stdout)
