import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import {
  checkAnswer,
  checkMessageEvent,
  makeOrganization,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import { updateRealmSettings } from '@parley/store';
import type { Cluster, JsonObject, TestAccount, TestOrganization } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Report = {
  readonly connected?: true;
  readonly sent?: JsonObject;
  readonly answer?: JsonObject;
  readonly event?: JsonObject;
};

let cluster: Cluster | undefined;
let organization: TestOrganization | undefined;
let account: TestAccount;
let url: string;
let library: ChildProcess | undefined;
const reports: Report[] = [];

function order(name: string, parameters: JsonObject): void {
  library?.send({ name, parameters });
}

/** Calls a function of the library's `messages` and awaits its answer. */
async function call(name: string, parameters: JsonObject): Promise<JsonObject> {
  const answers = (): JsonObject[] =>
    reports.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  const before = answers().length;
  order(name, parameters);
  const answer = await waitUntil(`the answer to ${name}`, () => answers()[before], {
    deadlineMs: 30_000,
  });
  checkAnswer(answer['result'] === 'success' ? 200 : 400, answer);
  return answer;
}

/** The library says nothing when its loop has a queue, so the queue is looked for where it is kept. */
async function hasQueue(): Promise<boolean> {
  const found = await organization?.maker.pool.query(
    'SELECT FROM event_queues WHERE user_id = $1',
    [account.id],
  );
  return found?.rowCount === 1;
}

beforeAll(async () => {
  cluster = await startCluster();
  url = cluster.url;
  organization = await makeOrganization(cluster);
  account = await organization.makeAccount('Jay Script');
  await organization.makeStream('library', [account]);
  library = fork(fileURLToPath(new URL('zulip-js-client.mjs', import.meta.url)), {
    // What it would read elsewhere is given as an argument.
    env: { PATH: process.env['PATH'] },
  });
  library.on('message', (report) => reports.push(report as Report));
}, 240_000);

afterAll(async () => {
  library?.kill('SIGKILL');
  await organization?.close();
  await cluster?.stop();
}, 60_000);

test(
  'zulip-js, unchanged, sends to a stream and receives the message through its event loop',
  { timeout: 120_000 },
  async () => {
    order('connect', { username: account.email, apiKey: account.apiKey, realm: url });
    await waitUntil('the library is connected', () => reports.some(({ connected }) => connected), {
      deadlineMs: 60_000,
    });
    await waitUntil('the library has a queue', hasQueue, { deadlineMs: 30_000 });
    order('send', {
      type: 'stream',
      to: 'library',
      subject: 'compatibility',
      content: 'sent by **zulip-js**',
    });
    const sent = await waitUntil(
      'the answer to the send',
      () => reports.find((report) => report.sent !== undefined)?.sent,
      { deadlineMs: 30_000 },
    );
    checkAnswer(200, sent);
    expect(sent).toMatchObject({ result: 'success' });

    const event = await waitUntil(
      'the message event',
      () => reports.find((report) => report.event?.['type'] === 'message')?.event,
      { deadlineMs: 30_000 },
    );
    checkMessageEvent(event, 'event');
    expect(event).toMatchObject({
      message: {
        id: sent['id'],
        type: 'stream',
        display_recipient: 'library',
        subject: 'compatibility',
        sender_email: account.email,
        content: 'sent by **zulip-js**',
      },
    });
  },
);

test(
  'zulip-js, unchanged, edits the message with parameters in the query, reads it and its history, and deletes it',
  { timeout: 120_000 },
  async () => {
    const message_id = reports.find(({ sent }) => sent !== undefined)?.sent?.['id'];
    const update = { message_id, content: 'edited & moved', topic: 'new topic' };
    expect(await call('update', update)).toMatchObject({ result: 'success' });
    expect(await call('getById', { message_id })).toMatchObject({ raw_content: 'edited & moved' });
    expect(await call('getHistoryById', { message_id })).toMatchObject({
      message_history: [
        { topic: 'compatibility' },
        { topic: 'new topic', prev_topic: 'compatibility', content: 'edited & moved' },
      ],
    });
    expect(await call('deleteById', { message_id })).toMatchObject({
      result: 'error',
      code: 'BAD_REQUEST',
    });
    if (organization === undefined) throw new Error('there is no organization');
    await updateRealmSettings(organization.maker.pool, { allow_message_deleting: true });
    expect(await call('deleteById', { message_id })).toMatchObject({ result: 'success' });
    expect(await call('getById', { message_id })).toMatchObject({ msg: 'Invalid message(s)' });
  },
);
