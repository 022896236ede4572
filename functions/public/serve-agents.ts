import { answerAgent } from '../../shared/http/agents/answer-agent.ts';
import { servePublic } from '../../shared/http/serve-public.ts';

/** Version of the API. The bundler replaces this name by the version. */
declare const API_VERSION: string;

export const handler = servePublic((event) => answerAgent(API_VERSION, event));
