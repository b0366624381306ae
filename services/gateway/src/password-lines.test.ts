import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { ApiError } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it } from 'vitest';

import { PasswordLines } from './password-lines.ts';
import type { Turn } from './password-lines.ts';
import { ClientGone } from './request-body.ts';

class Client extends EventEmitter {
  destroyed = false;

  hangUp(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const home = '192.0.2.1';

let clock: MovedClock;
let lines: PasswordLines;
let refused = 0;
/** Names in the order in which their passwords were judged. */
let judged: string[] = [];
let turns: Turn[] = [];

beforeEach(() => {
  clock = new MovedClock();
  refused = 0;
  judged = [];
  turns = [];
  lines = new PasswordLines({
    clock,
    atOnceMax: 4,
    onRefused: () => (refused += 1),
    registry: new Registry(),
  });
});

async function enter(name: string, address = home, client = new Client()): Promise<void> {
  const turn = await lines.enter(address, name, 5_000, client);
  judged.push(name);
  turns.push(turn);
}

/** The refusals of waiting logins, in the order of the calls. */
const outcomes: unknown[] = [];
function enterLater(name: string, address?: string, client?: Client): void {
  const index = outcomes.push('waiting') - 1;
  enter(name, address, client).then(
    () => (outcomes[index] = 'judged'),
    (error: unknown) => (outcomes[index] = error instanceof ApiError ? error.status : error),
  );
}

async function endOne(wasAbandoned = false): Promise<void> {
  turns.shift()?.end(wasAbandoned);
  await nextTurn();
}

describe('PasswordLines', () => {
  beforeEach(() => {
    outcomes.length = 0;
  });

  it('checks four passwords of an address at a time, and those of other addresses independently', async () => {
    for (let n = 0; n < 6; n += 1) enterLater('rina');
    enterLater('rina', '192.0.2.2');
    await nextTurn();
    expect(outcomes).toEqual([
      'judged',
      'judged',
      'judged',
      'judged',
      'waiting',
      'waiting',
      'judged',
    ]);
    await endOne();
    expect(outcomes.slice(4, 6)).toEqual(['judged', 'waiting']);
  });

  it('names take turns, however many passwords of one name wait', async () => {
    for (let n = 0; n < 10; n += 1) enterLater('loud');
    for (const name of ['ann', 'bob', 'ann']) enterLater(name);
    await nextTurn();
    for (let n = 0; n < 13; n += 1) await endOne();
    expect(judged.join(' ')).toBe('loud loud loud loud loud ann bob loud ann loud loud loud loud');
    expect(lines.size).toBe(0);
  });

  it('refuses with 429 after the longest wait, and keeps nothing', async () => {
    for (let n = 0; n < 5; n += 1) enterLater('rina');
    await clock.advance(4_999);
    await nextTurn();
    expect(outcomes[4]).toBe('waiting');
    await clock.advance(1);
    expect(outcomes[4]).toBe(429);
    const refusal = lines.refusal();
    expect(refusal.headers).toMatchObject({ 'Retry-After': '5', 'X-RateLimit-Limit': '4' });
    expect(refused).toBe(2);
    for (let n = 0; n < 4; n += 1) await endOne();
    expect(lines.size).toBe(0);
  });

  it('ends the wait of a client that hangs up, and continues with the next', async () => {
    for (let n = 0; n < 4; n += 1) enterLater('rina');
    const client = new Client();
    enterLater('gone', home, client);
    enterLater('there');
    await nextTurn();
    client.hangUp();
    await endOne();
    expect(outcomes.slice(4)).toEqual([expect.any(ClientGone), 'judged']);
    await expect(lines.enter(home, 'gone', 5_000, client)).rejects.toThrow(ClientGone);
    expect(client.listenerCount('close')).toBe(0);
    expect(refused).toBe(0);
  });

  it('permits twenty waiting of a name and two hundred of an address', async () => {
    for (let n = 0; n < 4 + 21; n += 1) enterLater('loud');
    await nextTurn();
    expect(outcomes.splice(0).filter((outcome) => outcome === 429)).toHaveLength(1);
    for (let n = 0; n < 181; n += 1) enterLater(`name ${n}`);
    await nextTurn();
    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(1);
    enterLater('elsewhere', '192.0.2.2');
    await nextTurn();
    expect(outcomes.at(-1)).toBe('judged');
  });

  it('keeps the slot of an abandoned password for as long as a service may check it', async () => {
    for (let n = 0; n < 5; n += 1) enterLater('rina');
    await nextTurn();
    await endOne(true);
    expect(outcomes[4]).toBe('waiting');
    await clock.advance(999);
    expect(outcomes[4]).toBe('waiting');
    await clock.advance(1);
    expect(outcomes[4]).toBe('judged');
  });
});
