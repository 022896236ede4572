import type { Found } from './search.ts';

/** Most results that the search shows. */
const most = 8;

/** Shows the search, which the page hides from readers without scripts. The texts are loaded at its first use. */
export function addSearch(): void {
  const place = document.querySelector<HTMLElement>('search');
  const input = place?.querySelector('input');
  const list = place?.querySelector('ul');
  const found = place?.querySelector<HTMLElement>('.found');
  const state = place?.querySelector<HTMLElement>('[role=status]');
  if (!place || !input || !list || !found || !state) return;
  place.hidden = false;
  const find = once(() => import('./search.ts').then(({ search }) => search()));
  const close = () => {
    found.hidden = true;
  };
  const update = async () => {
    const query = input.value.trim();
    if (query === '') {
      close();
      return;
    }
    const results = (await find())(query);
    if (input.value.trim() !== query) return;
    state.textContent = messageOf(results.length);
    list.replaceChildren(...results.map(itemOf));
    found.hidden = false;
  };
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
  input.addEventListener('focus', () => void find());
  input.addEventListener('input', () => void update());
  place.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    input.value = '';
    void update();
  });
  place.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !place.contains(relatedTarget)) close();
  });
}

const messageOf = (count: number) =>
  count === 0 ? 'Nothing found: try another word' : count < most ? `${count} found` : `The first ${most}`;

/** Calls a function at the first call, and keeps its result. */
function once<T>(make: () => T): () => T {
  let made: { result: T } | undefined;
  return () => (made ??= { result: make() }).result;
}

function itemOf({ path, title, heading, part: [before, match, after] }: Found): HTMLLIElement {
  const link = document.createElement('a');
  link.href = `${document.documentElement.dataset['base'] ?? ''}/docs/${path}`;
  const name = document.createElement('b');
  name.textContent = heading === '' ? title : `${title}: ${heading}`;
  const mark = document.createElement('mark');
  mark.textContent = match;
  const part = document.createElement('span');
  part.append(before, mark, after);
  link.append(name, part);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
