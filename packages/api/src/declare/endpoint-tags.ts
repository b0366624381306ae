/** The chapters of the reference in its order: their names and contents. */
export const endpointTags = {
  Messages: 'Sending, reading, editing, flags and reactions',
  Files: 'Uploads, and pictures of them',
  'Streams and subscriptions': 'Streams, their topics, and who is subscribed to what',
  Events: 'Queues of what happens, by long polls or as a stream',
  'Own account': 'Profile, settings, status and key of who calls',
  Bots: 'Bots and what they keep',
  People: 'Accounts, presence, groups and pictures',
  Organization: 'Settings, emoji, linkifiers, profile fields and logos',
  'Incoming webhooks': 'What other services post to',
  Server: 'What the server is, and keys for those who sign in',
} as const;

export type EndpointTag = keyof typeof endpointTags;
