import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import { newConsumedCapacity, type Collection, type Write } from '../../../shared/ledger/index.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import {
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/test-organization.ts';

const pens = {
  name: 'PEN',
  label: 'pen',
  schema: v.object({ id: v.number(), color: v.string() }),
  uniques: ({ color }: { color: string }) => [{ field: 'color', value: color }],
} as const satisfies Collection;
const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const taken = { kind: 'conflict', message: 'Another organization has this number' };

let ours: TestOrganization;
let theirs: TestOrganization;
let phone: string;
beforeEach(async () => {
  [ours, theirs] = [await newOrganization(), await newOrganization()];
  // All tests share the table, and a number belongs to one organization of the table.
  phone = `+614${ours.code}`;
});

const writing = (organization: TestOrganization, act: (write: Write) => void) =>
  organization.openLedger().ledger.write({}, (write) => {
    act(write);
    write.event(event);
  });
const claim = (organization: TestOrganization) =>
  writing(organization, (write) => {
    write.claimPhoneNumber(phone);
  });
const release = (organization: TestOrganization) =>
  writing(organization, (write) => {
    write.releasePhoneNumber(phone);
  });
const owner = () => newStore().organizationOfPhoneNumber(phone, limits());
const lengthOf = (organization: TestOrganization) =>
  organization.openLedger().ledger.write({}, (write) => write.next(pens).number - 1);

describe('a phone number', () => {
  test('is found with its organization by one strongly consistent read, or not at all', async () => {
    await claim(ours);
    const { store, commands, owners } = recordedStore(tableAt());
    const capacity = newConsumedCapacity();
    const limited = { ...limits(), capacity };
    expect(await store.organizationOfPhoneNumber(phone, limited)).toBe(ours.code);
    expect(await store.organizationOfPhoneNumber(`${phone}0`, limited)).toBeUndefined();
    expect({ commands, readUnits: capacity.readUnits }).toEqual({
      commands: ['GetItemCommand', 'GetItemCommand'],
      readUnits: 2,
    });
    expect([...owners]).toEqual(['NUMBER#']);
  });

  test('belongs to one organization: another gets a conflict that does not name the owner, and stores nothing', async () => {
    await claim(ours);
    const claiming = writing(theirs, (write) => {
      write.append(pens, ({ number: id }) => ({ id, color: 'red' }));
      write.claimPhoneNumber(phone);
    });
    const refusal: unknown = await claiming.catch((error: unknown) => error);
    expect(refusal).toMatchObject(taken);
    expect(JSON.stringify(refusal)).not.toContain(ours.code);
    expect([await owner(), await lengthOf(theirs)]).toEqual([ours.code, 0]);
  });

  test('cannot be given up by another organization, and the error names no number', async () => {
    await claim(ours);
    const error: unknown = await release(theirs).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Inconsistent' });
    expect(String(error)).toContain('NUMBER');
    expect(String(error)).not.toContain(phone);
    expect(await owner()).toBe(ours.code);
  });

  test('is claimed with the rest of its write or not at all', async () => {
    const add = (write: Write) => write.append(pens, ({ number: id }) => ({ id, color: 'red' }));
    await writing(ours, add);
    const failing = writing(ours, (write) => {
      add(write);
      write.claimPhoneNumber(phone);
    });
    await expect(failing).rejects.toMatchObject({ kind: 'conflict', extras: { existingId: 1 } });
    expect(await owner()).toBeUndefined();
  });

  test('that is given up and claimed in one write is as the last call says', async () => {
    await writing(ours, (write) => {
      write.claimPhoneNumber(phone);
      write.releasePhoneNumber(phone);
      write.claimPhoneNumber(phone);
    });
    expect(await owner()).toBe(ours.code);
  });
});
