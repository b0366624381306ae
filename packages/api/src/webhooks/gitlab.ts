import { textParameter } from '../declare/parameters.ts';
import { gitlabPayloads } from './gitlab-payloads.ts';
import { declareEventWebhook } from './webhook.ts';

/** GitLab (reference facts, people 17.3). */
export const gitlabWebhook = declareEventWebhook({
  name: 'gitlab',
  label: 'GitLab',
  clientLabel: 'Gitlab',
  description:
    'GitLab, as a webhook of a project. With `branches`, only pushes to branches whose names occur in it are sent.',
  example: {
    event: 'Push Hook',
    payload: {
      user_name: 'Rina',
      project: { name: 'keel' },
      repository: { homepage: 'https://lab.example/keel' },
      ref: 'refs/heads/main',
      before: 'aa11bb22',
      after: 'cc33dd44',
      commits: [
        {
          id: 'cc33dd44',
          url: 'https://lab.example/keel/commit/cc33dd44',
          message: 'Drill the holes',
          author: { name: 'Rina' },
        },
      ],
    },
  },
  eventHeader: 'X-Gitlab-Event',
  parameters: [
    textParameter('branches', { description: 'Branches whose pushes are sent; by default all' }),
  ],
  payloads: gitlabPayloads,
});
