import { deepStrictEqual } from 'node:assert';
import type { StoredOrganization } from '../../support/stored-organization.ts';
import { newTask } from '../clients/watched-machine.ts';

/** Proves that every operation answers 401 without a token, and succeeds with one. @throws AssertionError */
export async function callEveryOperation(url: string, organization: StoredOrganization): Promise<void> {
  const { tokens, calls } = await newTask(url, organization);
  // There is no SMS provider here.
  for (const call of calls.filter(({ operationId }) => operationId !== 'sendSms')) {
    const { operationId, method, path, params, query, headers, body, status } = call;
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const send = async (token: string) => {
      const isKeyed = tokens.keyedPaths.includes(path);
      const search = new URLSearchParams(texts);
      if (isKeyed && token) search.set('key', token);
      const answer = await fetch(`${url}${place}?${search.toString()}`, {
        method: method.toUpperCase(),
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          ...(token && !isKeyed && { Authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { operationId, status: answer.status, body: await answer.text() };
    };
    const isPublic = operationId === 'getOpenApi';
    if (!isPublic) deepStrictEqual((await send('')).status, 401, operationId);
    const bearer = path.endsWith('/accept') ? tokens.invitationToken : tokens.token;
    const answer = await send(tokens.keyedPaths.includes(path) ? tokens.key : bearer);
    deepStrictEqual(answer, { ...answer, status });
  }
}
