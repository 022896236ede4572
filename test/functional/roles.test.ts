import { expect, test } from 'vitest';
import { findContracts } from '../../infra/functions.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { everyOperation, neededFirst, testedOperation } from '../support/operations.ts';
import { fill } from '../support/filled-records.ts';
import { refusedTo, takingTokens, tokenKinds } from '../../infra/site/token-kinds.ts';
import { clientFor, newOrganization } from '../support/test-organization.ts';

const { operations } = await findContracts();
const places = [...everyOperation.keys()];
const inOrder = takingTokens(operations)
  .toSorted((one, other) => places.indexOf(one.operationId) - places.indexOf(other.operationId))
  .toSorted(neededFirst);

/** Names of the kinds that are tried on every operation. The others are tried where they must be refused. */
const wholly = ['USER with every scope', 'OWNER with `read,write`'];

test.each(tokenKinds)(
  'a token of $role with $name is refused what the reference says, and nothing else',
  async (kind) => {
    const organization = await newOrganization();
    const records = await fill(organization);
    const { role, scopes } = kind;
    const person = { firstName: 'Mo', lastName: 'Ali', email: 'mo@example.com', role };
    const { id: userId } = (await createMember(organization.openLedger().ledger, person)).user;
    const api = clientFor(await organization.issueToken({ userId, role, scopes }), [...scopes]);
    const refused: string[] = [];
    const mustBeRefused = refusedTo(kind, operations);
    const isWhole = wholly.includes(`${role} with ${kind.name}`);
    const tried = inOrder.filter(({ operationId }) => isWhole || mustBeRefused.includes(operationId));
    for (const { operationId, endpoint } of tried) {
      const { status, body } = await api.attempt(endpoint, testedOperation(operationId).request(records, 1));
      if (status !== 403) expect([200, 201], `${operationId}: ${JSON.stringify(body)}`).toContain(status);
      else {
        expect(body).toMatchObject({ error: { message: `The token lacks the scope "${endpoint.scope}"` } });
        refused.push(operationId);
      }
    }
    expect(refused.sort()).toEqual(mustBeRefused.sort());
  },
);
