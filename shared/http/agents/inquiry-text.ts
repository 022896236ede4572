import type { Inquiry } from '../../contract/inquiries.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { joined } from './texts.ts';

/** Shows an inquiry with all that was said or written in it: a line for each part. */
export const inquiryText = (inquiry: Inquiry): string =>
  [
    joined(
      inquiry.id,
      inquiry.source,
      inquiry.createdAt,
      inquiry.leadId,
      inquiry.isRead ? 'read' : 'unread',
      inquiry.isFlagged && 'flagged',
      fromStranger(inquiry.tag),
    ),
    fromStranger(inquiry.summary),
    ...contentOf(inquiry),
  ]
    .filter((line) => line !== '')
    .join('\n');

const fieldLines = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => fromStranger(`${name}: ${value}`));

function contentOf({ source, data }: Inquiry): string[] {
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
        joined(createdAt, direction, status, fromStranger(text)),
      );
    case 'WEBFORM':
      return [fromStranger(data.formName), ...fieldLines(data.fields)];
  }
}
