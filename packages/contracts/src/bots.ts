/** Kinds of bots (contract, User). */
export const botTypes = {
  generic: 1,
  incomingWebhook: 2,
  outgoingWebhook: 3,
  embedded: 4,
} as const;

/** How an outgoing-webhook bot speaks to its service (reference facts, people 18). */
export const serviceInterfaces = { generic: 1, slack: 2 } as const;

/** Integrations that post through incoming-webhook bots, by the name in their path (reference facts, people 16 and 17). */
export const webhookIntegrations: readonly string[] = [
  'alertmanager',
  'circleci',
  'github',
  'gitlab',
  'helloworld',
  'heroku',
  'ifttt',
  'sentry',
  'slack',
  'splunk',
  'travis',
  'zabbix',
  'zapier',
];
