export const sources = ['CALL', 'EMAIL', 'CHATBOT', 'SMS', 'WEBFORM'] as const;
export type Source = (typeof sources)[number];

/** What each source records of an inquiry. */
export const sampleSources = {
  CALL: {
    source: 'CALL',
    data: {
      summary: 'Asked for a quote',
      keyPoints: ['Gas heater', 'Home after 3 pm'],
      recordingUrl: 'https://recordings.example.com/1.mp3',
      transcripts: [{ id: '1', created_at: '2026-11-02T13:06:02.000Z', text: 'Hello', user: 'assistant' }],
      direction: 'AI_TO_LEAD',
      duration: 12.5,
      startedAt: '2026-11-02T13:06:00.000Z',
      endedAt: '2026-11-02T13:06:12.500Z',
      endedBy: 'assistant',
    },
  },
  EMAIL: {
    source: 'EMAIL',
    data: {
      subject: 'A quote',
      from: 'ann@example.com',
      to: 'office@example.com',
      body: 'Dear all,\n\nno hot water.',
      receivedAt: '2026-11-02T13:06:00.000Z',
    },
  },
  CHATBOT: {
    source: 'CHATBOT',
    data: { messages: [{ id: '1', user: 'user', text: 'Open?', createdAt: '2026-11-02T13:06:02.000Z' }] },
  },
  SMS: {
    source: 'SMS',
    data: {
      messages: [
        { direction: 'INBOUND', text: 'No hot water', status: 'RECEIVED', userId: null },
        { direction: 'OUTBOUND', text: 'On our way', status: 'SENT', userId: null },
      ],
    },
  },
  WEBFORM: {
    source: 'WEBFORM',
    data: { formName: 'Contact', fields: { Name: 'Ann' }, submittedAt: '2026-11-02T13:06:00.000Z' },
  },
} as const;
