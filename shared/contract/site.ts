import { publicFunction } from './public-function.ts';

/** The site: the front page, the reference page, the guides, and lists of these pages for programs. */
export const serveSiteFunction = publicFunction({
  name: 'serve-site',
  summary: 'Serves the front page, the reference page and the guides',
  routes: [
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/docs' },
    { method: 'GET', path: '/docs/{name}' },
    { method: 'GET', path: '/docs/{name}/{file}' },
    { method: 'GET', path: '/docs/{name}/chunks/{file}' },
    { method: 'GET', path: '/llms.txt' },
    { method: 'GET', path: '/.well-known/api-catalog' },
    // Every path that no other route has. A person in a browser gets a page with a way back.
    { method: 'GET', path: '/{proxy+}' },
  ],
});
