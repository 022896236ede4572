import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { textAt } from '../../../shared/core/json-parts.ts';
import { voiceEvent } from '../../support/voice/events.ts';

/** Message that a platform sends or takes. */
export interface Message {
  name: string;
  /** Kind of the message, as the platform names it. */
  kind: string;
  value: unknown;
}

/** Events that no package has a type for. */
const withoutType = [
  ...['elevenlabs-audio', 'elevenlabs-failure-sip', 'elevenlabs-failure-twilio'],
  ...['elevenlabs-ringing', 'retell-ringing'],
];

/** Keys that Vapi sends, that the service reads, and that Vapi's types do not have. */
const vapiAdds = ['durationSeconds', 'summary', 'transcript', 'recordingUrl'].map(
  (path) => `message.${path}`,
);

/**
 * Reads the events in `test/support/voice` that the platforms' packages have types for, without the keys that those do not have.
 *
 * @throws LocalError if no event has one of these keys
 */
export function typedEvents(): Message[] {
  const removed = new Set<string>();
  const typed = (value: unknown, path = ''): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const parts = Object.entries(value).map(([key, part]) => [key, part, path + key] as const);
    for (const [, , at] of parts) if (vapiAdds.includes(at)) removed.add(at);
    const known = parts.filter(([, , at]) => !removed.has(at));
    return Object.fromEntries(known.map(([key, part, at]) => [key, typed(part, `${at}.`)]));
  };
  const files = readdirSync(join(root, 'test/support/voice')).filter((file) => file.endsWith('.json'));
  const names = files.map((file) => file.replace('.json', '')).filter((name) => !withoutType.includes(name));
  const events = names.map((name) => {
    const event = voiceEvent(name);
    const kind = textAt(event, 'event') || textAt(event, 'type') || textAt(event, 'message', 'type');
    return { name, kind, value: typed(event) };
  });
  const unused = vapiAdds.filter((path) => !removed.has(path));
  if (unused.length > 0) throw new LocalError(`No event has ${unused.join(', ')}.`);
  return events;
}
