import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { localMessageOf } from './local-error.ts';
import { isFromWebPage, startServer, type RunningServer, webPagesRefused } from './loopback.ts';
import { callOf, isAllowed, type OnPermissionCheck, type RoleOf } from './role.ts';

/** Refusal of a call, as the name and the message of the service's error. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** A call of a function. The access key id is the function's name. */
export interface ServiceCall {
  functionName: string;
  /** @throws Refusal if the function's role does not allow it */
  demand: (action: string, resource: string) => void;
}

/** Defines an operation. An input that its schema does not know is refused. */
export const operation = <S extends v.GenericSchema>(
  input: S,
  answer: (input: v.InferOutput<S>, call: ServiceCall) => object,
) => ({
  run: (body: string, call: ServiceCall): object => {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), input), body);
    if (parsed.success) return answer(parsed.output, call);
    const [issue] = parsed.issues;
    throw new Refusal('ValidationException', `${v.getDotPath(issue) ?? 'The input'}: ${issue.message}`);
  },
});

export interface ServiceDependencies {
  roleOf: RoleOf;
  /** Receives every permission that a call needs. */
  onPermissionCheck?: OnPermissionCheck | undefined;
}

/**
 * Starts a stand-in for a service of AWS with a JSON protocol. Answers functions of this machine, as far as their roles
 * allow. Refuses operations and inputs that it does not know.
 */
export function startJsonService(
  operations: Readonly<Record<string, { run: (body: string, call: ServiceCall) => object }>>,
  { roleOf, onPermissionCheck = () => undefined }: ServiceDependencies,
): Promise<RunningServer> {
  return startServer(async (request, response) => {
    const { functionName, operation: name } = callOf(request);
    const body = await text(request);
    const demand = (action: string, resource: string) => {
      if (isAllowed(functionName, { action, resource }, { roleOf, onPermissionCheck })) return;
      const sentence = `The role of ${functionName} does not allow ${action} on ${resource}`;
      throw new Refusal('AccessDeniedException', sentence);
    };
    const reply = (status: number, json: object) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(json));
    try {
      if (isFromWebPage(request)) throw new Refusal('AccessDeniedException', webPagesRefused);
      const known = Object.entries(operations).find(([one]) => one === name)?.[1];
      if (!known) throw new Refusal('UnknownOperationException', `The local machine does not know ${name}`);
      reply(200, known.run(body, { functionName, demand }));
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      const __type = isRefusal ? error.name : 'InternalFailure';
      const message = isRefusal ? error.message : localMessageOf(error);
      reply(isRefusal ? 400 : 500, { __type, message });
    }
  });
}
