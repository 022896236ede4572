import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileStrictly } from '../compile-strictly.ts';
import type { Message } from './events.ts';

/** Types of messages by their kinds. Only types that no package has are written out here. */
const declarations = `
  import type * as ElevenLabs from '@elevenlabs/elevenlabs-js/serialization';
  import type { Vapi } from '@vapi-ai/server-sdk';
  import type { AgentResponse } from 'retell-sdk/resources/agent';
  import type { PhoneCallResponse, WebCallResponse } from 'retell-sdk/resources/call';
  type Retell = {
    event: NonNullable<AgentResponse['webhook_events']>[number];
    call: PhoneCallResponse | WebCallResponse;
  };
  export type Types = {
    call_started: Retell;
    call_ended: Retell;
    call_analyzed: Retell;
    'status-update': { message: Vapi.ServerMessageStatusUpdate };
    'end-of-call-report': { message: Vapi.ServerMessageEndOfCallReport };
    'assistant-request': { message: Vapi.ServerMessageAssistantRequest };
    post_call_transcription: {
      type: 'post_call_transcription';
      event_timestamp: number;
      data: ElevenLabs.GetConversationResponseModel.Raw;
    };
    'answer to retell': { call_inbound: { dynamic_variables: { [name: string]: string } } };
    'answer to vapi': Vapi.ServerMessageResponseAssistantRequest;
    'answer to elevenlabs': { type: 'conversation_initiation_client_data' } &
      ElevenLabs.ConversationInitiationClientDataRequestInput.Raw &
      ElevenLabs.ConversationInitiationClientDataRequestOutput.Raw;
  };`;

/**
 * Compiles messages as literals of their types, which may have no other keys.
 *
 * @param folder one with the platforms' packages
 * @throws LocalError with the compiler's complaints
 */
export async function compileLiterals(folder: string, messages: readonly Message[]): Promise<void> {
  const write = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
  };
  write('types.ts', declarations);
  for (const { name, kind, value } of messages) {
    const type = `Types['${kind}']`;
    // The second one must be refused, which proves that the type is not `any`.
    write(
      `${name}.ts`,
      `import type { Types } from './types';
export const literal: ${type} = ${JSON.stringify(value, undefined, 2)};
// @ts-expect-error
export const other: ${type} = { other: 1 };`,
    );
  }
  const files = messages.map(({ name }) => `${name}.ts`);
  await compileStrictly(folder, files, "A message does not fit its platform's type");
}
