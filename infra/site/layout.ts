import { escaped } from '../../shared/http/forms/pages.ts';
import { basePlaceholder as base } from '../../shared/http/site/answer-file.ts';

export const siteName = 'Sales Pipeline Service';

/** Business that runs the API, and address where its customers get help: settings of the stage. */
export interface Operator {
  operatorName?: string;
  supportUrl?: string;
}

/** Parts that all pages share. */
export interface Frame {
  /** Folder of styles and scripts, which has their version. */
  assets: string;
  operator: Operator;
}

export interface Page {
  title: string;
  /** A sentence for search engines and previews. */
  about: string;
  body: string;
  /** Class of the body. */
  kind: 'text guide' | 'text front' | 'reference';
  /** Script of the page, instead of the script that all pages share. */
  script?: string;
  /** Link of the header that leads here. */
  current?: string;
}

/** Links of the header: address below the base URL, and text. */
const links = [
  ['/#guides', 'Guides'],
  ['/docs', 'Reference'],
] as const;

/** HTML of a whole page. */
export function layOut(
  { title, about, body, kind, script = 'page.js', current }: Page,
  { assets, operator }: Frame,
): string {
  const folder = `${base}/docs/${assets}`;
  const isOurs = kind !== 'reference';
  // Scalar makes its header, its search and its footer.
  const element = isOurs ? 'header' : 'div';
  const header = links.map(
    ([path, text]) =>
      `<a href="${base}${path}"${path === current ? ' aria-current="true"' : ''}>${text}</a>\n`,
  );
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title === siteName ? title : `${title} – ${siteName}`)}</title>
<meta name="description" content="${escaped(about)}">
<link rel="icon" type="image/svg+xml" href="${folder}/icon.svg">
<link rel="stylesheet" href="${folder}/style.css">
<script type="module" src="${folder}/${script}"></script>
</head>
<body class="${kind}">
<a class="skip" href="#main">Skip to the content</a>
<${element} class="top">
<nav aria-label="Site">
<a class="brand" href="${base}/"><img src="${folder}/icon.svg" alt="" width="24" height="24"><span>${escaped(siteName)}</span></a>
${header.join('')}</nav>
${isOurs ? searchForm : ''}</${element}>
${body}
${isOurs ? footer(operator) : ''}</body>
</html>
`;
}

/** Search, hidden until the script makes it work. */
const searchForm = `<search hidden>
<form>
<input type="search" aria-label="Search the guides" placeholder="Search" autocomplete="off">
</form>
<div class="found" hidden>
<p role="status"></p>
<ul></ul>
</div>
</search>
`;

/** Says who runs the API, and where help is. */
const footer = (operator: Operator): string => `<footer class="foot">
<span>${escaped(nameBy(operator))}</span>
${helpFrom(operator)}
<a href="${base}/llms.txt">llms.txt</a>
</footer>
`;

const nameBy = ({ operatorName }: Operator) =>
  operatorName === undefined ? siteName : `${siteName}, run by ${operatorName}`;

/** Link to help, or the person to ask. */
export const helpFrom = ({ operatorName, supportUrl }: Operator): string =>
  supportUrl === undefined
    ? '<span>For help, ask the person who gave you your token.</span>'
    : `<a href="${escaped(supportUrl)}">Ask ${escaped(operatorName ?? 'us')} for help</a>`;
