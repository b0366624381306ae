/** The cost of long answers to many requests: pages of messages, and the presence of everybody. */
import { makeBacklog } from '../backlog.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts, makeAudience } from '../make-people.ts';
import { Requesters } from '../requesters.ts';
import { acceptGzip, pathOfPage, reportFirst, writeGet, writePost } from '../requests.ts';
import type { Rig } from '../rig.ts';
import type { Case } from '../scenario.ts';

const pageLengths = [100, 500];
const readers = 20;
const peopleUsual = '2000';
const peopleBound = 20_000;
const connections = 8;

/** The newest messages of a stream, for clients with and without compression. */
export async function openPages(
  system: LoadSystem,
  _options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const { streamName, sender, listeners } = await makeAudience(organization, 'pages', readers);
  const destinations = Array.from({ length: 5 }, (_, n) => ({
    senderId: sender.id,
    streamName,
    topic: `topic ${n}`,
  }));
  await makeBacklog(organization, destinations, Math.max(...pageLengths));
  const url = system.urls[0] ?? '';
  const requesters = new Requesters(rig);
  const expected = '"found_newest":true';
  return pageLengths.flatMap((length) => {
    const path = pathOfPage([{ operator: 'stream', operand: streamName }], length);
    const plain = listeners.map((account) => writeGet(url, path, account));
    return inBothForms(`${length} messages`, plain).map(({ name, requests }) =>
      requesters.caseOf(name, { url, requests, expected, connections }),
    );
  });
}

/** Reports of presence whose answers contain everybody, and reports of clients that want no answer. */
export async function openReporting(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = system;
  const count = readCount(options.people ?? peopleUsual, 'people', peopleBound);
  rig.say(`Making ${count} people who report ...`);
  const accounts = credentialsOf(await makeAccounts(organization, count, 'who reports'));
  const url = system.urls[0] ?? '';
  const write = (parameters: Readonly<Record<string, string>>): readonly string[] =>
    accounts.map((account) =>
      writePost(url, '/api/v1/users/me/presence', account, { status: 'active', ...parameters }),
    );
  const requesters = new Requesters(rig);
  const ask = (name: string, requests: readonly string[], expected: string): Case =>
    requesters.caseOf(name, { url, requests, expected, connections });
  await reportFirst(url, accounts, connections);
  return [
    ask(`${count} people, ping only`, write({ ping_only: 'true' }), '"result":"success"'),
    ...inBothForms(`${count} people`, write({})).map(({ name, requests }) =>
      ask(name, requests, '"presences":'),
    ),
  ];
}

/** @returns the same requests of clients without and with compression */
export function inBothForms(
  name: string,
  requests: readonly string[],
): readonly { readonly name: string; readonly requests: readonly string[] }[] {
  return [
    { name, requests },
    { name: `${name}, gzip`, requests: requests.map(acceptGzip) },
  ];
}
