import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Tool } from '../../../shared/http/agents/tool.ts';

type Content = Awaited<ReturnType<Tool['call']>>['content'];

const text = (words: string) => ({ type: 'text' as const, text: words });
/** Image of one pixel, and a sound of no length. */
const image = {
  type: 'image' as const,
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
};
const audio = {
  type: 'audio' as const,
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
};
const resource = {
  type: 'resource' as const,
  resource: { uri: 'test://resource', mimeType: 'text/plain', text: 'This is a resource.' },
};

const fixture = (name: string, content: Content, isError = false): Tool => ({
  name,
  title: name,
  description: 'A tool that the conformance suite calls',
  inputSchema: toStandardJsonSchema(v.object({})),
  annotations: { readOnlyHint: true },
  scope: 'any',
  call: () => Promise.resolve({ content, isError }),
});

/** Tools that scenarios of the conformance suite call by their names. */
export const fixtureTools: readonly Tool[] = [
  fixture('test_simple_text', [text('This is a simple text response for testing.')]),
  fixture('test_image_content', [image]),
  fixture('test_audio_content', [audio]),
  fixture('test_embedded_resource', [resource]),
  fixture('test_multiple_content_types', [text('Several'), image, resource]),
  fixture('test_error_handling', [text('This tool intentionally returns an error for testing')], true),
];
