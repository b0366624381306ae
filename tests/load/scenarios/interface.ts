import { Fleet } from '../fleet/fleet.ts';
import { accountsInTurn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { Requesters } from '../requesters.ts';
import { pathOfPage, writeGet, writePost } from '../requests.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import { Talk } from '../talk.ts';

const pageLength = 100;
const followers = 100;
const followedSendsPerSecond = 5;
const requestsAtOnce = 8;

/**
 * The most frequent requests of clients, in forms that every server of this interface accepts. One generator can compare servers
 * with it, because it needs only accounts.
 */
export const interfaceScenario: MeasuredScenario = {
  name: 'interface',
  summary: 'sends, pages, registers and followers of any server of this interface (--target)',
  secs: 10,
  groups: (system) => [
    { name: 'interface', open: (rig) => openInterface(system, rig) },
    { name: `${followers} followers`, open: (rig) => openFollowing(system, rig) },
  ],
};

async function openInterface(system: LoadSystem, rig: Rig): Promise<readonly Case[]> {
  const { accounts, stream: streamName } = system;
  const url = system.urls[0] ?? '';
  const talk = new Talk(rig, system, { accounts, streamName });
  await talk.history.skip();
  // The first page is full.
  await talk.sendMany(pageLength);
  await talk.history.expect(pageLength);
  const requesters = new Requesters(rig);
  const path = pathOfPage([{ operator: 'stream', operand: streamName }], pageLength);
  const pages = accounts.map((account) => writeGet(url, path, account));
  const registers = accounts.map((account) => writePost(url, '/api/v1/register', account));
  const ask = (
    name: string,
    requests: readonly string[],
    expected: string,
    connections: number,
  ): Case => requesters.caseOf(name, { url, requests, expected, connections });
  return [
    { name: 'sends one after another', run: () => talk.sendInTurn(1) },
    { name: 'sends, 64 in flight', run: () => talk.sendInTurn(64) },
    ask(`page of ${pageLength}`, pages, '"found_newest":true', 1),
    ask(`page of ${pageLength}, 8 in flight`, pages, '"found_newest":true', 8),
    ask('register', registers, '"queue_id":"', 1),
  ];
}

async function openFollowing(system: LoadSystem, rig: Rig): Promise<readonly Case[]> {
  const { accounts, stream: streamName } = system;
  const fleet = await Fleet.register(
    system.urls,
    accountsInTurn(system, followers),
    requestsAtOnce,
  );
  const talk = new Talk(rig, system, { accounts, streamName, fleet });
  await talk.history.skip();
  await fleet.hold(requestsAtOnce);
  return [
    {
      name: `${followedSendsPerSecond} messages a second`,
      run: () => talk.deliverAtRate(followedSendsPerSecond),
    },
  ];
}
