import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/**
 * Serves one function like the interface emulator in a Lambda container: takes events at a port, one after
 * the other. Its arguments are the function's folder and the port.
 */
const [, , folder = '', port = ''] = process.argv;
const [file = '', exported = ''] = (process.env['AWS_LAMBDA_FUNCTION_HANDLER'] ?? '').split('.');

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const module = (await import(pathToFileURL(join(folder, `${file}.mjs`)).href)) as Record<string, Handler>;
const handler = module[exported]!;

let invocations = 0;
createServer((request, response) => {
  void text(request).then(async (event) => {
    const awsRequestId = `00000000-0000-0000-0000-${String((invocations += 1)).padStart(12, '0')}`;
    const startedAt = Date.now();
    const timeout = Number(process.env['AWS_LAMBDA_FUNCTION_TIMEOUT']) * 1000;
    const context = { awsRequestId, getRemainingTimeInMillis: () => startedAt + timeout - Date.now() };
    const answer = await handler(JSON.parse(event), context).catch((error: unknown) => ({
      errorType: 'Error',
      errorMessage: error instanceof Error ? error.message : String(error),
      trace: [],
    }));
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer));
    // SAM waits for this line before it passes the answer on.
    process.stdout.write(
      `REPORT RequestId: ${awsRequestId}\tDuration: ${Date.now() - startedAt} ms\tMemory Size: 1024 MB\tMax Memory Used: 1024 MB\n`,
    );
  });
}).listen(Number(port), '127.0.0.1');

process.stdin.resume().on('end', () => process.exit());
