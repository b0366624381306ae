import {
  alertmanagerWebhook,
  sentryWebhook,
  splunkWebhook,
  zabbixWebhook,
} from './alert-services.ts';
import { circleciWebhook, travisWebhook } from './build-services.ts';
import { githubWebhook } from './github.ts';
import { gitlabWebhook } from './gitlab.ts';
import { helloworldWebhook } from './helloworld.ts';
import { herokuWebhook, iftttWebhook, slackWebhook, zapierWebhook } from './relay-services.ts';

/** The only list of incoming webhooks (reference facts, people 16.4 and 17). */
export const webhooks = [
  helloworldWebhook,
  githubWebhook,
  gitlabWebhook,
  travisWebhook,
  circleciWebhook,
  sentryWebhook,
  alertmanagerWebhook,
  iftttWebhook,
  zapierWebhook,
  slackWebhook,
  herokuWebhook,
  zabbixWebhook,
  splunkWebhook,
] as const;

export type WebhookName = (typeof webhooks)[number]['name'];

/** The permitted names of an incoming-webhook bot's integration (reference facts, people 8 and 16), sorted. */
export const webhookIntegrations: readonly string[] = webhooks.map(({ name }) => name).toSorted();

export {
  alertmanagerWebhook,
  circleciWebhook,
  githubWebhook,
  gitlabWebhook,
  helloworldWebhook,
  herokuWebhook,
  iftttWebhook,
  sentryWebhook,
  slackWebhook,
  splunkWebhook,
  travisWebhook,
  zabbixWebhook,
  zapierWebhook,
};
export { gitlabNotePayloads } from './gitlab-payloads.ts';
export type {
  EventWebhook,
  JsonWebhook,
  PayloadSchema,
  Payloads,
  Webhook,
  WebhookEndpoint,
  WebhookParameters,
} from './webhook.ts';
