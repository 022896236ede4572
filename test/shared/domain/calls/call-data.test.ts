import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callDataOf, mergedCall } from '../../../../shared/domain/calls/call-data.ts';
import type { ReportedCall } from '../../../../shared/domain/calls/reported-call.ts';

const start = Date.parse('2026-03-02T15:04:05.000Z');
const now = '2026-03-02T16:00:00.000Z';

const shortNames = ['name', 'suburb', 'day'];
/** Names of findings that do not all fit, with values that are cut. */
const longNames = Array.from({ length: 60 }, (_, at) => `finding ${at}`);
const valueOf = (name: string) => (shortNames.includes(name) ? `${name}?` : `${name} `.repeat(200));

/** Events of one call: each knows a part of it, some more than others. */
const someEvent = fc.record({
  startedAt: fc.constantFrom(undefined, start),
  seconds: fc.constantFrom(undefined, 21.5),
  knowsEnd: fc.boolean(),
  reason: fc.constantFrom('', 'hung up'),
  summary: fc.constantFrom('', 'A leak', 'A leak in the kitchen'),
  link: fc.constantFrom('', 'https://recordings.example.com/1.wav'),
  turns: fc.constantFrom([], ['Hello'], ['Hello', 'It leaks']),
  findings: fc.subarray([...shortNames, ...longNames]),
  speaker: fc.constantFrom('user' as const, 'assistant' as const),
});

const reported = (event: ReturnType<typeof someEvent.generate> extends { value: infer E } ? E : never) => {
  const { startedAt, seconds, knowsEnd, reason, summary, link, turns, findings, speaker } = event;
  const endedAt =
    startedAt !== undefined && seconds !== undefined && knowsEnd ? start + seconds * 1000 : undefined;
  return {
    platform: 'vapi',
    callId: '1',
    phone: '',
    direction: undefined,
    startedAt,
    endedAt,
    duration: seconds,
    summary,
    recordingUrl: link,
    endReason: reason,
    endedBy: reason === '' ? undefined : 'assistant',
    turns: turns.map((text) => ({ user: speaker, text })),
    findings: findings.map((name) => ({ name, value: valueOf(name) })),
  } as const satisfies ReportedCall;
};

const merged = (events: readonly Parameters<typeof reported>[0][]) => {
  const [first, ...others] = events.map((event) => callDataOf(reported(event), now));
  return others.reduce((known, other) => mergedCall(known, other), first!);
};

test('whatever the order of events, however often each comes, and whichever comes together, a call is the same', () => {
  const property = fc.property(
    fc
      .array(someEvent, { minLength: 1, maxLength: 5 })
      .chain((events) =>
        fc.tuple(
          fc.constant(events),
          fc.shuffledSubarray(events, { minLength: events.length }),
          fc.subarray(events),
        ),
      ),
    ([events, others, again]) => {
      const { transcripts, startedAt, endedAt, ...call } = merged(events);
      const { transcripts: told, startedAt: began, endedAt: ended, ...other } = merged([...others, ...again]);
      expect(other).toEqual(call);
      expect(JSON.stringify(call.fields).length).toBeLessThan(48 * 1024);
      expect(told).toEqual(transcripts);
      // If no event has the beginning, the beginning is counted back from the arrival of the first event.
      expect([began, ended]).toEqual([startedAt, endedAt]);
      expect(Date.parse(endedAt) - Date.parse(startedAt)).toBe(call.duration * 1000);
    },
  );
  fc.assert(property, { seed: 20261124, numRuns: 500 });
});

test('nothing that an event knows is lost', () => {
  const small = someEvent.map((event) => ({
    ...event,
    findings: event.findings.filter((name) => shortNames.includes(name)),
  }));
  const property = fc.property(fc.array(small, { minLength: 1, maxLength: 5 }), (events) => {
    const call = merged(events);
    for (const event of events) {
      expect(call.summary).toContain(event.summary);
      expect(call.recordingUrl).toContain(event.link);
      expect(call.transcripts.length).toBeGreaterThanOrEqual(event.turns.length);
      for (const name of event.findings) expect(call.fields).toHaveProperty(name, valueOf(name));
      if (event.reason !== '') expect([call.endReason, call.endedBy]).toEqual(['hung up', 'assistant']);
    }
  });
  fc.assert(property, { seed: 20261124, numRuns: 200 });
});

test.each<[Partial<ReportedCall>, string[]]>([
  [{}, [now, now]],
  [{ startedAt: start }, ['2026-03-02T15:04:05.000Z', '2026-03-02T15:04:05.000Z']],
  [{ startedAt: start, duration: 2 }, ['2026-03-02T15:04:05.000Z', '2026-03-02T15:04:07.000Z']],
  [{ endedAt: start, duration: 2 }, ['2026-03-02T15:04:03.000Z', '2026-03-02T15:04:05.000Z']],
  [{ duration: 60 }, ['2026-03-02T15:59:00.000Z', now]],
  [{ startedAt: -1, endedAt: 1e300 }, [now, now]],
])('a call of which %j is known is at %j', (known, times) => {
  const { startedAt, endedAt } = callDataOf(
    { ...reported(fc.sample(someEvent, 1)[0]!), ...none, ...known },
    now,
  );
  expect([startedAt, endedAt]).toEqual(times);
});

const none = { startedAt: undefined, endedAt: undefined, duration: undefined };
