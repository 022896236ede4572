"""Starts MiniStack, which emulates AWS, with the seven things that the service needs and MiniStack lacks.

MiniStack 1.5.33 evaluates policies, but knows no `dynamodb:LeadingKeys`, on which every role of the stack depends: it would
deny all that the functions ask. So it is told here which partition keys a call names; what follows from that for a policy
is still its own. AWS documents the key for calls on a table alone. So there is no key for the parts of a transaction and for
queries of an index, until the file that EVERY_LEADING_KEY names exists. Then each part names the key of its own item, as each
part is authorized by itself.

It refuses an alarm of several metrics. It does not need to evaluate one here, only to make it, so it is given one of them.

It speaks no TLS, which the policies of topics, queues and the CDK's bucket ask for: it is told that each call came by it, and
evaluates the rest of them.

It knows nothing of AWS End User Messaging SMS, and refuses a configuration set: it is told that there is one. No text is sent here.

It asks for a permission of its own to send a batch of messages, where AWS asks for that to send one.

It ends the process of a function whose code is replaced, even in the middle of a call. On AWS the call ends first, so here, too.

It imports an API's definition in part: it leaves out the operations for any method, the role and the mock of an integration, gateway
responses and binary media types. Those are put into the imported API here, by its own calls for them.
"""

import json
import os
import re
import threading

from ministack.core import iam_actions, iam_evaluator, lambda_runtime
from ministack.services import apigateway_v1
from ministack.services.cloudformation import provisioners

LEADING_KEYS = "dynamodb:LeadingKeys"


def supplies_every_key():
    return os.path.exists(os.environ["EVERY_LEADING_KEY"])


class ResourceOfItem(str):
    """An ARN, with the partition key of the item that a part of a transaction is on."""

    leading_key = None


def parsed(body):
    try:
        data = json.loads(body or b"{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def key_of(detail):
    """The partition key of the one item that is named, by its key or as a whole."""
    named = detail.get("Key") or detail.get("Item") or {}
    return named.get("pk", {}).get("S")


def keys_of(data):
    """The partition keys that a call names; none where it names none, such as a scan."""
    if "KeyConditionExpression" in data:
        names = data.get("ExpressionAttributeNames", {})
        values = data.get("ExpressionAttributeValues", {})
        for name, value in re.findall(r"(#?\w+)\s*=\s*(:\w+)", data["KeyConditionExpression"]):
            if names.get(name, name).endswith("pk"):
                return [values.get(value, {}).get("S")]
        return []
    batches = [batch for batch in data.get("RequestItems", {}).values() if "Keys" in batch]
    return [key_of({"Key": key}) for batch in batches for key in batch["Keys"]] or [key_of(data)]


context_without_keys = iam_actions.dynamodb_service_context


def context_with_keys(body):
    data = parsed(body)
    is_documented = "IndexName" not in data or supplies_every_key()
    keys = [key for key in keys_of(data) if key is not None] if is_documented else []
    return {**context_without_keys(body), **({LEADING_KEYS: keys} if keys else {})}


checks_without_keys = iam_actions.dynamodb_transaction_checks


def checks_with_keys(iam_action, body, region, account_id):
    checks = checks_without_keys(iam_action, body, region, account_id)
    if not checks or not supplies_every_key():
        return checks
    details = [detail for item in parsed(body)["TransactItems"] for detail in item.values()]
    named = []
    for (action, arn), detail in zip(checks, details, strict=True):
        resource = ResourceOfItem(arn)
        resource.leading_key = key_of(detail)
        named.append((action, resource))
    return named


enforce_without_keys = iam_evaluator.enforce


def enforce_with_keys(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
    if iam_action == "sqs:SendMessageBatch":
        iam_action = "sqs:SendMessage"
    if isinstance(resource_arn, ResourceOfItem) and resource_arn.leading_key is not None:
        service_context = {**(service_context or {}), LEADING_KEYS: [resource_arn.leading_key]}
    return enforce_without_keys(access_key_id, iam_action, service, region, resource_arn, service_context)


alarm_of_one_metric = provisioners._cw_metric_alarm_record


def alarm_of_any_metrics(name, props):
    metrics = [part["MetricStat"]["Metric"] for part in props.get("Metrics", []) if "MetricStat" in part]
    if not metrics:
        return alarm_of_one_metric(name, props)
    one = {key: metrics[0][key] for key in ("MetricName", "Namespace")}
    return alarm_of_one_metric(name, {**props, **one, "Metrics": None})


condition_key_without_tls = iam_evaluator._resolve_condition_key


def condition_key_with_tls(key, ctx):
    return "true" if key.lower() == "aws:securetransport" else condition_key_without_tls(key, ctx)


def configuration_set(logical_id, props, stack_name):
    return props["ConfigurationSetName"], {}


kill_workers_at_once = lambda_runtime.kill_workers


def kill_workers_after_their_calls(workers):
    def kill(worker):
        # A call holds the lock. It may need the emulator's own thread, which therefore must not wait.
        with worker._lock:
            kill_workers_at_once([worker])

    for worker in workers:
        threading.Thread(target=kill, args=(worker,), daemon=True).start()


import_of_api_in_part = apigateway_v1._import_rest_api


def import_of_api(spec, base_data=None):
    any_method = "x-amazon-apigateway-any-method"
    paths = {
        path: {"any" if method == any_method else method: operation for method, operation in operations.items()}
        for path, operations in spec["paths"].items()
    }
    binary = {"binaryMediaTypes": spec["x-amazon-apigateway-binary-media-types"]}
    api_id = import_of_api_in_part({**spec, "paths": paths}, {**(base_data or {}), **binary})
    for response_type, response in spec["x-amazon-apigateway-gateway-responses"].items():
        apigateway_v1._put_gateway_response(api_id, response_type, response)
    return api_id


import_of_operation_in_part = apigateway_v1._import_operation


def import_of_operation(api_id, resource_id, http_method, operation, *security):
    import_of_operation_in_part(api_id, resource_id, http_method, operation, *security)
    method = (api_id, resource_id, http_method)
    integration = operation["x-amazon-apigateway-integration"]
    upper = {name: integration[name].upper() for name in ("type", "passthroughBehavior") if name in integration}
    apigateway_v1._put_integration(*method, {**integration, **upper})
    for status, response in operation["responses"].items():
        headers = {f"method.response.header.{name}": True for name in response.get("headers", {})}
        apigateway_v1._put_method_response(*method, status, {"responseParameters": headers})
    for response in integration.get("responses", {}).values():
        apigateway_v1._put_integration_response(*method, response["statusCode"], response)


apigateway_v1._OPENAPI_HTTP_METHODS.add("any")
apigateway_v1._import_rest_api = import_of_api
apigateway_v1._import_operation = import_of_operation
provisioners._RESOURCE_HANDLERS["AWS::SMSVOICE::ConfigurationSet"] = {
    "create": configuration_set,
    "delete": lambda physical_id, props: None,
}
lambda_runtime.kill_workers = kill_workers_after_their_calls
provisioners._cw_metric_alarm_record = alarm_of_any_metrics
iam_evaluator._resolve_condition_key = condition_key_with_tls
iam_actions.dynamodb_service_context = context_with_keys
iam_actions.dynamodb_transaction_checks = checks_with_keys
iam_evaluator.enforce = enforce_with_keys

if __name__ == "__main__":
    from ministack.app import main

    main()
