import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads an event of a voice platform, by the name of its file. An event has the fields that the service reads, and the
 * fields that the platform's type requires: part `voice` of `npm run test:outside` compares them.
 * `retell-call-analyzed` is as long as a platform sends it.
 */
export const voiceEvent = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')) as Record<string, unknown>;

/** Events of one call on each platform, in the order of their sending. */
export const eventsOfCall = {
  retell: ['retell-call-started', 'retell-call-ended', 'retell-call-analyzed'],
  vapi: ['vapi-in-progress', 'vapi-ended', 'vapi-report'],
  elevenlabs: ['elevenlabs-transcription'],
} as const;

/** Transcript of that call, which is the same on each platform: who speaks, and what. */
export const spokenInCall = [
  ['assistant', 'Hi Jane, this is Ava from Northwind Dental. How can I help you today?'],
  ['user', 'I need to move my appointment to Friday.'],
  ['assistant', 'Done, you are booked for Friday at ten. Anything else?'],
  ['user', 'No, thank you. Bye.'],
];
