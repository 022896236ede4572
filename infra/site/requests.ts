/** Request of a guide. In its texts, `${NAME}` stands for a value that the reader keeps. */
export interface GuideRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: string;
}

/** True for a block that is one curl command and nothing more. */
export const isCurl = (code: string): boolean =>
  /^curl [^\n|>]*$/.test(code.replaceAll('\\\n', ' ').replaceAll(/"[^"]*"|'[^']*'/g, ''));

/** Values that a block of assignments keeps, by their names. Undefined for any other block. */
export function assignmentsIn(code: string): Record<string, string> | undefined {
  const lines = code.split('\n').map((line) => /^([A-Z_]+)=(\S+)$/.exec(line));
  if (!lines.every((line) => line !== null)) return undefined;
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
}

/** Reads a curl command. @throws Error for an option that has no form in JavaScript here */
export function requestOf(command: string): GuideRequest {
  const [, ...words] = wordsOf(command);
  const [headers, data]: [GuideRequest['headers'], string[]] = [[], []];
  let [method, url]: (string | undefined)[] = [];
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-s') continue;
    if (!word.startsWith('-')) {
      url = word;
      continue;
    }
    const value = words.shift() ?? '';
    const [name = '', ...rest] = value.split(': ');
    if (word === '-X') method = value;
    else if (word === '-d') data.push(value);
    else if (word === '-H') headers.push([name, rest.join(': ')]);
    else throw new Error(`The site cannot show "curl ${word}" in JavaScript: ${command}`);
  }
  if (url === undefined) throw new Error(`A command of a guide has no address: ${command}`);
  return {
    method: method ?? (data.length > 0 ? 'POST' : 'GET'),
    url,
    headers,
    ...(data.length > 0 && { body: data.join('&') }),
  };
}

/** A curl command with each option on a line. */
export function curlOf(command: string): string {
  const words = command.replaceAll('\\\n', ' ').match(word) ?? [];
  return words.map((one) => (/^-[XHd]$/.test(one) ? `\\\n  ${one}` : one)).join(' ');
}

/** A word of a shell. */
const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/** Words of a command of a shell. A variable becomes `${NAME}`. */
export const wordsOf = (command: string): string[] => {
  const words = command.replaceAll('\\\n', ' ').match(word) ?? [];
  const withVariables = (text: string) => text.replaceAll(/\$(\w+)/g, '${$1}');
  return words.map((one) =>
    [...one.matchAll(/"([^"]*)"|'([^']*)'|([^"']+)/g)]
      .map(([, double, single, bare]) => single ?? withVariables(double ?? bare ?? ''))
      .join(''),
  );
};

/** JavaScript that does the same as a block of a shell. Undefined for a block without such a form. */
export function javaScriptOf(code: string): string | undefined {
  const assigned = assignmentsIn(code) ?? {};
  const [kept, isFirst] = [Object.entries(assigned), 'API' in assigned];
  const constants = kept.map(([name, value]) => `const ${name} = ${literal(value)};`);
  // The first block of a page declares what all its requests assign, so that they can be pasted into one file.
  if (constants.length > 0) return [...constants, ...(isFirst ? ['let response;'] : [])].join('\n');
  return isCurl(code) ? fetchOf(requestOf(code)) : undefined;
}

function fetchOf({ method, url, headers, body }: GuideRequest): string {
  const isForm = body !== undefined && !headers.some(([name]) => name === 'Content-Type');
  const parts = [
    ...(method === 'GET' ? [] : [`method: ${literal(method)},`]),
    ...(headers.length > 0 ? [`headers: ${printed(Object.fromEntries(headers), '  ')},`] : []),
    ...(body === undefined ? [] : [`body: ${isForm ? formOf(body) : jsonOf(body)},`]),
  ];
  const settings = parts.length > 0 ? `, {\n${parts.map((part) => `  ${part}\n`).join('')}}` : '';
  const read = url.includes('format=text') ? 'text' : 'json';
  return `response = await fetch(${literal(url)}${settings});\nconsole.log(response.status, await response.${read}());`;
}

const formOf = (body: string) => {
  const fields = body.split('&').map((field): [string, string] => {
    const [name = '', ...value] = field.split('=');
    return [name, value.join('=')];
  });
  return `new URLSearchParams(${printed(Object.fromEntries(fields), '  ')})`;
};

/** A body of JSON. A variable outside of a text stands for a number. */
function jsonOf(body: string): string {
  const marked = body.replaceAll(
    /("(?:[^"\\]|\\.)*")|\$\{(\w+)\}/g,
    (_, text?: string, name = '') => text ?? `"\\u0000${name}"`,
  );
  return `JSON.stringify(${printed(JSON.parse(marked), '  ')})`;
}

/** A text as JavaScript: with variables, a template. */
function literal(text: string): string {
  if (text.startsWith('\0')) return text.slice(1);
  if (text.includes('${')) return `\`${text.replaceAll(/[\\`]/g, '\\$&')}\``;
  const quoted = JSON.stringify(text);
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** A value as JavaScript, on one line if the line is short. */
function printed(value: unknown, indent: string): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one: unknown) => printed(one, inner))
    : Object.entries(value).map(([name, one]) => `${keyOf(name)}: ${printed(one, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  const line = `${open}${parts.join(', ')}${close}`;
  if (line.length + indent.length <= 72 && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
}

const keyOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : literal(name));
