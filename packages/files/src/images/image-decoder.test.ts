import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { MovedClock } from '@parley/clock';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { ImageDecoder } from './image-decoder.ts';
import type { ImageDecoderOptions } from './image-decoder.ts';

const wanted = { shape: 'squares', sides: [10] } as const;
const usual = { memoryMaxBytes: 2 ** 30, processorMaxMs: 60_000 };
const tooLarge = { name: 'UnusableImage', fault: 'too large' };
const notAnImage = { name: 'UnusableImage', fault: 'not an image' };
const unavailable = { name: 'DecoderUnavailable' };

/** Reports its process id, or does what the content says. */
const badProcess = `
  import { setTimeout as wait } from 'node:timers/promises';
  process.on('message', async ({ content }) => {
    const text = Buffer.from(content).toString();
    if (text === 'crash') process.abort();
    if (text === 'exit') process.exit(0);
    if (text === 'kill') process.kill(process.pid, 'SIGKILL');
    if (text === 'wait') await wait(60_000);
    const content_ = Buffer.from(text === 'environment' ? JSON.stringify(Object.keys(process.env)) : String(process.pid));
    process.send({ kind: 'made', memoryBytes: text === 'grow' ? 2 ** 30 : 0, images: [{ content: content_, format: 'png', width: 1, height: 1 }] });
  });
  process.send({ kind: 'ready' });`;

let folder: string;
let small: Buffer;
let large: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-decoder-'));
  await writeFile(join(folder, 'bad.mjs'), badProcess);
  await writeFile(join(folder, 'broken.mjs'), 'throw new Error("cannot load");');
  small = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  large = await sharp({ create: { width: 4_400, height: 4_400, channels: 4, background: 'red' } })
    .png({ progressive: true, compressionLevel: 1 })
    .toBuffer();
});
afterAll(() => rm(folder, { recursive: true }));

let clock: MovedClock;
beforeEach(() => {
  clock = new MovedClock();
});

const open: ImageDecoder[] = [];
afterEach(() => {
  for (const decoder of open.splice(0)) decoder.close();
});

function start(options: Partial<ImageDecoderOptions> = {}): ImageDecoder {
  const decoder = new ImageDecoder({ clock, log: { warn: () => undefined }, ...options });
  open.push(decoder);
  return decoder;
}

const programUrl = (name: string): URL => pathToFileURL(join(folder, name));
const startBad = (options: Partial<ImageDecoderOptions> = {}): ImageDecoder =>
  start({ processUrl: programUrl('bad.mjs'), ...options });

async function ask(decoder: ImageDecoder, content: string): Promise<string> {
  const [made] = await decoder.make(Buffer.from(content), wanted);
  return String(made?.content);
}

/** Whether a process runs; one that has ended and was not awaited does not. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !stat.includes(') Z ');
}

describe('the process that decodes', () => {
  test('makes pictures, one after the other', async () => {
    const decoder = start();
    for (let n = 0; n < 2; n += 1) {
      const [made] = await decoder.make(small, wanted);
      expect(await sharp(made?.content).metadata()).toMatchObject({ format: 'png', width: 10 });
    }
    await expect(decoder.make(Buffer.from('no image'), wanted)).rejects.toMatchObject(notAnImage);
    await expect(decoder.make(small, wanted)).resolves.toHaveLength(1);
  });

  test('ends on a picture that takes too much memory or processor time, and is started again', async () => {
    const starving = start({ limits: { ...usual, memoryMaxBytes: 150 * 2 ** 20 } });
    await expect(starving.make(small, wanted)).resolves.toHaveLength(1);
    await expect(starving.make(large, wanted)).rejects.toMatchObject(tooLarge);
    await expect(starving.make(small, wanted)).resolves.toHaveLength(1);
    const hurried = start({ limits: { ...usual, processorMaxMs: 200 } });
    await expect(hurried.make(large, wanted)).rejects.toMatchObject(tooLarge);
    await expect(hurried.make(small, wanted)).resolves.toHaveLength(1);
  });

  test.each([
    ['crash', notAnImage],
    ['exit', notAnImage],
    ['kill', tooLarge],
  ])('that dies of a picture refuses it: %s', async (content, refusal) => {
    const decoder = startBad();
    const before = await ask(decoder, 'first');
    await expect(ask(decoder, content)).rejects.toMatchObject(refusal);
    const after = await ask(decoder, 'next');
    expect(after).not.toBe(before);
    expect(await ask(decoder, 'same')).toBe(after);
  });

  test('reports no fault of the picture if it does not start', async () => {
    await expect(ask(start({ processUrl: programUrl('broken.mjs') }), 'a')).rejects.toMatchObject(
      unavailable,
    );
  });

  test('is ended ten seconds after a picture was asked for, its start included', async () => {
    const slow = startBad();
    let outcome: unknown;
    void ask(slow, 'wait').catch((error: unknown) => {
      outcome = error;
    });
    await clock.advance(9_999);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    expect(outcome).toMatchObject(unavailable);
    expect(await ask(slow, 'next')).toMatch(/^\d+$/);
  });

  test('is the only one, and ends when idle or closed', async () => {
    const idle = startBad();
    const pid = await ask(idle, 'a');
    await clock.advance(29_999);
    expect(await ask(idle, 'a')).toBe(pid);
    await clock.advance(30_000);
    await expect.poll(() => isRunning(pid)).toBe(false);
    const next = await ask(idle, 'b');
    expect(next).not.toBe(pid);
    const waiting = ask(idle, 'wait');
    idle.close();
    await expect(waiting).rejects.toMatchObject(unavailable);
    await expect.poll(() => isRunning(next)).toBe(false);
    await expect(ask(idle, 'c')).rejects.toMatchObject(unavailable);
  });

  test('that keeps too much memory after a picture is replaced', async () => {
    const decoder = startBad();
    const first = await ask(decoder, 'a');
    expect(await ask(decoder, 'grow')).toBe(first);
    expect(await ask(decoder, 'b')).not.toBe(first);
  });

  test('has no environment of its service', async () => {
    expect(JSON.parse(await ask(startBad(), 'environment'))).toEqual([]);
  });
});
