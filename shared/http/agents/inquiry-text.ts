import type { Inquiry } from '../../contract/inquiries.ts';
import { joined } from './texts.ts';

/** Shows an inquiry with all that was said or written in it. */
export const inquiryText = (inquiry: Inquiry): string =>
  [
    joined(
      inquiry.id,
      inquiry.source,
      inquiry.createdAt,
      inquiry.leadId,
      inquiry.isRead ? 'read' : 'unread',
      inquiry.isFlagged && 'flagged',
      inquiry.tag,
    ),
    inquiry.summary,
    ...contentOf(inquiry),
  ]
    .filter((line) => line !== '')
    .join('\n');

const fieldLines = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => `${name}: ${value}`);

function contentOf({ source, data }: Inquiry): string[] {
  switch (source) {
    case 'CALL':
      return [
        ...data.keyPoints,
        ...fieldLines(data.fields),
        ...data.transcripts.map(({ user, text }) => `${user}: ${text}`),
      ];
    case 'EMAIL':
      return [`From ${data.from}: ${data.subject}`, data.body];
    case 'CHATBOT':
      return data.messages.map(({ user, text }) => `${user}: ${text}`);
    case 'SMS':
      return data.messages.map(({ direction, text, createdAt, status }) =>
        joined(createdAt, direction, status, text),
      );
    case 'WEBFORM':
      return [data.formName, ...fieldLines(data.fields)];
  }
}
