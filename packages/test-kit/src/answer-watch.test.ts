import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { isAnswerFault } from './answer-faults.ts';

/** Answers as the path's query says, like a gateway, and makes requests itself. */
const server = `
  import { readFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  const server = createServer((request, response) => {
    const { status, body, type, isDirect } = JSON.parse(decodeURIComponent(request.url.split('?')[1]));
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { 'Content-Type': type ?? 'application/json' });
      response.write(body.slice(0, 10));
      if (!isDirect) return response.end(body.slice(10));
      const rest = body.slice(10);
      // After the writes that node:http gathers in one turn.
      setImmediate(() => {
        response.socket.write(Buffer.from(rest.length.toString(16) + '\\r\\n' + rest + '\\r\\n'));
        response.end();
      });
    });
  }).listen(0, '127.0.0.1', async () => {
    for (const [method, path, answer, form] of JSON.parse(readFileSync(0, 'utf8'))) {
      const query = encodeURIComponent(JSON.stringify(answer));
      const url = 'http://127.0.0.1:' + server.address().port + path + '?' + query;
      await (await fetch(url, { method, body: form && new URLSearchParams(form) })).text();
    }
    server.close();
    server.closeAllConnections();
  });
`;

type RecordedExchange = readonly [
  method: string,
  path: string,
  answer: {
    readonly status: number;
    readonly body: string;
    readonly type?: string;
    /** Whether most of it is written directly to the socket. */
    readonly isDirect?: boolean;
  },
  form?: Readonly<Record<string, string>>,
];

/** @returns the watch's faults of the answers */
function watched(exchanges: readonly RecordedExchange[]): string[] {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('./answer-watch.ts'), '--input-type=module', '-e', server],
    { encoding: 'utf8', input: JSON.stringify(exchanges) },
  );
  return stderr.split('\n').filter((line) => line !== '');
}

const success = '{"result":"success","msg":""}';
const left = '{"result":"success","msg":"","removed":[],"not_subscribed":[],"not_removed":[]}';
const type = 'text/event-stream';

const documented: readonly RecordedExchange[] = [
  [
    'GET',
    '/api/v1/user_groups',
    { status: 200, body: `${success.slice(0, -1)},"user_groups":[]}` },
  ],
  ['POST', '/api/v1/users/me/subscriptions', { status: 200, body: left }, { method: 'DELETE' }],
  [
    'POST',
    '/api/v1/users/me/subscriptions',
    { status: 200, body: left },
    { subscriptions: 'x'.repeat(200_000), method: 'DELETE' },
  ],
  [
    'GET',
    '/api/v1/events/stream',
    {
      status: 200,
      type,
      isDirect: true,
      body: 'retry: 5\n\ndata: {"type":"heartbeat","id":3}\n\n',
    },
  ],
  ['GET', '/health/ready', { status: 200, body: '{}' }],
];

const undocumented: readonly RecordedExchange[] = [
  ['GET', '/api/v1/user_groups', { status: 200, body: success }],
  ['POST', '/api/v1/users/me/subscriptions', { status: 200, body: left }, { method: 'PATCH' }],
  ['GET', '/api/v1/events/stream', { status: 200, type, body: 'data: {"type":"heartbeat"}\n\n' }],
  [
    'GET',
    '/api/v1/events/stream',
    { status: 200, type, isDirect: true, body: 'data: {"type":"heartbeat"}\n\n' },
  ],
  ['GET', '/api/v1/nowhere', { status: 200, body: success }],
];

test('an undocumented answer is a line that the cluster finds, and a documented one is none, whatever pieces it comes in', () => {
  const lines = watched([...documented, ...undocumented]);
  expect(
    lines.map((line) => [isAnswerFault(line), /(\w+) [^ ]*(?:\/api\/v1\/[\w/]+)/.exec(line)?.[0]]),
  ).toEqual([
    [true, 'GET /api/v1/user_groups'],
    [true, 'POST /api/v1/users/me/subscriptions'],
    [true, 'of /api/v1/events/stream'],
    [true, 'of /api/v1/events/stream'],
    [true, 'GET /api/v1/nowhere'],
  ]);
});
