import { join } from 'node:path';
import { servePublic } from '../../shared/http/serve-public.ts';
import { answerFile } from '../../shared/http/site/answer-file.ts';

/** Folder of the site's files, beside the function's code. */
const folder = join(import.meta.dirname, 'files');

export const handler = servePublic((event) => answerFile(folder, event));
