import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../../infra/root.ts';
import { alarmHeadings } from '../../../../infra/stack/watch/alarm-definition.ts';
import type { StageSettings } from '../../../../infra/stack/settings-schema.ts';
import { allSettings } from '../../../support/template/made-up-stack.ts';
import { Alarms } from '../../../support/metrics/alarms.ts';
import { propertiesIn } from '../../../support/metrics/named-metrics.ts';
import { watchedStack } from './watched-stack.ts';

/** Parts of an alarm. `alarms-of-*.full.test.ts` prove when each is raised. */
interface Alarm {
  AlarmName: string;
  AlarmDescription: string;
  AlarmActions: string[];
  OKActions: string[];
}

const alarmsWith = (settings?: StageSettings) =>
  propertiesIn<Alarm>(watchedStack({ ...(settings && { settings }) }), 'AWS::CloudWatch::Alarm');
const alarms = alarmsWith();
const names = alarms.map(({ AlarmName }) => AlarmName.replace('SalesPipeline-prod-', ''));

test('each worker has alarms of its kind', () => {
  expect(names.filter((name) => /(DeadLetters|Stuck|Unread)$/.test(name)).toSorted()).toEqual(
    ['Ordered', 'Queued', 'Streamed', 'Texted', 'Timed'].flatMap((name) => [
      `${name}DeadLetters`,
      `${name}Stuck`,
      ...(name === 'Streamed' ? ['StreamedUnread'] : []),
    ]),
  );
});

test.each<[string, Partial<StageSettings>]>([
  ['NoTraffic', { alarmAfterHoursWithoutTraffic: 0 }],
  ['RefusedKeys', { webAcl: 'none' }],
])('%s is not there with %j, and all others are', (name, changes) => {
  expect(alarmsWith({ ...allSettings, ...changes }).map(({ AlarmName }) => AlarmName)).toEqual(
    alarms.flatMap(({ AlarmName }) => (AlarmName.endsWith(`-${name}`) ? [] : [AlarmName])),
  );
});

test('a certificate that ends within 30 days: CertificateEnds', () => {
  let now = Date.UTC(2026, 10, 2);
  const changes: string[] = [];
  const evaluated = new Alarms(watchedStack(), {
    clock: { now: () => now },
    isObserved: (name) => name === 'CertificateEnds',
    onChange: (change) => changes.push(change),
  });
  for (const [days, expected] of [
    [30, []],
    [29, ['CertificateEnds ALARM']],
  ] as const) {
    evaluated.measure('CertificateEnds', days);
    now += 60_000;
    evaluated.evaluate();
    expect(changes).toEqual(expected);
  }
});

test('every alarm tells the topic when it fires, and when it is over', () => {
  const topic = 'arn:aws:sns:us-east-1:000000000000:SalesPipeline-prod-alarms';
  for (const alarm of alarms) expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
});

test('every alarm says in at most three sentences what breaks, what to do, and where that is written', () => {
  const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const cited = alarms.map(({ AlarmDescription }) => {
    expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    expect(AlarmDescription.split(/(?<=[.!?]) (?=[A-Z])/).length).toBeLessThanOrEqual(3);
    const [, heading = ''] = /: docs\/operations\.md, (\w+)\.$/.exec(AlarmDescription) ?? [];
    expect(operations.split('\n')).toContain(`#### ${heading}`);
    return heading;
  });
  expect(new Set(cited)).toEqual(new Set(alarmHeadings));
});
