import { gitlabWebhook } from '@parley/api/webhooks';

import { buildEvents } from './gitlab-builds.ts';
import { discussionEvents } from './gitlab-discussions.ts';
import { pushEvents } from './gitlab-pushes.ts';
import { readEvents } from './integration.ts';

/** GitLab (reference facts, people 17.3). */
export const gitlab = readEvents(gitlabWebhook, {
  ...pushEvents,
  ...discussionEvents,
  ...buildEvents,
});
