import { addSearch } from './add-search.ts';

/** Forms of a request, with their names. */
const forms = { curl: 'curl', js: 'JavaScript' };

/** Key of the stored choice: the form that the reader chose last. */
const memory = 'form';

function makeButton(text: string, act: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.addEventListener('click', act);
  return button;
}

/** Shows all requests of the page in one form. */
function choose(form: string): void {
  document.documentElement.dataset['form'] = form;
  localStorage.setItem(memory, form);
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-form]'))
    button.ariaPressed = String(button.dataset['form'] === form);
}

/** The block's code that is shown. */
const shownIn = (block: Element): string =>
  [...block.querySelectorAll('pre')].find((pre) => pre.offsetParent !== null)?.textContent ?? '';

/** Adds a bar to a block of code: its language or the choice of a form, and a button that copies. */
function addBar(block: HTMLElement): void {
  const bar = document.createElement('div');
  bar.className = 'bar';
  bar.append(block.dataset['language'] ?? '');
  if (block.classList.contains('request'))
    for (const [form, name] of Object.entries(forms)) {
      const button = makeButton(name, () => {
        choose(form);
      });
      button.dataset['form'] = form;
      bar.append(button);
    }
  const copy = makeButton('Copy', () => {
    navigator.clipboard.writeText(shownIn(block)).then(
      () => {
        show('Copied');
      },
      () => {
        show('Select the text to copy it');
      },
    );
  });
  copy.className = 'copy';
  copy.ariaLive = 'polite';
  const show = (text: string) => {
    copy.textContent = text;
    setTimeout(() => (copy.textContent = 'Copy'), 2000);
  };
  bar.append(copy);
  block.prepend(bar);
}

for (const block of document.querySelectorAll<HTMLElement>('.code')) addBar(block);
choose(localStorage.getItem(memory) === 'js' ? 'js' : 'curl');
addSearch();
// The menu of guides shows the current one.
const menu = document.querySelector<HTMLElement>('.side');
const here = menu?.querySelector<HTMLElement>('[aria-current]');
if (menu && here) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
