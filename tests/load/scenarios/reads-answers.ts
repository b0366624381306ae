/** The cost of long answers to many requests: pages of messages, and the presence of everybody. */
import { makeBacklog } from '../backlog.ts';
import { HttpConnection } from '../fleet/http-connection.ts';
import { readCount } from '../load-options.ts';
import type { LoadOptions } from '../load-options.ts';
import { getOwn } from '../load-system.ts';
import type { LoadSystem } from '../load-system.ts';
import { credentialsOf, makeAccounts } from '../make-people.ts';
import { Requesters } from '../requesters.ts';
import { acceptGzip, writeGet, writePost } from '../requests.ts';
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
  const { organization } = getOwn(system, 'reads');
  const people = await makeAccounts(organization, readers, 'of a page');
  const streamName = 'pages';
  const [stream] = await organization.maker.makeStreams([{ name: streamName }]);
  if (stream === undefined) throw new Error('there is no stream to read');
  const ids = people.map(({ user }) => user.id);
  await organization.maker.subscribe(stream.id, ids);
  const destinations = ids.map((senderId, n) => ({
    senderId,
    streamName,
    topic: `topic ${n % 5}`,
  }));
  await makeBacklog(organization, destinations, Math.max(...pageLengths));
  const url = system.urls[0] ?? '';
  const narrow = encodeURIComponent(JSON.stringify([{ operator: 'stream', operand: streamName }]));
  const requesters = rig.addGenerators(new Requesters());
  return pageLengths.flatMap((length) => {
    const path = `/api/v1/messages?anchor=newest&num_before=${length}&num_after=0&narrow=${narrow}`;
    const requests = credentialsOf(people).map((account) => writeGet(url, path, account));
    return inBothForms(`${length} messages`, requests).map((each): Case => ({
      name: each.name,
      run: () =>
        requesters.measure(rig, {
          url,
          requests: each.requests,
          expected: '"found_newest":true',
          connections,
        }),
    }));
  });
}

/** Reports of presence whose answers contain everybody, and reports of clients that want no answer. */
export async function openReporting(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const { organization } = getOwn(system, 'reads');
  const count = readCount(options.people ?? peopleUsual, 'people', peopleBound);
  rig.say(`Making ${count} people who report ...`);
  const accounts = credentialsOf(await makeAccounts(organization, count, 'who reports'));
  const url = system.urls[0] ?? '';
  const write = (parameters: Readonly<Record<string, string>>): readonly string[] =>
    accounts.map((account) =>
      writePost(url, '/api/v1/users/me/presence', account, { status: 'active', ...parameters }),
    );
  const withoutAnswer = write({ ping_only: 'true' });
  await askAll(url, withoutAnswer);
  const requesters = rig.addGenerators(new Requesters());
  const kinds = [
    { name: `${count} people, ping only`, requests: withoutAnswer, expected: '"result":"success"' },
    ...inBothForms(`${count} people`, write({})).map((each) => ({
      ...each,
      expected: '"presences":',
    })),
  ];
  return kinds.map(({ name, requests, expected }): Case => ({
    name,
    run: () => requesters.measure(rig, { url, requests, expected, connections }),
  }));
}

function inBothForms(
  name: string,
  requests: readonly string[],
): readonly { readonly name: string; readonly requests: readonly string[] }[] {
  return [
    { name, requests },
    { name: `${name}, gzip`, requests: requests.map(acceptGzip) },
  ];
}

/** Each person's first report is an event for everybody, which does not occur in an organization at work. */
async function askAll(url: string, requests: readonly string[]): Promise<void> {
  let next = 0;
  const ask = async (): Promise<void> => {
    const connection = new HttpConnection(url);
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const { status, body } = await connection.request(request);
      if (status !== 200) throw new Error(`${status} ${body.slice(0, 300)}`);
    }
    connection.abort();
  };
  await Promise.all(Array.from({ length: connections }, ask));
}
