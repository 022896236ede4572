import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findContracts } from '../../../infra/functions.ts';
import { root } from '../../../infra/root.ts';
import type { SmsProvider } from '../../../shared/domain/sms/sms-provider.ts';
import type { Store } from '../../../shared/ledger/index.ts';
import { eventFor } from '../../support/event-for.ts';
import { fill, type Records } from '../../support/filled-records.ts';
import { everyOperation, neededFirst, testedOperation } from '../../support/operations.ts';
import { secretMaker } from '../../support/secrets.ts';
import { recordedStore, type RecordedStore } from '../../support/store/recorded-store.ts';
import { newOrganization, tableAt, type TestOrganization } from '../../support/test-organization.ts';
import { contextWith, linesOf } from '../http/invocation.ts';

interface Module {
  handler: (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;
}

const places = [...everyOperation.keys()];
const onTable = (await findContracts()).operations
  .filter(({ endpoint }) => endpoint.access !== 'none')
  .sort((one, other) => places.indexOf(one.operationId) - places.indexOf(other.operationId))
  .sort(neededFirst);

const smsProvider: SmsProvider = {
  from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
  send: ({ context }) => Promise.resolve({ status: 'SENT', providerId: `provider-${context['message']}` }),
};
/** Files of shared/http/outside that the functions load here in place of the real files. */
const outside = {
  table: { ledgerOf: (...asked: Parameters<Store['ledgerOf']>) => recorded.store.ledgerOf(...asked) },
  secrets: { secretMaker, secretBox: secretMaker.box },
  'sms-provider': { smsProvider },
};
const fileOf = (name: string) => join(root, `shared/http/outside/${name}.ts`);

let organization: TestOrganization;
let records: Records;
let recorded: RecordedStore;
beforeAll(async () => {
  vi.stubEnv('FORMS_PER_KEY_PER_DAY', '1');
  for (const [name, exported] of Object.entries(outside)) vi.doMock(fileOf(name), () => exported);
  organization = await newOrganization();
  records = await fill(organization);
});
afterAll(() => {
  for (const name of Object.keys(outside)) vi.doUnmock(fileOf(name));
});

test.each(onTable)('$operationId costs exactly the expected calls and units', async (operation) => {
  const { entry, endpoint, operationId } = operation;
  const { cost, reach, given, most } = testedOperation(operationId);
  const used = given ? await given(organization.openLedger(reach && { reach }).ledger, records) : records;
  const event = eventFor(operation, organization, used, 1, most(used));
  if (endpoint.takesEvents) sign(event);
  const { handler } = await vi.importActual<Module>(pathToFileURL(join(root, entry)).href);
  recorded = recordedStore(tableAt());
  const { result, lines } = await linesOf(() => handler(event, contextWith(15_000)));
  expect(result.statusCode, result.body).toBeLessThan(300);
  const logged: unknown = JSON.parse(lines[0]!);
  const [roundTrips, readUnits, writeUnits] = cost ?? [];
  expect([recorded.roundTrips(), logged], 'see its cost in test/support/operations.ts').toMatchObject([
    roundTrips,
    { readUnits, writeUnits },
  ]);
});

/** Signs an event of a voice platform by the secret of its key. */
function sign({ headers, requestContext: { authorizer } }: APIGatewayProxyEvent): void {
  const secret = 'a-secret-of-the-platform';
  Object.assign(headers, { 'X-Vapi-Secret': secret });
  Object.assign(authorizer ?? {}, { signingSecret: `${organization.code} ${secret}` });
}
