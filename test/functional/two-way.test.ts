import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { beginEpoch } from '../../shared/domain/organizations/organizations.ts';
import { copyCommand, guideStatements, writeCopyProgram } from '../support/docs/copy-program.ts';
import { TwoSides } from '../support/docs/two-sides.ts';
import { newFolder } from '../support/new-folder.ts';
import { newOrganization } from '../support/test-organization.ts';

const organization = await newOrganization();
const { api } = organization;
const sides = new TwoSides(await organization.apiFor('events:read', 'leads:read', 'leads:write'));

/** A lead that both sides have. */
async function shared(firstName: string): Promise<string> {
  const { lead } = await api.call('createLead', { body: { firstName } });
  await sides.run();
  return lead.id;
}

const expectEqual = async () => {
  expect(sides.inFile()).toEqual(await sides.inApi());
};
const inApi = async (leadId: string) => (await api.call('getLead', { params: { leadId } })).lead;
const change = (leadId: string, body: object) => api.call('updateLead', { params: { leadId }, body });

describe("the guide's program for both directions", () => {
  test('runs by its command', async () => {
    const command = copyCommand('two-way.mjs')
      .replace('sk_live_…', organization.token)
      .replace('npx node@24', process.execPath)
      .replace('two-way.mjs', writeCopyProgram(newFolder(), 'two-way.mjs'))
      .replace('https://api.example.com', inject('baseUrl'))
      .replace('leads.db', `${sides.name} --once`);
    sides.add('key-1', { firstName: 'Ann', phone: '0491 570 159' });
    const { lead } = await api.call('createLead', { body: { firstName: 'Bo' } });
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: root, env });
    expect(stderr).toBe('');
    expect(stdout).toContain(`The lead was created ${lead.id}\n`);
    expect([...sides.inFile().values()].map(({ phone }) => phone).sort()).toEqual(['', '+61491570159']);
    await expectEqual();
  });

  test('keeps both changes, and of one field the value of the API', async () => {
    const id = await shared('Cy');
    sides.edit(id, 'suburb', 'Manly');
    sides.edit(id, 'businessName', 'Mine');
    // The other client is faster than the program, which has read the lead before.
    sides.before = async () => {
      sides.before = () => Promise.resolve();
      await change(id, { businessName: 'Theirs', lastName: 'Day' });
    };
    sides.told.length = 0;
    await sides.run();
    await sides.run();
    expect(sides.mine(id)).toMatchObject({ suburb: 'Manly', businessName: 'Theirs', lastName: 'Day' });
    expect(sides.answers.get('PUT 412')).toBe(1);
    expect(sides.told).toMatchObject([{ recordId: id, changedFields: ['lastName', 'businessName'] }]);
    await expectEqual();
  });

  test('deletes what the API has not changed', async () => {
    const [kept, lost, theirs] = [await shared('Di'), await shared('Ed'), await shared('Flo')];
    sides.remove(kept);
    sides.remove(lost);
    sides.edit(theirs, 'suburb', 'Lost');
    await change(kept, { suburb: 'Bondi' });
    await api.call('deleteLead', { params: { leadId: theirs } });
    await sides.run();
    expect([kept, lost, theirs].map((id) => sides.mine(id)?.['suburb'])).toEqual([
      'Bondi',
      undefined,
      undefined,
    ]);
    await expectEqual();
  });

  test.each(['as it was', 'changed meanwhile'])(
    'makes one lead, if stopped, and the lead is %s',
    async (how) => {
      const before = sides.inFile().size;
      sides.add(`key-${how.length}`, { firstName: how });
      sides.stops = (method) => method === 'POST';
      await sides.run();
      sides.stops = () => false;
      const [id = ''] = [...(await sides.inApi())].find(([, { firstName }]) => firstName === how) ?? [];
      if (how === 'changed meanwhile') await change(id, { suburb: 'Bronte' });
      await sides.run();
      expect(sides.inFile().size).toBe(before + 1);
      expect(sides.mine(id)!['suburb']).toBe((await inApi(id)).suburb);
      await expectEqual();
    },
  );

  test('takes what the statements of the guide write', async () => {
    const [changed, removed] = [await shared('Hal'), await shared('Ida')];
    const [insert = '', update = '', remove = ''] = guideStatements();
    sides.file.exec(insert);
    sides.file.exec(update.replace('lead_…', changed));
    sides.file.exec(remove.replace('lead_…', removed));
    await sides.run();
    expect((await inApi(changed)).suburb).toBe('Manly');
    expect(sides.mine(removed)).toBeUndefined();
    expect([...sides.inFile().values()].filter(({ firstName }) => firstName === 'Ann')).toHaveLength(2);
    await expectEqual();
  });

  test('leaves a refused edit for a person', async () => {
    const id = await shared('Gil');
    sides.edit(id, 'email', 'nobody');
    await sides.run();
    const refused = sides.file.prepare('SELECT refused FROM leads WHERE id = ?');
    expect(String(refused.get(id)!['refused'])).toContain('email');
    sides.edit(id, 'email', 'gil@example.com');
    sides.file.exec('UPDATE leads SET refused = NULL');
    await sides.run();
    await expectEqual();
  });

  test('begins again in a new epoch, and keeps what was not sent', async () => {
    const id = await shared('Hal');
    sides.file.exec(
      `INSERT INTO leads (key, mine, id, etag, base) VALUES ('lost', '{}', 'lead_LOST', '""', '{}')`,
    );
    sides.edit(id, 'suburb', 'Coogee');
    sides.add('key-last', { firstName: 'Ina' });
    await beginEpoch(organization.openLedger().ledger, organization.code);
    await sides.run();
    expect(sides.answers.get('GET 410')).toBe(1);
    expect(sides.mine(id)).toMatchObject({ suburb: 'Coogee' });
    await expectEqual();
  });
});
