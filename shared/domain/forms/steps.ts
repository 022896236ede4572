/**
 * Steps of a field's path: `data.fields.0.value` and `fields[name][value]`. A full stop within parentheses, or at the
 * end of a word, divides no steps: `Phone (e.g. 0491 570 156)`, `Mobile no.`.
 */
export function stepsOf(name: string): [string, ...string[]] {
  const text = name.replaceAll(/\([^()]*\)/g, (inside) => inside.replaceAll('.', ' '));
  const [first = '', ...rest] = text.split(/[.[\]]+/).filter((step) => step.trim() !== '');
  return [first, ...rest];
}
