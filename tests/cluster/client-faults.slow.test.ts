/** The published client follows events while processes are killed. */
import type { ParleyClient } from '@parley/client';
import { waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { EventTaker } from '../support/event-taker.ts';
import { useFixture } from '../support/use-fixture.ts';

const organization = useFixture(() =>
  startSmallOrganization({ ownProcesses: true, events: 2, messages: 1 }),
);

const bob = (): ParleyClient => organization.typed('bob');

async function send(content: string): Promise<number> {
  const { id } = await organization
    .typed('ann')
    .request('POST /messages', { type: 'private', to: 'bob@example.com', content });
  if (id === undefined) throw new Error('a send answered no id');
  return id;
}

test("events continue when the queue's node is killed, with none lost or repeated", async () => {
  const taker = await new EventTaker(bob()).begun();
  const ids = [await send('one')];
  expect(await taker.taken(ids.length)).toEqual(ids);
  for (let round = 0; round < 2; round += 1) {
    // One of the two serves the queue; both are killed, one after the other.
    await organization.cluster.kill('events', 0);
    ids.push(await send('while a node is away'));
    await organization.cluster.startAnother('events');
    ids.push(await send('after it'));
  }
  expect(await taker.taken(ids.length)).toEqual(ids);
  expect(taker.registrations).toHaveLength(1);
  await taker.stream.return();
});

test('events continue when the gateway is killed and restarted', async () => {
  const failures: unknown[] = [];
  const taker = await new EventTaker(
    bob(),
    {},
    { onFailure: (failure) => failures.push(failure) },
  ).begun();
  const ids = [await send('one')];
  expect(await taker.taken(ids.length)).toEqual(ids);
  const { port } = new URL(organization.cluster.url);
  await organization.cluster.kill('gateway', 0);
  await waitUntil('the stream noticed', () => failures.length > 0);
  await organization.cluster.startAnother('gateway', { PARLEY_PORT: port });
  ids.push(await send('two'));
  expect(await taker.taken(ids.length)).toEqual(ids);
  expect(taker.registrations).toHaveLength(1);
  await taker.stream.return();
});
