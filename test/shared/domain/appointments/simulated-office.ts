import { newSettings } from '../../../../shared/domain/organizations/new-settings.ts';
import { organizations } from '../../../../shared/domain/settings/organization-record.ts';
import { addStartSet, emptySet } from '../../../../shared/domain/organizations/start-set.ts';
import { addPipeline } from '../../../../shared/domain/leads/pipeline-record.ts';
import { addMember } from '../../../../shared/domain/members/members.ts';
import { SimulatedLedger } from '../../ledger/simulated-ledger.ts';

const service = { name: 'Drain', category: 'Services', duration: 60 };

/** An office that offers one service, in a simulated DynamoDB. */
export async function simulatedOffice(people: readonly string[]): Promise<SimulatedLedger> {
  const simulated = await SimulatedLedger.found();
  await simulated.run((ledger) =>
    ledger.write({}, (write) => {
      const settings = newSettings('AU');
      const id = `org_${simulated.code}`;
      write.append(organizations, () => ({
        id,
        name: 'Drains',
        ...settings,
        numbers: [],
        createdAt: write.now,
      }));
      for (const firstName of people)
        addMember(write, { firstName, lastName: 'Tran', email: `${firstName.toLowerCase()}@example.com` });
      addPipeline(write, 'Australia/Adelaide');
      const category = emptySet.categories.find(({ type }) => type === 'SERVICE')!.name;
      addStartSet(write, { ...emptySet, services: [{ ...service, category }] });
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
    }),
  );
  return simulated;
}
