/** Every integration. A new one is a declaration in this folder, a line here, and a name in the gateway's table. */
import { alertmanager, sentry, splunk, zabbix } from './alert-services.ts';
import { circleci, travis } from './build-services.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { helloworld } from './helloworld.ts';
import type { Integration } from './integration.ts';
import { heroku, ifttt, slack, zapier } from './relay-services.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

export const integrations: readonly Integration[] = [
  helloworld,
  github,
  gitlab,
  travis,
  circleci,
  sentry,
  alertmanager,
  ifttt,
  zapier,
  slack,
  heroku,
  zabbix,
  splunk,
];

/** The endpoint of each. */
export const webhookEndpoints = integrations.map(webhookEndpoint);
