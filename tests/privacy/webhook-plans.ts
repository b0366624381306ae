import type { Parameters } from '@parley/test-kit';

import type { Ask, Asker } from './asker.ts';
import { endpointNames } from './endpoint-names.ts';
import { makeMark } from './marks.ts';
import { alike } from './plan.ts';
import type { Plans } from './plan.ts';

const perIntegration = 3;

/**
 * Sends to hidden streams by name, as a form, which integrations without a JSON body read. Without a stream, messages go only to
 * the bots' owners.
 */
function* post(path: string, { hiddenStreams, random }: Asker): Iterable<Ask> {
  const said: Parameters = {
    user_name: 'x',
    text: 'x',
    channel_name: 'x',
    head: 'x',
    app: 'x',
    user: 'x',
    url: 'x',
    git_log: 'x',
    payload: { author_name: 'x', status_message: 'x', compare_url: 'x', build_url: 'x' },
  };
  const names = random.sample(hiddenStreams, perIntegration).map(({ name }) => name);
  yield* alike(`${path} stream`, makeMark(random), names, (name) => ({
    path,
    parameters: { ...said, stream: name },
  }));
  yield* alike(`${path} channel`, makeMark(random), names, (name) => ({
    path,
    parameters: { ...said, channels_map_to_topics: '0', channel_name: name },
  }));
  yield { path, parameters: said };
}

/** For every method of every integration. */
export const webhookPlans: Plans = Object.fromEntries(
  endpointNames
    .map((name) => ({ name, path: name.split(' ')[1] ?? '' }))
    .filter(({ path }) => path.startsWith('external/'))
    .map(({ name, path }) => [
      name,
      name.startsWith('POST ')
        ? (asker: Asker) => post(path, asker)
        : { because: 'it is the same endpoint as with POST' },
    ]),
);
