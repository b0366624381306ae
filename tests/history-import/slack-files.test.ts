/** Files and avatars of Slack, fetched from a server that is its hosts, and imported. */
import { readdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import { parseAddressRanges, readServiceConfig } from '@parley/config';
import { migrate } from '@parley/database/migrate';
import { openFileStore } from '@parley/files';
import { Ledger, importHistory, openSlack, planHistoryImport } from '@parley/history-import';
import type { NotImported, SlackFetching } from '@parley/history-import';
import { ImageDecoder } from '@parley/files/images';
import { createLogger } from '@parley/telemetry/logging';
import { AddressRules } from '@parley/outgoing';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { readObjects } from '@parley/test-kit';
import type { ApiClient } from '@parley/test-kit';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { SlackHosts, foreignHost } from '../support/slack-hosts.ts';
import type { SlackRequest } from '../support/slack-hosts.ts';
import { useFixture } from '../support/use-fixture.ts';
import {
  contents,
  download,
  inStream,
  readMessages,
  useImportTarget,
} from './imported-organization.ts';
import { slackFiles, writeSlack } from './slack-fixture.ts';
import { onePixel } from './write-archives.ts';

const token = 'xoxp-a-token-of-somebody';
const silent = { advance: () => undefined, finish: () => undefined };

const hosts = useFixture(() => SlackHosts.start());
const target = useImportTarget();
/** The hosts that were looked up. */
const lookedUp: string[] = [];

beforeEach(() => {
  hosts.requests.splice(0);
  lookedUp.splice(0);
});

const archive = (): string => join(target.folder, 'files.zip');

function fetching(changes: Partial<SlackFetching> = {}): SlackFetching {
  return {
    clock: systemClock,
    token,
    rules: new AddressRules(parseAddressRanges('127.0.0.1')),
    findAddresses: (host) => {
      lookedUp.push(host);
      return Promise.resolve(['127.0.0.1']);
    },
    port: hosts.port,
    spoolFolder: join(target.folder, 'spool'),
    bounds: { pauseMs: 1, fileMaxBytes: 100_000 },
    step: () => silent,
    signal: new AbortController().signal,
    ...changes,
  };
}

const say =
  (content: string | Buffer, type = 'application/pdf', status = 200, headers = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(content);
  };

const plan = 'the plan';

type File = Readonly<Record<string, unknown>>;

const file = (id: string, path: string, more: File = {}): File => ({
  id,
  name: `${id}.pdf`,
  mimetype: 'application/pdf',
  mode: 'hosted',
  size: plan.length,
  url_private: `https://files.slack.com${path}?t=xoxe-a-key`,
  ...more,
});

const message = (n: number, files: readonly unknown[], more: File = {}): File => ({
  type: 'message',
  user: 'U1',
  text: `files ${n}`,
  ts: `17000001${String(n).padStart(2, '0')}.000100`,
  files,
  ...more,
});

async function write(messages: readonly File[], more: Record<string, unknown> = {}): Promise<void> {
  await writeSlack(archive(), {
    ...Object.fromEntries(Object.keys(slackFiles()).map((name) => [name, undefined])),
    'users.json': slackFiles()['users.json'],
    'channels.json': slackFiles()['channels.json'],
    'general/2023-11-14.json': messages,
    ...more,
  });
}

/** Opens the archive, and reads all messages as if nothing had a name. */
async function read(with_: SlackFetching | string): Promise<{
  readonly files: readonly string[];
  readonly texts: readonly string[];
  readonly reasons: Readonly<Record<string, string>>;
  readonly reported: readonly NotImported[];
}> {
  const reported: NotImported[] = [];
  const ledger = new Ledger({ isStrict: false, write: (record) => reported.push(record) });
  const source = await openSlack({
    file: archive(),
    name: 'Files',
    channelTopic: 'chat',
    publicUrl: 'https://chat.example',
    fetching: with_,
    ledger,
  });
  try {
    for await (const _keys of source.messageKeys());
    const { files } = await source.directory();
    const texts: string[] = [];
    for await (const { messages } of source.messages({
      person: () => ({ id: 1, fullName: 'Somebody' }),
      stream: () => ({ id: 1, name: 'stream' }),
      filePath: (index) => `path/${files[index]?.name}`,
      emoji: () => undefined,
    }))
      texts.push(...messages.map(({ content }) => content));
    const reasons = Object.fromEntries(
      reported
        .filter(({ kind }) => kind === 'files')
        .map(({ place, reason }) => [place.at, reason.replace('no file, a link or a note: ', '')]),
    );
    return { files: files.map(({ name }) => name), texts, reasons, reported };
  } finally {
    await source.close();
  }
}

describe('a file that Slack has', () => {
  test('is fetched once with the token, and without the key of its link', async () => {
    hosts.answers = { '/a': say(plan) };
    await write([message(1, [file('F1', '/a')]), message(2, [file('F1', '/a')])]);
    const { files, texts, reported } = await read(fetching());
    expect(files).toEqual(['F1.pdf']);
    expect(texts).toEqual([1, 2].map((n) => `files ${n}\n[F1.pdf](/user_uploads/path/F1.pdf)`));
    const beside = new Set(['users.json', 'pins']);
    expect(reported.filter(({ kind }) => !beside.has(kind))).toEqual([]);
    expect(hosts.requests).toEqual([
      { host: 'files.slack.com', path: '/a', authorization: `Bearer ${token}` },
    ]);
  });

  test('is asked for again when Slack says so, as often as bounds allow', async () => {
    hosts.answers = {
      '/soon': (response, nth) =>
        nth < 2
          ? say('', 'text/plain', 429, { 'retry-after': '0' })(response)
          : say(plan)(response),
      '/never': say('', 'text/plain', 503),
      '/late': say('', 'text/plain', 429, { 'retry-after': '100000' }),
      '/cut': (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('half');
        response.destroy();
      },
    };
    await write([
      message(1, [file('F1', '/soon')]),
      message(2, [file('F2', '/never')]),
      message(3, [file('F3', '/late')]),
      message(4, [file('F4', '/cut')]),
    ]);
    const { files, reasons } = await read(fetching());
    expect(files).toEqual(['F1.pdf']);
    expect(reasons).toEqual({
      '[1]': 'Slack could not be reached or had too much to do',
      '[2]': 'Slack asked to wait for too long',
      '[3]': 'Slack could not be reached or had too much to do',
    });
    const asked = (path: string) => hosts.requests.filter((each) => each.path === path).length;
    expect([asked('/soon'), asked('/never'), asked('/late'), asked('/cut')]).toEqual([3, 5, 1, 5]);
  });
});

test('what is not the file that was recorded stays a link, with the reason and the place', async () => {
  hosts.answers = {
    '/page': say('<html>Sign in</html>', 'text/html; charset=utf-8'),
    '/mail': say('<p>Hi</p>', 'text/html'),
    '/other': say('longer than it was'),
    '/large': say(Buffer.alloc(100_001)),
    '/nothing': say(''),
    '/moved': say('', 'text/plain', 302, { location: `https://${foreignHost}/stolen` }),
    '/moved-inside': say('', 'text/plain', 307, { location: '/page' }),
  };
  await write([
    message(1, [file('F1', '/page', { size: undefined })]),
    message(2, [file('F2', '/mail', { size: 9, mimetype: 'text/html' })]),
    message(3, [file('F3', '/other')]),
    message(4, [file('F4', '/large', { size: undefined })]),
    message(5, [file('F5', '/nothing', { size: undefined })]),
    message(6, [file('F6', '/moved')]),
    message(7, [file('F7', '/moved-inside')]),
    message(8, [file('F8', '/absent')]),
    message(9, [file('F9', '/empty', { size: 0 })]),
  ]);
  const { files, texts, reasons } = await read(fetching());
  expect(files).toEqual(['F2.pdf']);
  expect(reasons).toEqual({
    '[0]': 'Slack answered with a page, as it does when the token does not open the file',
    '[2]': 'it has another size than the archive says',
    '[3]': 'it cannot be fetched (FileTooLarge)',
    '[4]': 'it is empty',
    '[5]': 'Slack answered with status 302',
    '[6]': 'Slack answered with status 307',
    '[7]': 'Slack answered with status 404',
    '[8]': 'it is empty',
  });
  expect(texts[0]).toBe('files 1\n[F1.pdf](https://files.slack.com/page)');
  expect(new Set(lookedUp)).toEqual(new Set(['files.slack.com']));
  expect(hosts.requests.map(({ path }) => path)).not.toContain('/stolen');
});

test('no other address is asked, and nobody else gets the token', async () => {
  const elsewhere = [
    `https://${foreignHost}/a`,
    'http://files.slack.com/a',
    'https://files.slack.com:8443/a',
    'https://somebody@files.slack.com/a',
    'https://files.slack.com.evil.example/a',
    'https://emoji.slack-edge.com/a',
    'https://127.0.0.1/a',
    'file:///etc/passwd',
    'no address',
  ];
  hosts.answers = { '/a': say(plan) };
  await write(elsewhere.map((url, n) => message(n, [file(`F${n}`, '', { url_private: url })])));
  const { files, reasons, reported, texts } = await read(fetching());
  expect(files).toEqual([]);
  expect(Object.values(reasons)).toEqual(
    elsewhere.map(() => 'it is not on a host for files of Slack'),
  );
  expect([hosts.requests, lookedUp]).toEqual([[], []]);
  expect(JSON.stringify([reported, texts])).not.toContain(token);
});

test('a server that does not answer, or does not end, holds nothing up', async () => {
  hosts.answers = {
    '/silent': () => undefined,
    '/drips': (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    },
    '/a': say(plan),
  };
  await write([
    message(1, [file('F1', '/silent')]),
    message(2, [file('F2', '/drips')]),
    message(3, [file('F3', '/a')]),
  ]);
  const bounds = { headTimeoutMs: 1_000, fileTimeoutMs: 1_500, triesMax: 1 };
  const { files, reasons } = await read(fetching({ bounds }));
  expect(files).toEqual(['F3.pdf']);
  expect(Object.keys(reasons)).toEqual(['[0]', '[1]']);
});

test('an import that is stopped meanwhile leaves no file behind', async () => {
  const stop = new AbortController();
  hosts.answers = {
    '/a': say(plan),
    '/stop': () => stop.abort(),
  };
  await write([message(1, [file('F1', '/a')]), message(2, [file('F2', '/stop')])]);
  await expect(read(fetching({ signal: stop.signal }))).rejects.toThrow(/aborted/);
  expect(await readdir(target.folder)).not.toContain('spool');
});

test('a host that leads inside is not asked', async () => {
  hosts.answers = { '/a': say(plan) };
  await write([message(1, [file('F1', '/a')])]);
  const { reasons } = await read(fetching({ rules: new AddressRules([]) }));
  expect(reasons).toEqual({ '[0]': 'it cannot be fetched (AddressNotAllowed)' });
  expect(hosts.requests).toEqual([]);
});

test('a server that is not the named host gets no request', async () => {
  await write([message(1, [file('F1', '/a')])], {
    'users.json': [
      {
        id: 'U1',
        name: 'ana',
        profile: { image_original: 'https://ca.slack-edge.com/T1-U1-abc-512' },
      },
    ],
  });
  hosts.answers = { '/a': say(plan), '/T1-U1-abc-512': say(onePixel, 'image/png') };
  // The certificate does not have this name.
  await read(fetching());
  expect(hosts.requests.map(({ path }) => path)).toEqual(['/a']);
});

test('what cannot be had or need not be had is a link or a note', async () => {
  hosts.answers = { '/twice': say(plan) };
  await write([
    message(1, [file('F1', '/x', { mode: 'tombstone' })]),
    message(2, [file('F2', '/x', { mode: 'hidden_by_limit' })]),
    message(3, [file('F3', '/x', { mode: 'canvas' })]),
    message(4, [{ name: 'no id' }, 'no file']),
    message(5, [file('F5', '/twice'), file('F5', '/twice')], { file: file('F5', '/twice') }),
    message(6, [file('F6', '/x')], { subtype: 'channel_join' }),
  ]);
  const { files, reported } = await read(fetching());
  expect(files).toEqual(['F5.pdf']);
  expect(reported.filter(({ kind }) => kind === 'files').map(({ reason }) => reason)).toEqual([
    'no file, a link or a note: it is deleted',
    'no file, a link or a note: it is no longer available',
    'no file, a link or a note: its content is no file',
    'it has no id',
    'it has no id',
    'the message lists it twice',
    'the message lists it twice',
    'its message was not imported',
  ]);
  expect(hosts.requests.map(({ path }) => path)).toEqual(['/twice']);
});

test('files that other programs stored in the archive are taken from there', async () => {
  await write([message(1, [file('F1', '/a'), file('F2', '/b')])], {
    '__uploads/F1/F1.pdf': plan,
    'general/attachments/F2-F2.pdf': plan,
  });
  const { files } = await read('no token was given');
  expect(files).toEqual(['F1.pdf', 'F2.pdf']);
  expect(hosts.requests).toEqual([]);
});

describe('the command', () => {
  test('takes a token for slack alone, and none that cannot be one', async () => {
    const tokenFile = join(target.folder, 'token');
    await writeFile(tokenFile, 'two words\n');
    await write([message(1, [file('F1', '/a')])]);
    const run = (source: string, more: readonly string[] = []) =>
      target.importFrom(source, archive(), 'ana@birch.example', [
        '--token-file',
        tokenFile,
        ...more,
      ]);
    const misused = await run('zulip');
    expect([misused.code, misused.error]).toEqual([2, expect.stringContaining('for slack')]);
    const unusable = await run('slack');
    expect([unusable.code, unusable.error]).toEqual([1, expect.stringContaining('no token')]);
    await writeFile(tokenFile, `${token}\n`);
    const dry = await run('slack', ['--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.out).toContain(
      'files: 1 skipped, no file, a link or a note: a dry run fetches nothing',
    );
    expect(dry.out + dry.error).not.toContain(token);
  });
});

describe('a workspace with files', () => {
  let clients: Record<'ana' | 'bo', ApiClient>;
  let reported: NotImported[];
  let fetched: SlackRequest[];

  beforeAll(async () => {
    hosts.answers = {
      '/plan': say(plan),
      '/secret': say(plan),
      '/face.png': say(onePixel, 'image/png'),
    };
    const users = slackFiles()['users.json'] as File[];
    await write([message(1, [file('F1', '/plan')]), message(2, [file('F2', '/gone')])], {
      'users.json': users.map((user) =>
        user['id'] === 'U2'
          ? {
              ...user,
              profile: {
                ...(user['profile'] as File),
                image_original: 'https://avatars.slack-edge.com/face.png',
              },
            }
          : user,
      ),
      'groups.json': slackFiles()['groups.json'],
      'secret/2023-11-14.json': [message(3, [file('F3', '/secret')])],
    });
    hosts.requests.splice(0);
    reported = await importDirectly();
    fetched = hosts.requests.splice(0);
    clients = await target.startFor({ ana: 'ana@birch.example', bo: 'bo@birch.example' });
  });

  /** As the command does, with hosts of our own. */
  async function importDirectly(): Promise<NotImported[]> {
    const found: NotImported[] = [];
    const config = readServiceConfig(target.environment, 'command');
    const { files: uploads } = config.uploads;
    if (uploads === undefined) throw new Error('no place for files');
    await migrate(config.database.url.reveal());
    const ledger = new Ledger({ isStrict: false, write: (record) => found.push(record) });
    const source = await openSlack({
      file: archive(),
      name: 'Files',
      channelTopic: 'chat',
      publicUrl: 'https://chat.example',
      fetching: fetching(),
      ledger,
    });
    const log = createLogger(
      { service: 'command', nodeId: 'test', level: 'error' },
      { write: () => undefined },
    );
    const decoder = new ImageDecoder({ clock: systemClock, log });
    const client = await target.pool.connect();
    try {
      const startPosition = await planHistoryImport(target.pool);
      await client.query('SET idle_in_transaction_session_timeout = 0; BEGIN');
      await importHistory({
        client,
        pool: target.pool,
        files: await openFileStore(uploads, systemClock),
        decoder,
        keySecrets: deriveKeySecrets(target.settings.keySecret),
        publicUrl: config.publicUrl,
        source,
        ledger,
        administrator: 'ana@birch.example',
        emailDomain: undefined,
        startPosition,
        isDryRun: false,
        step: () => silent,
        signal: new AbortController().signal,
      });
      await client.query('COMMIT');
      return found;
    } finally {
      client.release(true);
      decoder.close();
      await source.close();
    }
  }

  const textsOf = async (person: keyof typeof clients, stream: string): Promise<string[]> =>
    contents(await readMessages(clients[person], inStream(stream)));

  const pathIn = (text: string | undefined): string =>
    /\]\((\/user_uploads\/[^)]+)\)/.exec(text ?? '')?.[1] ?? '';

  test('has them for who reads the messages, and links to the others', async () => {
    const [first, second] = await textsOf('bo', 'general');
    expect(await download(clients.bo, pathIn(first))).toEqual({ status: 200, text: plan });
    expect(second).toBe('files 2\n[F2.pdf](https://files.slack.com/gone)');
    const [secret] = await textsOf('ana', 'secret');
    expect(await download(clients.ana, pathIn(secret))).toEqual({ status: 200, text: plan });
    expect(await download(clients.bo, pathIn(secret))).toMatchObject({ status: 403 });
  });

  test('has the pictures of its people, fetched without the token', async () => {
    const members = readObjects(await clients.ana.get('users'), 'members');
    const bo = members.find(({ email }) => email === 'bo@birch.example');
    expect(bo?.['avatar_url']).toMatch(/\/user_avatars\//);
    expect(fetched.find(({ host }) => host === 'avatars.slack-edge.com')).toEqual({
      host: 'avatars.slack-edge.com',
      path: '/face.png',
      authorization: undefined,
    });
  });

  test('reports what is not there', () => {
    expect(reported.filter(({ kind }) => kind === 'files')).toEqual([
      {
        outcome: 'skipped',
        kind: 'files',
        reason: 'no file, a link or a note: Slack answered with status 404',
        place: { file: 'general/2023-11-14.json', at: '[1]' },
      },
    ]);
  });
});
