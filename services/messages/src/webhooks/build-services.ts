/** Services that build and test (reference facts, people 17.4). */
import { json, jsonBoolean } from '@parley/http';

import { formIntegration, ignored, jsonIntegration } from './integration.ts';
import { orNull, record, text } from './payload-schema.ts';

const goodStatuses = new Set(['Passed', 'Fixed']);
const badStatuses = new Set(['Failed', 'Broken', 'Still Failing', 'Errored', 'Canceled']);

function statusWithEmoji(status: string): string {
  if (goodStatuses.has(status)) return `${status} :thumbs_up:`;
  return badStatuses.has(status) ? `${status} :thumbs_down:` : status;
}

export const travis = formIntegration({
  name: 'travis',
  label: 'Travis',
  about:
    'Travis CI, as a `webhooks` notification. Pull requests come with `ignore_pull_requests=false`.',
  example: {
    parameters: {
      payload: {
        author_name: 'Rina',
        status_message: 'Passed',
        compare_url: 'https://git.example/keel/compare',
        build_url: 'https://ci.example/keel/7',
      },
    },
  },
  parameters: [
    jsonBoolean('ignore_pull_requests', {
      default: true,
      description: 'Whether builds of pull requests send nothing',
    }),
    json(
      'payload',
      record(
        { author_name: text, status_message: text, compare_url: text, build_url: text },
        { type: text },
      ),
      { required: true, description: 'The build' },
    ),
  ],
  toMessages: ({ parameters: { payload: build, ignore_pull_requests: ignores } }) => {
    if (ignores && build.type === 'pull_request') return ignored;
    return [
      {
        topic: 'builds',
        content: [
          `Author: ${build.author_name}`,
          `Build status: ${statusWithEmoji(build.status_message)}`,
          `Details: [changes](${build.compare_url}), [build log](${build.build_url})`,
        ].join('\n'),
      },
    ];
  },
});

function circleStatus(status: string, previous: string | undefined): string {
  if (status === 'success') return 'succeeded';
  return status === 'failed' && previous === 'failed' ? 'is still failing' : status;
}

export const circleci = jsonIntegration({
  name: 'circleci',
  label: 'CircleCI',
  about: 'CircleCI, as a webhook of a build.',
  example: {
    payload: {
      payload: {
        reponame: 'keel',
        build_url: 'https://ci.example/keel/9',
        username: 'rina',
        branch: 'main',
        status: 'success',
        previous: null,
      },
    },
  },
  payload: record({
    payload: record(
      { reponame: text, build_url: text, username: text, branch: text, status: text },
      { previous: orNull(record({}, { status: text })) },
    ),
  }),
  toMessages: ({ payload: build }) => {
    const status = circleStatus(build.status, build.previous?.status);
    return [
      {
        topic: build.reponame,
        content: `[Build](${build.build_url}) triggered by ${build.username} on ${build.branch} branch ${status}.`,
      },
    ];
  },
});
