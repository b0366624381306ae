import { webhooks } from '@parley/api/webhooks';
import type { WebhookName } from '@parley/api/webhooks';

import { alertmanager, sentry, splunk, zabbix } from './alert-services.ts';
import { circleci, travis } from './build-services.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { helloworld } from './helloworld.ts';
import type { Integration } from './integration.ts';
import { heroku, ifttt, slack, zapier } from './relay-services.ts';
import { webhookHandler } from './webhook-endpoint.ts';

const byName: { readonly [Name in WebhookName]: Integration<Name> } = {
  alertmanager,
  circleci,
  github,
  gitlab,
  helloworld,
  heroku,
  ifttt,
  sentry,
  slack,
  splunk,
  travis,
  zabbix,
  zapier,
};

/** The reader of every declared webhook. */
export const integrations: readonly Integration<WebhookName>[] = webhooks.map(
  ({ name }) => byName[name],
);

export const webhookHandlers = integrations.map(webhookHandler);
