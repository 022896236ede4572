import * as v from 'valibot';

const web = /^https?:\/\//i;
const scheme = /^[a-z][a-z\d+.-]*:/i;
/** Host with its port, such as `example.com:8080`. The text before the colon is not a scheme. */
const hostAndPort = /^(?:localhost|[^:]*\.[^:]*):\d{1,5}(?:[/?#]|$)/i;

/** True for a link that begins with https:// or http://. */
export const isWebLink = (text: string): boolean => web.test(text);

/**
 * True for a link with another scheme. Browsers ignore white space around a link, and tabs and line breaks in a link.
 */
function hasOtherScheme(text: string): boolean {
  const read = text.trim().replaceAll(/[\t\n\r]/g, '');
  return scheme.test(read) && !isWebLink(read) && !hostAndPort.test(read);
}

/** Sentence for a value that is no link of the web. */
const notWeb = 'must be a link that begins with https:// or http://';

/**
 * Refuses a link with another scheme than http and https, so that nobody runs a script by opening a link. `@joe` and
 * `a.example/joe` are fine.
 */
export const noOtherScheme = v.check(
  (text: string) => !hasOtherScheme(text),
  `${notWeb}, or a name without a scheme, such as @joe`,
);

/** Accepts only a link of http or https, or an empty text. */
export const webLinkOrEmpty = v.check((text: string) => text === '' || isWebLink(text), notWeb);
