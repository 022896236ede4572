import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { hints, sentences } from '../../contract/errors.ts';
import { Failure } from '../../core/failure.ts';
import { baseUrlOf } from '../base-url.ts';
import { keptResponse, weakTagOf } from '../entity-tags.ts';
import type { ServedEvent } from '../event.ts';
import { wantsPage } from '../forms/pages.ts';

/** Text in the files that stands for the base URL. */
export const basePlaceholder = '{{base}}';

/** File of the page for a path that is not there. */
export const unknownPage = 'not-found.html';

/** Files of the routes that do not have the path of a file. */
const filesOfRoutes: Readonly<Record<string, string>> = {
  '/docs': 'docs.html',
  '/.well-known/api-catalog': 'api-catalog',
};

/** `Content-Type` by the ending of a name. */
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  // Shown as text in a browser: a browser would save `text/markdown`.
  md: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  // RFC 9727, section 4.2.
  'api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
};

const policyOf = (...directives: string[]) =>
  [
    "default-src 'none'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Pages load nothing from elsewhere, and run no script that stands in a page. Scalar sets styles in attributes. */
const policies = {
  pages: policyOf("img-src 'self'", "script-src 'self'", "style-src 'self'"),
  reference: policyOf(
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self' data:",
    "connect-src 'self'",
  ),
};

/**
 * Answers a request for a file of the site. The file is read for each request. Styles and scripts have the
 * version in their path, and so never change. Other files may be kept for five minutes.
 *
 * @param folder folder of the files
 * @throws Failure `notFound` for an unknown file, unless a browser asks: it gets a page
 */
export function answerFile(folder: string, event: ServedEvent): APIGatewayProxyResult {
  const name = nameOf(event);
  const text = name === undefined ? undefined : readOrUndefined(join(folder, name));
  if (name === undefined || text === undefined) return answerUnknown(folder, event);
  const isImmutable = /^docs\/(?:page|scalar)-/.test(name);
  const body = isImmutable ? text : text.replaceAll(basePlaceholder, baseUrlOf(event));
  return keptResponse(
    event,
    { statusCode: 200, headers: headersOf(name), body },
    {
      ETag: weakTagOf(body),
      'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
      Vary: event.resource === '/' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
    },
  );
}

/** Answers a request for a path that is not there. @throws Failure `notFound` for any client but a browser */
function answerUnknown(folder: string, event: ServedEvent): APIGatewayProxyResult {
  if (!wantsPage(event.headers['accept']))
    throw new Failure('notFound', sentences.unknownRoute, { hint: hints.unknownRoute });
  const page = readFileSync(join(folder, unknownPage), 'utf8');
  const body = page.replaceAll(basePlaceholder, baseUrlOf(event));
  return { statusCode: 404, headers: headersOf(unknownPage), body };
}

/** Headers of a file. */
function headersOf(name: string): Record<string, string> {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8';
  return {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    ...(name.endsWith('.html') && {
      'Content-Security-Policy': name === 'docs.html' ? policies.reference : policies.pages,
    }),
  };
}

/** Name of the file that a request asks for. Undefined if no file can have it. Only a person's browser gets the front page. */
function nameOf({ resource, pathParameters, headers }: ServedEvent): string | undefined {
  if (resource === '/') return wantsPage(headers['accept']) ? 'index.html' : 'index.json';
  const known = filesOfRoutes[resource];
  if (known !== undefined) return known;
  const path = resource.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters?.[name] ?? '');
  // No file has a name that could lead out of the folder.
  const isPlain = path.split('/').every((segment) => /^\w[\w.-]*$/.test(segment));
  if (!isPlain) return undefined;
  return resource.startsWith('/docs/') && !path.includes('.') ? `${path}.html` : path;
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EISDIR'].includes(String(error.code)))
      return undefined;
    throw error;
  }
}
