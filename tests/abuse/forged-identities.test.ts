/** A service refuses identities that a client makes up, directly and through the gateway. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import { endpointHeaderName, identityHeaderName } from '@parley/api';
import type { Caller } from '@parley/api';
import { signIdentity } from '@parley/auth/identity';
import { linkPath, linkProtocol, linkRequestId } from '@parley/server/links';
import { waitUntil } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';

let administrator: Caller;

const organization = useFixture(() => startSmallOrganization({ messages: 1, events: 1 }));
beforeAll(async () => {
  administrator = organization.caller('ann');
});

const attempt = { requestId: 'f'.repeat(32) };

/** The time of the system. */
function nowMs(): number {
  return organization.cluster.settings.clock.nowMs();
}

const internalSecret = (): string => organization.cluster.settings.internalSecret;

function sign(secret: string, atMs: number): string {
  return signIdentity(secret, administrator, { ...attempt, nowMs: atMs });
}

/** The header of each forgery, created when it is used, because genuine ones are valid for only half a minute; of others see `packages/auth/src/identity`. */
const forgeries: readonly (readonly [what: string, make: () => string])[] = [
  ['nothing', () => ''],
  ['the plain claim', () => JSON.stringify({ userId: 1, role: 'administrator' })],
  ['the signature of another secret', () => sign('x'.repeat(40), nowMs())],
  ['an expired identity', () => sign(internalSecret(), nowMs() - 120_000)],
];

describe('directly at a service', () => {
  const serviceUrl = (): string => organization.cluster.getProcess('messages', 0).url;
  const upload = (headers: Readonly<Record<string, string>>): ReturnType<typeof sendRaw> =>
    sendRaw(serviceUrl(), {
      method: 'POST',
      path: '/api/v1/user_uploads',
      headers: { [endpointHeaderName]: 'upload-file', ...headers },
    });
  const msgOf = ({ text }: { readonly text: string }): unknown =>
    (JSON.parse(text) as { readonly msg: unknown }).msg;

  test("only the installation's signature is trusted", async () => {
    const answer = await upload({ [identityHeaderName]: sign(internalSecret(), nowMs()) });
    expect(msgOf(answer)).toBe('You must specify a file to upload');
  });

  test.each(forgeries)('%s finds nothing there', async (_what, make) => {
    const answer = await upload({ [identityHeaderName]: make() });
    expect([answer.status, msgOf(answer)]).toEqual([404, 'Not found']);
  });

  test("users' credentials are ignored", async () => {
    const answer = await upload(organization.client('ann').credentials);
    expect(answer.status).toBe(404);
  });
});

/** The server's answer to a client that starts the protocol of polls, and whether it then hangs up. */
async function askForPolls(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly socket: Socket; readonly hasEnded: () => boolean }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let heard = '';
  let hasEnded = false;
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  for (const event of ['error', 'end', 'close'])
    socket.on(event, () => {
      hasEnded = true;
    });
  const lines = Object.entries({ Upgrade: linkProtocol, Connection: 'Upgrade', ...headers });
  socket.write(
    `GET ${linkPath} HTTP/1.1\r\nHost: chat.example\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  await waitUntil('it is answered', () => heard.includes('\r\n\r\n') || hasEnded);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1]);
  return { status, socket, hasEnded: () => hasEnded };
}

describe('a link for polls', () => {
  const signForLinks = (secret: string, atMs = nowMs()): string =>
    signIdentity(secret, null, { requestId: linkRequestId, nowMs: atMs });
  const nodeUrl = (): string => organization.cluster.getProcess('events', 0).url;

  test.each([
    ...forgeries,
    ['a genuine one for a request', () => sign(internalSecret(), nowMs())],
    ['one for links by another secret', () => signForLinks('x'.repeat(40))],
    ['an expired one for links', () => signForLinks(internalSecret(), nowMs() - 120_000)],
  ] as const)('%s opens none at an event node, which hangs up', async (_what, make) => {
    const answer = await askForPolls(nodeUrl(), { [identityHeaderName]: make() });
    expect(answer.status).toBe(401);
    await waitUntil('the node hangs up', answer.hasEnded);
    answer.socket.destroy();
  });

  test('a valid request for a link at a node opens none through the gateway', async () => {
    const identity = signForLinks(internalSecret());
    const atNode = await askForPolls(nodeUrl(), { [identityHeaderName]: identity });
    expect(atNode.status).toBe(101);
    // An invalid frame ends it.
    atNode.socket.write(Buffer.alloc(64, 0xff));
    await waitUntil('the node hangs up', atNode.hasEnded);
    atNode.socket.destroy();
    const [url = ''] = organization.cluster.gatewayUrls;
    const outside = await askForPolls(url, { [identityHeaderName]: identity });
    expect(outside.status).toBe(404);
    outside.socket.destroy();
  });

  test('refused and idle connections do not delay the end of a node', async () => {
    const { cluster } = organization;
    const node = await cluster.startAnother('events');
    const refused = await askForPolls(node.url, {});
    const idle = await askForPolls(node.url, {
      [identityHeaderName]: signForLinks(internalSecret()),
    });
    // Only half a frame.
    idle.socket.write(Buffer.from([0, 0, 0, 9, 0, 0, 0, 0, 0x5b]));
    expect([refused.status, idle.status]).toEqual([401, 101]);
    const index = cluster.findProcesses('events').indexOf(node);
    expect(await cluster.kill('events', index, 'SIGTERM')).toMatchObject({ code: 0 });
    refused.socket.destroy();
    idle.socket.destroy();
  });
});

describe('through the gateway', () => {
  const trueOne = (): string => sign(internalSecret(), nowMs());

  test('a header that a service would trust is dropped, in any spelling', async () => {
    for (const name of [
      identityHeaderName,
      identityHeaderName.toUpperCase(),
      `${identityHeaderName}-more`,
    ]) {
      const { body } = await organization
        .client('bob')
        .request('GET', 'users/me', {}, { headers: { [name]: trueOne() } });
      expect(body).toMatchObject({ email: 'bob@example.com', is_admin: false });
    }
  });

  test('without credentials such a header authenticates nobody', async () => {
    const [url = ''] = organization.cluster.gatewayUrls;
    expect((await askAs(url, trueOne())).status).toBe(401);
  });

  test("named in the Connection header, it does not remove the gateway's own", async () => {
    const { body } = await organization
      .client('bob')
      .request('GET', 'users/me', {}, { headers: { connection: identityHeaderName } });
    expect(body).toMatchObject({ email: 'bob@example.com' });
  });
});

const askAs = (url: string, identity: string): ReturnType<typeof sendRaw> =>
  sendRaw(url, {
    method: 'GET',
    path: '/api/v1/users/me',
    headers: { [identityHeaderName]: identity },
  });
