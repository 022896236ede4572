import { readFileSync } from 'node:fs';
import { casesOf, cpuOf, type Canned, type CaseName } from './warm-cases.ts';

// Measures the first hundred calls of one case in a process: `node warm-process.ts <file of canned answers>
// <case>`.
const [, , file = '', name = ''] = process.argv;
const cases = casesOf(JSON.parse(readFileSync(file, 'utf8')) as Canned);
const microseconds = await cpuOf(cases[name as CaseName], 100);
process.stdout.write(String(microseconds));
