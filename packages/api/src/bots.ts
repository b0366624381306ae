/** Kinds of bots (contract, User). */
export const botTypes = {
  generic: 1,
  incomingWebhook: 2,
  outgoingWebhook: 3,
  embedded: 4,
} as const;

export type BotType = (typeof botTypes)[keyof typeof botTypes];

/** The format in which an outgoing-webhook bot calls its service (reference facts, people 18). */
export const serviceInterfaces = { generic: 1, slack: 2 } as const;
