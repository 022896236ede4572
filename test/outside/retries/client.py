"""Sends the requests of a file, and repeats each blindly until it is answered."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import urllib3

_, task_file, answers_file = sys.argv
with open(task_file, encoding="utf-8") as file:
    task = json.load(file)
retry = urllib3.Retry(total=40, allowed_methods=None, status_forcelist=[409, 503], backoff_factor=0)
pool = urllib3.PoolManager(maxsize=10, retries=retry, timeout=task["patience"] / 1000)


def send(request):
    headers = {
        "Authorization": f"Bearer {task['token']}",
        "Connection": "close",
        "Content-Type": "application/json",
        "Idempotency-Key": request["key"],
    }
    answer = pool.request("POST", task["baseUrl"] + request["path"], body=json.dumps(request["body"]), headers=headers)
    return {
        "status": answer.status,
        "isReplayed": answer.headers.get("Idempotency-Replayed") == "true",
        "body": answer.json(),
    }


with ThreadPoolExecutor(10) as workers:
    answers = list(workers.map(send, task["requests"]))
with open(answers_file, "w", encoding="utf-8") as file:
    json.dump(answers, file)
