import { MovedClock } from '@parley/clock';
import { contextOfData } from '@parley/markdown';
import type { RenderData } from '@parley/markdown';
import { UnableToRender } from '@parley/markdown';
import { afterEach, describe, expect, it } from 'vitest';

import { MessageRenderer } from './message-renderer.ts';
import { RenderPool } from './render-pool.ts';
import type { RenderPoolOptions } from './render-pool.ts';

const data: RenderData = {
  realmUri: 'https://chat.example.com',
  users: [{ id: 12, fullName: 'Oleg Tarn', email: 'Oleg@example.com' }],
  groups: [{ id: 5, name: 'night crew' }],
  streams: [{ id: 21, name: 'garden' }],
  emoji: [{ id: '3', name: 'party_newt', url: '/user_avatars/1/emoji/images/3.png' }],
  linkifiers: [{ id: 1, pattern: 'TKT-(?P<n>[0-9]+)', urlFormat: 'https://a.example/%(n)s' }],
  inlineImagePreview: true,
  translateEmoticons: true,
};

/** A worker that never answers, fails or ends, depending on the content; its answer contains its thread id. */
const badWorker = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ content }) => {
      if (content.startsWith('spin')) for (;;);
      if (content === 'fail') throw new Error('broken');
      if (content === 'end') process.exit(0);
      if (content === 'refuse') parentPort.postMessage({ kind: 'refused', reason: 'no' });
      else parentPort.postMessage({ kind: 'rendered', message: { html: content + threadId } });
    });
    parentPort.postMessage({ kind: 'ready' });`)}`,
);
const brokenWorker = new URL('data:text/javascript,throw new Error("cannot load")');

const log = { warn: () => undefined };
const wallTimeMs = 5_000;
const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0)) await closing.close();
});

function pool(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const made = new RenderPool({
    clock: new MovedClock(),
    log,
    size: 1,
    waitingMax: 10,
    workerUrl: badWorker,
    ...options,
  });
  open.push(made);
  return made;
}

function renderer(options: Partial<RenderPoolOptions> = {}): MessageRenderer {
  const made = new MessageRenderer({ clock: new MovedClock(), log, ...options });
  open.push(made);
  return made;
}

describe('the render pool', () => {
  it.each(['spin', 'fail', 'end'])(
    'refuses a message that makes its thread %s, and recovers',
    async (content) => {
      const clock = new MovedClock();
      const one = pool({ clock });
      const next = one.run({ content: 'first ', data });
      let isRefused = false;
      const bad = one.run({ content, data }).catch((error: unknown) => {
        isRefused = true;
        return error;
      });
      const after = one.run({ content: 'after ', data });
      const first = (await next).html;
      if (content === 'spin') {
        await clock.advance(wallTimeMs - 1);
        expect(isRefused).toBe(false);
        await clock.advance(1);
      }
      expect(await bad).toBeInstanceOf(UnableToRender);
      const { html } = await after;
      expect(html).toMatch(/^after \d+$/);
      // It is another thread.
      expect(html.replace('after', 'first')).not.toBe(first);
    },
  );

  it('does not let a hostile message delay the next one', async () => {
    const two = pool({ size: 2 });
    const hostile = two.run({ content: 'spin', data }).catch((error: unknown) => error);
    await expect(two.run({ content: 'quick ', data })).resolves.toHaveProperty('html');
    await two.close();
    expect(await hostile).toMatchObject({ status: 503 });
  });

  it('keeps its thread after a refusal', async () => {
    const one = pool();
    const { html } = await one.run({ content: 'a', data });
    await expect(one.run({ content: 'refuse', data })).rejects.toBeInstanceOf(UnableToRender);
    await expect(one.run({ content: 'a', data })).resolves.toEqual({ html });
  });

  it('answers 503 when too many wait, when threads cannot start and when it is closed', async () => {
    const full = pool({ waitingMax: 1 });
    const running = full.run({ content: 'a', data });
    const waiting = full.run({ content: 'b', data });
    await expect(full.run({ content: 'c', data })).rejects.toMatchObject({ status: 503 });
    await Promise.all([running, waiting]);
    await full.close();
    await expect(full.run({ content: 'd', data })).rejects.toMatchObject({ status: 503 });
    await expect(
      pool({ workerUrl: brokenWorker }).run({ content: 'a', data }),
    ).rejects.toMatchObject({ status: 503 });
  });
});

describe('the renderer of messages', () => {
  const content =
    '@**Oleg Tarn** @*night crew* #**garden** :party_newt: TKT-4 :) !avatar(oleg@example.com)';

  it('has the same data in a thread as in place', async () => {
    const message = await renderer().render(`${content} $$x$$`, data);
    expect(message.mentionedUserIds).toEqual([12]);
    expect(message.mentionedGroupIds).toEqual([5]);
    for (const part of ['garden', '3.png', 'a.example/4', 'slight_smile', '/avatar/12']) {
      expect(message.html).toContain(part);
    }
    const short = await renderer({ workerUrl: brokenWorker }).render(content, data);
    expect(message.html.startsWith(short.html.slice(0, -'</p>'.length))).toBe(true);
  });

  it('renders only short and cheap messages in place', async () => {
    const threadless = renderer({ workerUrl: brokenWorker });
    await expect(threadless.render('*soup* at noon', data)).resolves.toHaveProperty('html');
    for (const costly of ['$$x$$', '```py\na\n```', '~~~\na', 'a\n    b', '*a* '.repeat(500)]) {
      await expect(threadless.render(costly, data)).rejects.toMatchObject({ status: 503 });
    }
  });

  it('refuses texts that cannot be rendered with 400', async () => {
    const refused = { status: 400, message: 'Unable to render message' };
    await expect(renderer().render('<'.repeat(50_000), data)).rejects.toMatchObject(refused);
    const clock = new MovedClock();
    const bad = renderer({ clock, workerUrl: badWorker });
    // Its thread has started when the next message comes.
    await bad.render('long '.repeat(200), data);
    const refusal = bad.render(`spin${' '.repeat(600)}`, data).catch((error: unknown) => error);
    await clock.advance(wallTimeMs);
    expect(await refusal).toMatchObject(refused);
  });

  it('compares names as accounts do', () => {
    const context = contextOfData(data);
    expect(context.usersByName('OLEG TARN')).toHaveLength(1);
    expect(context.userByEmail?.('oleg@example.com')?.id).toBe(12);
    expect(context.groupByName('Night crew')).toBeUndefined();
    expect(context.streamByName('Garden')).toBeUndefined();
  });
});
