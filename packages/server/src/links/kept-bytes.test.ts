/** Bytes that many answers share: what both ends keep of them, and what is sent over a link. */
import { waitUntil } from '@parley/test-kit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { LinkedNode, requestText, requestWith } from '../../tests/link-server.ts';
import { bytesOf, textOf } from './body.ts';
import { BrokenFrame, frameOf } from './frames.ts';
import { KeptByGateway, KeptOfNode, keepBytes } from './kept-bytes.ts';
import { keptMaxBytes, partBytes } from './protocol.ts';

const own = (text: string): Buffer => Buffer.from(text);

/** Both ends of a link on which every frame arrives. */
class BothEnds {
  readonly #node = new KeptByGateway();
  readonly #gateway = new KeptOfNode();
  sentBytes = 0;

  /** @returns the answer as the gateway puts it together; undefined if it is sent like any other */
  pass(body: readonly Buffer[]): string | undefined {
    const laidOut = this.#node.layOut(body);
    if (laidOut === undefined) return undefined;
    const { added, dropped, layout, own: literal } = laidOut;
    for (const [n, [id, bytes]] of added.entries()) {
      this.sentBytes += bytes.length;
      this.#gateway.keep(id, bytes, n === 0 ? dropped : []);
    }
    this.sentBytes += bytesOf(literal);
    const read = JSON.parse(JSON.stringify(layout)) as typeof layout;
    return textOf(this.#gateway.putTogether(read, Buffer.concat(literal)));
  }
}

describe('kept bytes', () => {
  it('form the original answer, whatever was kept before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(9), fc.nat(60_000), fc.nat(60_000), fc.string()), {
          maxLength: 60,
        }),
        (answers) => {
          const shared = Array.from({ length: 10 }, (_, n) =>
            keepBytes([own(`${n} é `.repeat(15_000))]),
          );
          const ends = new BothEnds();
          for (const [n, from, bytes, text] of answers) {
            const [kept = own('')] = shared[n] ?? [];
            const body = [own(text), kept.subarray(from, from + bytes), own('}')];
            expect(ends.pass(body)).toBe(textOf(body));
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('cross once, and again after they were dropped', () => {
    const ends = new BothEnds();
    const piece = partBytes - 1_000;
    const shared = Array.from({ length: 70 }, (_, n) =>
      keepBytes([Buffer.alloc(piece, `${n} `)]),
    ).flat();
    const [first = own('')] = shared;
    for (let n = 0; n < 3; n += 1) ends.pass([first]);
    expect(ends.sentBytes).toBe(piece);
    // Other bytes fill the memory; the last used ones stay.
    for (const each of shared.slice(1)) ends.pass([each, first]);
    expect(ends.sentBytes).toBe(70 * piece);
    ends.pass([shared[1] ?? own('')]);
    expect(ends.sentBytes).toBe(71 * piece);
  });

  it('are unused if an answer contains none of them, or too much', () => {
    const ends = new BothEnds();
    expect(ends.pass([own('x')])).toBeUndefined();
    const [kept = own('')] = keepBytes([own('shared')]);
    expect(ends.pass([kept, Buffer.alloc(partBytes + 1)])).toBeUndefined();
    expect(ends.pass(keepBytes([Buffer.alloc(keptMaxBytes / 2 + 1)]))).toBeUndefined();
    expect(ends.sentBytes).toBe(0);
  });

  it('take only their own memory in a gateway, whatever came with them', () => {
    const gateway = new KeptOfNode();
    const read = Buffer.alloc(65_536, 'x');
    gateway.keep(1, read.subarray(100, 700), []);
    const [kept] = gateway.putTogether([[1, 0, 600]], own(''));
    expect(kept?.toString()).toBe('x'.repeat(600));
    expect(kept?.buffer.byteLength).toBe(600);
  });

  it('that are missing or exceed the limit break the link', () => {
    const gateway = new KeptOfNode();
    gateway.keep(1, own('12345'), []);
    for (const layout of [[[2, 0, 1]], [[1, 0, 6]], [[1, 3, 2]], [[1, -1, 2]], [1]] as const)
      expect(() => gateway.putTogether(layout, own(''))).toThrow(BrokenFrame);
    expect(() => gateway.putTogether([], own('x'))).toThrow(BrokenFrame);
    expect(() => gateway.keep(2, Buffer.alloc(keptMaxBytes), [])).toThrow(BrokenFrame);
    expect(() => gateway.keep(3, Buffer.alloc(1), [1, 2])).not.toThrow();
  });
});

describe('a link', () => {
  let node: LinkedNode;
  let body: readonly Buffer[];

  beforeEach(async () => {
    node = await LinkedNode.start();
    node.answer = () => ({ status: 200, kind: 'json', headers: {}, shared: body, own: '' });
  });
  afterEach(() => node.stop());

  it('delivers answers with shared bytes completely', async () => {
    const link = node.connect();
    const shared = keepBytes([Buffer.alloc(3 * partBytes, 'shared é ')]);
    const texts: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      body = [own(`own ${n}`), ...shared, own(`end ${n}`)];
      link.send(requestWith(), {
        onLinkAnswer: (answer) => texts.push(textOf(answer.shared)),
        onLinkFault: () => texts.push('lost'),
      });
      await waitUntil(`answer ${n}`, () => texts.length === n + 1);
      expect(texts[n]).toBe(textOf(body));
    }
  });

  it('sends them once to each gateway', async () => {
    const shared = keepBytes([Buffer.alloc(10_000, 'x')]);
    for (let gateways = 0; gateways < 2; gateways += 1) {
      const gateway = node.connectRaw();
      await waitUntil('the link is open', () => gateway.head() !== '');
      for (let n = 0; n < 3; n += 1) {
        body = [own(`${n}`), ...shared];
        const request = requestText(n);
        for (const piece of frameOf(JSON.stringify([[request], [], []])))
          gateway.socket.write(piece);
        await waitUntil('it is answered', () =>
          gateway.said().some(({ text }) => JSON.stringify(text).includes(`[[${n},""]]`)),
        );
      }
      const said = gateway.said();
      expect(said.filter(({ text }) => (text as string[])[0] === 'keep')).toHaveLength(1);
      expect(said.filter(({ body: { length } }) => length > 1)).toHaveLength(1);
    }
  });
});
