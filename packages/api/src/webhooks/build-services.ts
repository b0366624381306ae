/** Services that build and test (reference facts, people 17.4). */
import { booleanParameter, jsonParameter } from '../declare/parameters.ts';
import { nullable, optional, text } from '../declare/schema.ts';
import { record } from './payload-schema.ts';
import { declareFormWebhook, declareJsonWebhook } from './webhook.ts';

export const travisWebhook = declareFormWebhook({
  name: 'travis',
  label: 'Travis',
  description:
    'Travis CI, as a `webhooks` notification. Pull requests are sent with `ignore_pull_requests=false`.',
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
    booleanParameter('ignore_pull_requests', {
      default: true,
      description: 'Whether builds of pull requests are ignored',
    }),
    jsonParameter(
      'payload',
      record({
        author_name: text,
        status_message: text,
        compare_url: text,
        build_url: text,
        ...optional({ type: text }),
      }),
      { required: true, description: 'The build' },
    ),
  ],
});

export const circleciWebhook = declareJsonWebhook({
  name: 'circleci',
  label: 'CircleCI',
  description: 'CircleCI, as a webhook of a build.',
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
  parameters: [],
  payload: record({
    payload: record({
      reponame: text,
      build_url: text,
      username: text,
      branch: text,
      status: text,
      ...optional({ previous: nullable(record(optional({ status: text }))) }),
    }),
  }),
});
