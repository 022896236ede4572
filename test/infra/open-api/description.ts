import { findContracts } from '../../../infra/functions.ts';
import { openApiDocument } from '../../../infra/open-api/open-api.ts';

/** Parts of a description of the API, as `/openapi` has it. */
export interface Description {
  info: { description: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, { description?: string; schema: Schema }>;
    responses: Record<string, Answer>;
  };
}

export interface Schema extends Marked {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: string[];
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export interface Operation extends Marked {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: Parameter[];
  requestBody?: { content: Content };
  security: object[];
  'x-badges'?: { name: string }[];
  responses: Record<string, Answer>;
}

interface Parameter extends Marked {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Answer extends Marked {
  $ref?: string;
  description?: string;
  headers?: object;
  links?: Record<string, Link>;
  content?: Content;
}

interface Link extends Marked {
  operationId: string;
  parameters: Record<string, string>;
}

export type Content = Record<string, { schema: Schema }>;

interface Marked {
  'x-extension'?: true;
}

/** The description of this version of the API, as a client reads it. */
export const describeApi = async () =>
  JSON.parse(JSON.stringify(openApiDocument(await findContracts()))) as Description;

/** Name of the component that a reference is to. */
export const nameOf = ({ $ref = '' }: { $ref?: string }) => $ref.replace(/^.*\//, '');
