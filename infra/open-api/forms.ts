import { headerRef, usualHeaders } from './errors.ts';

/** Contents of a body besides JSON, for an endpoint that takes forms. */
export const formContents = (schema: object) => ({
  'application/x-www-form-urlencoded': { schema },
  'multipart/form-data': { schema },
});

/** Redirect of a browser after a form. */
export const sentOn = {
  303: {
    description: 'A browser goes on to `_next`',
    headers: { ...usualHeaders, Location: headerRef('Location') },
  },
};
