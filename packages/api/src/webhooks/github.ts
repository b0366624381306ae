import { textParameter } from '../declare/parameters.ts';
import { githubPayloads } from './github-payloads.ts';
import { declareEventWebhook } from './webhook.ts';

/** GitHub (reference facts, people 17.2). */
export const githubWebhook = declareEventWebhook({
  name: 'github',
  label: 'GitHub',
  description:
    'GitHub, with the content type `application/json`. With `branches`, only pushes to branches whose names occur in it are sent.',
  example: {
    event: 'watch',
    payload: {
      action: 'started',
      sender: { login: 'rina' },
      repository: { name: 'keel', html_url: 'https://git.example/rina/keel' },
    },
  },
  eventHeader: 'X-GitHub-Event',
  deliveryHeader: 'X-GitHub-Delivery',
  parameters: [
    textParameter('branches', { description: 'Branches whose pushes are sent; by default all' }),
  ],
  payloads: githubPayloads,
  ignoredEvents: [
    'repository_vulnerability_alert',
    'project_card',
    'check_suite',
    'organization',
    'milestone',
    'meta',
  ],
});
