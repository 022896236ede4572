import type { Inquiry } from '../../contract/inquiries.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import type { LocalText } from './local-text.ts';
import { joined } from './texts.ts';

/** Shows an inquiry with all that was said or written in it: a line for each part. `at` shows times. */
export const inquiryText = (inquiry: Inquiry, at: LocalText): string =>
  [
    joined(
      inquiry.id,
      inquiry.source,
      at(inquiry.createdAt),
      inquiry.leadId,
      inquiry.isRead ? 'read' : 'unread',
      inquiry.isFlagged && 'flagged',
      fromStranger(inquiry.tag),
    ),
    fromStranger(inquiry.summary),
    ...contentOf(inquiry, at),
  ]
    .filter((line) => line !== '')
    .join('\n');

const fieldLines = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => fromStranger(`${name}: ${value}`));

function contentOf({ source, data }: Inquiry, at: LocalText): string[] {
  switch (source) {
    case 'CALL':
      return [
        ...data.keyPoints.map(fromStranger),
        ...fieldLines(data.fields),
        ...data.transcripts.map(({ user, text }) => `${user}: ${fromStranger(text)}`),
      ];
    case 'EMAIL':
      return [`From ${fromStranger(data.from)}: ${fromStranger(data.subject)}`, fromStranger(data.body)];
    case 'CHATBOT':
      return data.messages.map(({ user, text }) => `${user}: ${fromStranger(text)}`);
    case 'SMS':
      return data.messages.map(({ direction, text, createdAt, status }) =>
        joined(at(createdAt), direction, status, fromStranger(text)),
      );
    case 'WEBFORM':
      return [fromStranger(data.formName), ...fieldLines(data.fields)];
  }
}
