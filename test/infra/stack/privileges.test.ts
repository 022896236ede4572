import { beforeAll, describe, expect, inject, test } from 'vitest';
import { readTemplate } from '../../../infra/local/template/template.ts';
import { allowedBy } from '../../support/template/permissions.ts';
import { readAsked } from '../../support/machine/run-log.ts';
import { functionalRunLog } from '../../support/machine/functional-run-log.ts';

let asked: ReturnType<typeof readAsked>;
beforeAll(async () => {
  asked = readAsked(await functionalRunLog());
});

const { functions } = readTemplate(inject('assembly'));

/** False for dead letters. Lambda sends them by the role, and `alarms-of-workers.full.test.ts` proves it. */
const isOwn = (permission: string) => !/^sqs:SendMessage on .*DeadLetters\w+$/.test(permission);

describe.each(functions.map(({ name, role }) => [name, role] as const))('%s', (name, role) => {
  test('was seen to ask for all that its role allows, and for nothing else', () => {
    const ofThis = asked.filter(({ functionName }) => functionName === name);
    const seen = new Set(ofThis.flatMap(({ permissions }) => permissions).filter(isOwn));
    // A conflict decides whether a function reads in a transaction, too.
    const allowed = [...allowedBy(role)]
      .filter((permission) => isOwn(permission) && !permission.endsWith('of ORG#* in TransactGetItems'))
      .sort();
    const missing = allowed.filter((permission) => !seen.has(permission));
    expect([...seen].sort(), `no functional test lets ${name} use ${missing.join(', ')}`).toEqual(allowed);
  });
});

test('no function was denied anything, and none asked that is not in the template', () => {
  expect(asked.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  const names = new Set(functions.map(({ name }) => name));
  expect(asked.filter(({ functionName }) => !names.has(functionName))).toEqual([]);
});
