import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { localMessageOf } from './local-error.ts';
import { isFromWebPage, startServer, type RunningServer, webPagesRefused } from './loopback.ts';
import { callOf, deniedMessage, type Permission, type Permissions } from './role.ts';

/** Refusal of a call, as the name, the message and further fields of the service's error. */
export class Refusal extends Error {
  readonly more: object;

  constructor(name: string, message: string, more: object = {}) {
    super(message);
    this.name = name;
    this.more = more;
  }
}

/** A call of a function. The access key id is the function's name. */
export interface ServiceCall {
  functionName: string;
  /** @throws Refusal if the function's role does not allow it */
  requirePermission: (permission: Permission) => void;
  /** Runs an action after the caller has the answer. */
  afterAnswer: (action: () => void) => void;
}

/** Answer of an operation, or the connection's end. */
type Answer = object | 'no answer';

interface Operation {
  run: (body: string, call: ServiceCall) => Answer;
}

/**
 * Defines an operation. An input that its schema does not know is refused.
 * @param moreIfInvalid further fields of that refusal
 */
export const operation = <S extends v.GenericSchema>(
  input: S,
  answer: (input: v.InferOutput<S>, call: ServiceCall) => Answer,
  moreIfInvalid = {},
): Operation => ({
  run: (body, call) => {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), input), body);
    if (parsed.success) return answer(parsed.output, call);
    const [issue] = parsed.issues;
    const message = `${v.getDotPath(issue) ?? 'The input'}: ${issue.message}`;
    throw new Refusal('ValidationException', message, moreIfInvalid);
  },
});

/**
 * Starts a stand-in for a service of AWS with a JSON protocol. Answers functions of this machine, as far as their roles
 * allow. Refuses operations and inputs that it does not know.
 */
export function startJsonService(
  operations: Readonly<Record<string, Operation>>,
  permissions: Permissions,
): Promise<RunningServer> {
  return startServer(async (request, response) => {
    const { functionName, operation: name } = callOf(request);
    const body = await text(request);
    const call: ServiceCall = {
      functionName,
      requirePermission: (permission) => {
        if (!permissions.check(functionName, permission))
          throw new Refusal('AccessDeniedException', deniedMessage(functionName, permission));
      },
      afterAnswer: (action) => response.once('finish', action),
    };
    const reply = (status: number, json: object) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(json));
    try {
      if (isFromWebPage(request)) throw new Refusal('AccessDeniedException', webPagesRefused);
      const known = Object.entries(operations).find(([one]) => one === name)?.[1];
      if (!known) throw new Refusal('UnknownOperationException', `The local machine does not know ${name}`);
      const answer = known.run(body, call);
      if (answer === 'no answer') response.destroy();
      else reply(200, answer);
    } catch (error) {
      if (error instanceof Refusal) reply(400, { __type: error.name, message: error.message, ...error.more });
      else reply(500, { __type: 'InternalFailure', message: localMessageOf(error) });
    }
  });
}
