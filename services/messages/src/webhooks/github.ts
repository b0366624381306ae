import { githubWebhook } from '@parley/api/webhooks';

import { pullRequestEvents } from './github-pull-requests.ts';
import { repositoryEvents } from './github-repository.ts';
import { readEvents } from './integration.ts';

/** GitHub (reference facts, people 17.2). */
export const github = readEvents(githubWebhook, { ...repositoryEvents, ...pullRequestEvents });
