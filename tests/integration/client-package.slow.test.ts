/** The client as it would be published: programs that compile against it, ones that do not, and the bot of its README. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { readObjects, repositoryFolder, waitUntil } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';

const compiler = join(repositoryFolder, 'node_modules/typescript/bin/tsc');
const source = join(repositoryFolder, 'packages/client');

/** Each is a separate program; in an invalid one, the last line is the error. */
const programs: readonly (readonly [name: string, lines: readonly string[], error?: string])[] = [
  [
    'what the interface describes',
    [
      "const answer = await client.attempt('POST /messages', { type: 'stream', to: 'x', topic: 'y', content: 'z' });",
      "if (answer.result === 'success') console.log(answer.id);",
      "else if (answer.code === 'STREAM_DOES_NOT_EXIST' && 'stream' in answer) console.log(answer.stream);",
      "try { await client.request('GET /users/me'); }",
      "catch (error) { if (error instanceof ApiError && error.is('BAD_NARROW')) console.log(error.body.desc); }",
    ],
  ],
  ['an operation that is not there', ["await client.request('GET /no/such/path');"], 'TS2554'],
  [
    'a parameter that is not there',
    ["await client.request('POST /messages', { type: 'x', content: 'y', text: 'z' });"],
    'TS2353',
  ],
  [
    'a parameter of another type',
    ["await client.request('POST /messages', { type: 'x', content: 5 });"],
    'TS2322',
  ],
  [
    'a required parameter that is missing',
    ["await client.request('POST /messages', { type: 'x' });"],
    'TS2741',
  ],
  [
    'a key that the answer does not have',
    ["const me = await client.request('GET /users/me');", 'console.log(me.no_such_key);'],
    'TS2339',
  ],
  [
    'a key of an entry that is not there',
    [
      "const { members } = await client.request('GET /users');",
      'console.log(members[0]?.no_such_key);',
    ],
    'TS2339',
  ],
  [
    'a code that the operation is not refused with',
    [
      "const answer = await client.attempt('GET /users/me');",
      "if (answer.result === 'error' && answer.code === 'BAD_EVENT_QUEUE_ID') console.log(answer);",
    ],
    'TS2367',
  ],
  [
    'a code that no operation is refused with',
    ["console.log((error: ApiError) => error.is('NO_SUCH_CODE'));"],
    'TS2345',
  ],
  [
    'a member that the refusal of a code does not have',
    ["console.log((error: ApiError) => error.is('BAD_NARROW') && error.body.queue_id);"],
    'TS2339',
  ],
  [
    'an upload without its file',
    ["await client.request('POST /user_uploads', { mimetype: 'image/png' });"],
    'TS2741',
  ],
  [
    'a type of event that is not there',
    ["for await (const { type } of client.events()) console.log(type === 'no_such_type');"],
    'TS2367',
  ],
  [
    'a key of an event that is not there',
    [
      "for await (const event of client.events()) console.log(event.type === 'message' && event.text);",
    ],
    'TS2339',
  ],
];

const head = [
  "import { ApiError, ParleyClient } from '@parley/client';",
  "const client = new ParleyClient({ site: 'https://chat.example.com' });",
  'console.log(ApiError);',
];

let folder: string;
let bot: string;
/** The compiler's errors by program: line and code. */
let errors: Map<string, string[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-client-'));
  const installed = join(folder, 'node_modules/@parley/client');
  await mkdir(installed, { recursive: true });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as JsonObject;
  const published = { ...manifest, ...(manifest['publishConfig'] as JsonObject) };
  await writeFile(join(installed, 'package.json'), JSON.stringify(published));
  const bundler = join(source, 'node_modules/rolldown/bin/cli.mjs');
  const arguments_ = [bundler, '--config', '--dir', join(installed, 'dist')];
  await promisify(execFile)(process.execPath, arguments_, { cwd: source });
  await cp(join(source, 'README.md'), join(installed, 'README.md'));
  const readme = await readFile(join(installed, 'README.md'), 'utf8');
  bot = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'bot.ts'), bot);
  for (const [index, [, lines]] of programs.entries())
    await writeFile(join(folder, `program-${index}.ts`), [...head, ...lines, ''].join('\n'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'nodenext',
        lib: ['es2023', 'esnext.disposable', 'dom', 'dom.asynciterable'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
      },
      include: ['*.ts'],
    }),
  );
  const said = await new Promise<string>((resolve) => {
    // The compiler is expected to find errors, so its exit code is ignored.
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (_, stdout) =>
      resolve(stdout),
    );
  });
  const found = said.matchAll(/^(?:.*\/)?([\w.-]+)\.ts\((\d+),\d+\): error (TS\d+)/gm);
  errors = new Map();
  for (const [, name = '', line = '', code = ''] of found)
    errors.set(name, [...(errors.get(name) ?? []), `${line} ${code}`]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a program with', () => {
  test.each(programs.map(([name, lines, error], index) => ({ name, lines, error, index })))(
    '$name',
    ({ lines, error, index }) => {
      const expected = error === undefined ? undefined : [`${head.length + lines.length} ${error}`];
      expect(errors.get(`program-${index}`)).toEqual(expected);
    },
  );
});

test.each(['index.d.ts', 'index.js'])('%s needs no other package', async (name) => {
  const text = await readFile(join(folder, 'node_modules/@parley/client/dist', name), 'utf8');
  expect(text.match(/\bfrom\s*['"].*|^import\b.*|\bimport\(.*/gm)).toBe(null);
  expect(errors.get('index.d')).toBe(undefined);
});

test('the licence of bundled types is included', async () => {
  const dist = join(folder, 'node_modules/@parley/client/dist');
  expect(await readFile(join(dist, 'typebox-license.txt'), 'utf8')).toContain('The MIT License');
});

describe('the bot of the README', () => {
  test('has ten lines and compiles', () => {
    expect(bot.trim().split('\n')).toHaveLength(10);
    expect(errors.get('bot')).toBe(undefined);
  });

  test('answers in streams and in private, as written there', async () => {
    const organization = await startSmallOrganization({ time: 'flows', events: 1, messages: 1 });
    const { user, apiKey } = organization.accounts.bobBot;
    const text = bot
      .replace('https://chat.example.com', organization.cluster.url)
      .replace('echo-bot@example.com', user.email)
      .replace("'KEY'", `'${apiKey}'`);
    await writeFile(join(folder, 'bot-here.ts'), text);
    const running = spawn(process.execPath, ['bot-here.ts'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      const ann = organization.client('ann');
      await ann.subscribe('general', { principals: ['ann@example.com', user.email] });
      await waitUntil('the bot follows', async () => {
        const sql = 'SELECT FROM event_queues WHERE user_id = $1';
        const { rowCount } = await organization.pool.query({ text: sql, values: [user.id] });
        return rowCount === 1;
      });
      await ann.sendToStream('general', 'bots', 'hello');
      await ann.sendPrivately([user.email], 'psst');
      const answers = await waitUntil('both answers', async () => {
        const page = await ann.get('messages', {
          anchor: 'newest',
          num_before: 50,
          num_after: 0,
          narrow: [['sender', user.email]],
          apply_markdown: false,
        });
        const messages = readObjects(page, 'messages');
        const own = messages.filter(({ subject }) => subject !== 'stream events');
        return own.length >= 2 ? own : undefined;
      });
      expect(answers.map(({ type, subject, content }) => [type, subject, content])).toEqual([
        ['stream', 'bots', 'You said: hello'],
        ['private', '', 'You said: psst'],
      ]);
    } finally {
      running.kill('SIGKILL');
      await organization.stop();
    }
  });
});
