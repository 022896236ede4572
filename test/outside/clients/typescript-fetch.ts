import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compileStrictly,
  runProgram,
  writeClient,
  type TypeScriptClient,
} from '../../support/typescript-clients.ts';
import { output } from '../commands.ts';
import type { Client } from './client.ts';
import { apiOf, variables } from './java.ts';

const artifact = 'org.openapitools:openapi-generator-cli:7.25.0';

/** Name of the body that can have any shape. The generator makes no type of it. */
const anyShape = 'RingingCall';

const generated: TypeScriptClient = {
  without: { exactOptionalPropertyTypes: false },
  generate: async (description, folder) => {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(description));
    const copy = [
      'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy',
      `-Dartifact=${artifact}`,
      '-DoutputDirectory=.',
      '-Dmdep.stripVersion=true',
    ];
    await output('mvn', ['--batch-mode', '--quiet', ...copy], { cwd: folder });
    const generate = ['generate', '-i', 'openapi.json', '-g', 'typescript-fetch', '-o', 'generated'];
    await output('java', ['-jar', 'openapi-generator-cli.jar', ...generate], { cwd: folder });
  },
  opening: (_, { token, key }) => `
    import * as api from './generated';
    type Inquiry = api.Inquiry;
    type StoredInquiry = api.StoredInquiry;
    type BatchReport = api.BatchReport;
    const configuration = new api.Configuration({ accessToken: '${token}', apiKey: '${key}' });
    const answered = async <T>(
      call: Promise<{ raw: Response; value(): Promise<T> }>,
      toJson: (value: T) => unknown,
    ) => {
      const answer = await call;
      const body = await answer.value();
      return { status: answer.raw.status, body, json: toJson(body) };
    };`,
  call: ({ operationId, tag, params, query, headers, body, bodySchema = '', answerSchema }) => {
    const bodyName =
      bodySchema === anyShape ? 'requestBody' : bodySchema.charAt(0).toLowerCase() + bodySchema.slice(1);
    // A time in a query has the type Date; one in a body stays text in a union, as the body is.
    const parameters = JSON.stringify({ ...params, ...query, ...variables(headers) }).replaceAll(
      /"\d{4}-\d\d-\d\dT[^"]+"/g,
      'new Date($&)',
    );
    const argument = `{ ...${parameters}${body ? `, ${bodyName}: ${typed(JSON.stringify(body))}` : ''} }`;
    return `answered(new api.${apiOf(tag)}(configuration).${operationId}Raw(${argument}), api.${answerSchema}ToJSON)`;
  },
};

/** A body with the types of its fields: those of an appointment are in no union. */
const typed = (body: string): string =>
  body
    .replaceAll(/(?<="(?:start|end)":)"[^"]+"/g, 'new Date($&)')
    .replaceAll(/(?<="attendees":)\[[^\]]*\]/g, 'new Set($&)');

export const typescriptFetch: Client = {
  name: 'openapi-generator, a client in TypeScript with fetch',
  call: async ({ baseUrl, description, tokens, calls }, folder) => {
    await writeClient(generated, folder, description, { baseUrl, tokens, calls });
    const complaints = compileStrictly(generated, folder);
    if (complaints.length > 0) throw new Error(`The client does not compile:\n${complaints.join('\n')}`);
    const answers = await runProgram(folder);
    return answers.map(({ operationId, json, variants }) => ({ operationId, answer: json, variants }));
  },
};
