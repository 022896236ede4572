/** Last part of a field's path, in lower case, letters only: `sentat` for `delivery.sent_at`. */
export const lastPartOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase();
