/** Services that build and test (reference facts, people 17.4). */
import { writeLink } from '@parley/markdown';
import { circleciWebhook, travisWebhook } from '@parley/api/webhooks';

import { ignored, readForm, readJson } from './integration.ts';

const goodStatuses = new Set(['Passed', 'Fixed']);
const badStatuses = new Set(['Failed', 'Broken', 'Still Failing', 'Errored', 'Canceled']);

function statusWithEmoji(status: string): string {
  if (goodStatuses.has(status)) return `${status} :thumbs_up:`;
  return badStatuses.has(status) ? `${status} :thumbs_down:` : status;
}

export const travis = readForm(
  travisWebhook,
  ({ parameters: { payload: build, ignore_pull_requests: ignores } }) => {
    if (ignores && build.type === 'pull_request') return ignored;
    return [
      {
        topic: 'builds',
        content: [
          `Author: ${build.author_name}`,
          `Build status: ${statusWithEmoji(build.status_message)}`,
          `Details: ${writeLink('changes', build.compare_url)}, ${writeLink('build log', build.build_url)}`,
        ].join('\n'),
      },
    ];
  },
);

function circleStatus(status: string, previous: string | undefined): string {
  if (status === 'success') return 'succeeded';
  return status === 'failed' && previous === 'failed' ? 'is still failing' : status;
}

export const circleci = readJson(circleciWebhook, ({ payload: build }) => {
  const status = circleStatus(build.status, build.previous?.status);
  return [
    {
      topic: build.reponame,
      content: `${writeLink('Build', build.build_url)} triggered by ${build.username} on ${build.branch} branch ${status}.`,
    },
  ];
});
