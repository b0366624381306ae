import { writeLink } from '@parley/markdown';
import { helloworldWebhook } from '@parley/api/webhooks';

import { readJson } from './integration.ts';

/** The example of the contract (contract, Incoming webhook; reference facts, people 16.4). */
export const helloworld = readJson(
  helloworldWebhook,
  ({ featured_title: title, featured_url: url }) => [
    {
      topic: 'Hello World',
      content: `Hello! I am happy to be here! :smile:\nThe Wikipedia featured article for today is **${writeLink(title, url)}**`,
    },
  ],
);
