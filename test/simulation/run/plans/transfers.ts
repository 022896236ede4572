import { notFound, noSuch, Refused } from '../model/refusal.ts';
import { once, type Plan } from '../plan.ts';
import { inSomeCase, someNumber, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { holders } from './leads.ts';

const someLabel = (planner: Planner) =>
  inSomeCase(planner, `bursts ${planner.draw.whole(1, planner.variety)}`);

const someScenario = (planner: Planner) =>
  planner.draw.happens(0.4) ? { scenarioId: someNumber(planner, 'SCENARIO') } : {};

export function createTransfer(planner: Planner): Plan {
  const { draw, organization } = planner;
  const given: Fields = {
    label: someLabel(planner),
    method: 'WARM',
    destinationType: 'DEPARTMENT',
    destination: 'Office',
    conditions: 'Asks for it',
    ...someScenario(planner),
    ...(draw.happens(0.3) && { name: 'Own', settings: { ignore_business_hours: true }, isEnabled: false }),
  };
  const { label } = given;
  const scenario = given['scenarioId'] as number | undefined;
  return {
    operation: 'createTransfer',
    organization,
    call: { endpoint: 'createTransfer', body: JSON.stringify(given) },
    stages: once((change) => {
      if (scenario !== undefined && !change.get('SCENARIO', scenario)) {
        throw new Refused(noSuch('scenario', 'scenarioId'));
      }
      const presets = {
        name: label,
        summaryFormat: '',
        settings: { ignore_business_hours: false },
        isEnabled: true,
        scenarioId: null,
      };
      const stamps = { createdAt: change.now, updatedAt: change.now };
      const transfer = change.append('TRANSFER', (id) => ({ id, ...presets, ...given, ...stamps }));
      change.event('TRANSFER_CREATED', 'The transfer rule was created', transfer['id'] as number);
      return { transfer };
    }),
    refusals: (window) => [
      ...(scenario !== undefined && window.canMiss('SCENARIO', scenario)
        ? [noSuch('scenario', 'scenarioId')]
        : []),
      ...holders(
        window,
        organization.uniqueName('TRANSFER.label', label as string),
        'transfer has this label',
      ),
    ],
  };
}

export function updateTransfer(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'TRANSFER');
  const changes: Fields = {
    ...(draw.happens(0.5) && { label: someLabel(planner) }),
    ...someScenario(planner),
    ...(draw.happens(0.1) && { scenarioId: null }),
    ...(draw.happens(0.4) && { isEnabled: draw.happens(0.5), conditions: `If ${draw.whole(1, 40)}` }),
    ...(draw.happens(0.2) && { settings: { ignore_business_hours: draw.happens(0.5) } }),
  };
  const scenario = (changes['scenarioId'] ?? undefined) as number | undefined;
  const changed = (before: Fields): Fields => ({ ...before, ...changes });
  const label = changes['label'] as string | undefined;
  return {
    operation: 'updateTransfer',
    organization,
    call: {
      endpoint: 'updateTransfer',
      params: { transferId: String(number) },
      body: JSON.stringify(changes),
    },
    stages: once((change) => {
      const before = change.get('TRANSFER', number);
      if (!before) throw new Refused(notFound('transfer'));
      if (scenario !== undefined && !change.get('SCENARIO', scenario)) {
        throw new Refused(noSuch('scenario', 'scenarioId'));
      }
      if (same(before, changed(before))) throw new Refused({ status: 200, message: 'nothing changes' });
      const transfer = change.replace('TRANSFER', number, { ...changed(before), updatedAt: change.now });
      change.event('TRANSFER_UPDATED', 'The transfer rule was changed', number);
      return { transfer };
    }),
    refusals: (window) => [
      ...(window.canMiss('TRANSFER', number) ? [notFound('transfer')] : []),
      ...(scenario !== undefined && window.canMiss('SCENARIO', scenario)
        ? [noSuch('scenario', 'scenarioId')]
        : []),
      ...(label === undefined
        ? []
        : holders(
            window,
            organization.uniqueName('TRANSFER.label', label),
            'transfer has this label',
            number,
          )),
    ],
    unchanged: (window) =>
      window
        .present('TRANSFER', number)
        .filter((before) => same(before, changed(before)))
        .map((transfer) => ({ transfer })),
  };
}
