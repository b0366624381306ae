/** The time that a search may take is measured by Postgres, so the services are processes, which have the time of the machine. */
import { beforeAll, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';

const all = useFixture(() =>
  startMessageFixture({
    ownProcesses: true,
    environment: { PARLEY_SEARCH_TIMEOUT_SECS: '0.001' },
  }),
);
beforeAll(async () => {
  const { organization, ann, bob } = all;
  await organization.makeStream('hall', [ann, bob]);
  for (let n = 0; n < 20; n += 1) await ann.client.sendToStream('hall', 'talk', 'so long a talk');
});

test('a search or narrow with many terms that takes too long is refused, and other lists are not', async () => {
  const { bob } = all;
  const search = (operand: string, negated = false) => ({ operator: 'search', operand, negated });
  const topics = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, n) => ['topic', `topic ${n}`]);
  const refusal = {
    status: 400,
    code: 'BAD_NARROW',
    desc: 'too many messages to search: add a rarer word, a stream or a sender',
  };
  for (const parameters of [
    { narrow: [search('talk')] },
    { narrow: [search('talk', true)] },
    { anchor: 'first_unread', narrow: [search('"so long"')] },
  ])
    expect(await refusalOf(fetchMessages(bob, parameters))).toMatchObject(refusal);
  expect(await refusalOf(fetchMessages(bob, { narrow: topics(9) }))).toMatchObject({
    ...refusal,
    desc: 'the terms take too long together: leave some out',
  });
  expect((await fetchMessages(bob, { narrow: topics(8) })).ids).toEqual([]);
  expect((await fetchMessages(bob, { narrow: [['topic', 'talk']] })).ids).toHaveLength(20);
});
