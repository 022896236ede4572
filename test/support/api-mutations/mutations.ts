import { answerMutations } from './answers.ts';
import type { Mutation } from './mutation.ts';
import { operationMutations } from './operations.ts';
import { bodyMutations } from './bodies.ts';

const of = (where: string, mutations: Mutation[]) =>
  mutations.map((mutation) => ({ ...mutation, name: `${where}: ${mutation.name}` }));

/** Changes of the API of every kind that its comparison tells apart. */
export const mutations: readonly Mutation[] = [
  ...of('operations', operationMutations),
  ...of('bodies', bodyMutations),
  ...of('answers', answerMutations),
];
