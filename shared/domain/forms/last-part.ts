/** The last part of a field's path, its letters alone, in lower case: `sentat` of `delivery.sent_at`. */
export const lastPartOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase();
