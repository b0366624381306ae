import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import type { FilesConfig } from '@parley/config';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { FileStoreFault, openFileStore } from '../src/index.ts';
import type { FileStore } from '../src/index.ts';

const bucket = 'parley-test';
let folder: string;
let server: S3rver;
const stores = new Map<string, FileStore>();

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  const configs: Record<string, FilesConfig> = {
    directory: { kind: 'directory', path: join(folder, 'files') },
    bucket: {
      kind: 'bucket',
      bucket,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: {
        accessKeyId: new Secret('S3RVER'),
        secretAccessKey: new Secret('S3RVER'),
      },
    },
  };
  for (const [name, config] of Object.entries(configs))
    stores.set(name, await openFileStore(config, systemClock));
});

afterAll(async () => {
  for (const store of stores.values()) store.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function newKey(): string {
  return `1/${randomBytes(1).toString('hex')}/${randomBytes(18).toString('base64url')}`;
}

function getStoreOf(name: string): FileStore {
  const store = stores.get(name);
  if (store === undefined) throw new Error(`no store ${name}`);
  return store;
}

describe.each(['directory', 'bucket'])('a %s', (name) => {
  const getStore = (): FileStore => getStoreOf(name);

  it.each([0, 1, 65_536, 12_000_001])('stores a file of %d bytes', async (size) => {
    const store = getStore();
    const key = newKey();
    const content = randomBytes(size);
    expect(await store.write(key, Readable.from([content], { objectMode: false }))).toBe(size);
    const found = await store.read(key);
    if (found === undefined) throw new Error('the file is missing');
    expect(found.sizeBytes).toBe(size);
    expect(content.equals(await buffer(found.content))).toBe(true);
  });

  it('returns a range, with the total size', async () => {
    const store = getStore();
    const key = newKey();
    await store.write(key, Readable.from([Buffer.from('0123456789')]));
    const found = await store.read(key, { first: 2, last: 4 });
    if (found === undefined) throw new Error('the file is missing');
    expect(found.sizeBytes).toBe(10);
    expect((await buffer(found.content)).toString()).toBe('234');
  });

  it('finds nothing before a write and after a removal', async () => {
    const store = getStore();
    const key = newKey();
    expect(await store.read(key)).toBeUndefined();
    await store.write(key, Readable.from([Buffer.from('x')]));
    await store.remove(key);
    expect(await store.read(key)).toBeUndefined();
    await store.remove(key);
  });

  it.each([0, 10, 6_000_000])(
    'leaves nothing if the content fails after %d bytes, and reports the cause',
    async (size) => {
      const store = getStore();
      const key = newKey();
      const failing = Readable.from(
        (async function* content() {
          yield Buffer.alloc(size);
          await Promise.resolve();
          throw new Error('the client hung up');
        })(),
      );
      await expect(store.write(key, failing)).rejects.toThrow('the client hung up');
      expect(await store.read(key)).toBeUndefined();
      // The key is free for another attempt.
      await store.write(key, Readable.from([Buffer.from('again')]));
      const again = await store.read(key);
      expect(again?.sizeBytes).toBe(5);
      again?.content.destroy();
    },
  );

  it('reads no faster than its reader, and stops when the reader does', async () => {
    const store = getStore();
    const key = newKey();
    const size = 20_000_000;
    await store.write(key, Readable.from([Buffer.alloc(size)], { objectMode: false }));
    const found = await store.read(key);
    if (found === undefined) throw new Error('the file is missing');
    await once(found.content, 'readable');
    expect(found.content.readableLength).toBeLessThan(1_000_000);
    found.content.destroy();
    await once(found.content, 'close');
  });

  it.each([
    '',
    '/',
    '..',
    '../x',
    'a/../b',
    'a//b',
    '/etc/passwd',
    'a\0b',
    'a/',
    'a b',
    'ä',
    'a\\b',
    '.',
    'a.b',
    'x'.repeat(101),
  ])('refuses the key %j', async (key) => {
    const store = getStore();
    await expect(store.read(key)).rejects.toThrow(TypeError);
    await expect(store.write(key, Readable.from([]))).rejects.toThrow(TypeError);
    await expect(store.remove(key)).rejects.toThrow(TypeError);
  });
});

describe('a directory', () => {
  it('removes leftovers of a killed writer', async () => {
    const path = join(folder, 'killed');
    const store = await openFileStore({ kind: 'directory', path }, systemClock);
    const key = newKey();
    const name = createHash('sha256').update(key).digest('hex');
    await writeFile(join(path, 'incoming', name), 'a part of it');
    expect(await store.read(key)).toBeUndefined();
    await store.remove(key);
    expect(await filesIn(path)).toEqual([]);
  });

  it('notices content that failed before it was read', async () => {
    const store = getStoreOf('directory');
    const content = new Readable({ read: () => undefined });
    content.destroy(new Error('the client hung up'));
    await expect(store.write(newKey(), content)).rejects.toThrow('the client hung up');
  });

  it('is refused if it is not writable', async () => {
    const path = join(folder, 'a-file');
    await writeFile(path, '');
    await expect(openFileStore({ kind: 'directory', path }, systemClock)).rejects.toThrow(
      FileStoreFault,
    );
  });
});

describe('a bucket', () => {
  it('that is unreachable is a failure of the store', async () => {
    const config: FilesConfig = {
      kind: 'bucket',
      bucket,
      endpoint: 'http://127.0.0.1:9',
      region: 'us-east-1',
      credentials: { accessKeyId: new Secret('x'), secretAccessKey: new Secret('y') },
    };
    const store = await openFileStore(config, systemClock);
    await expect(store.read('a')).rejects.toThrow(FileStoreFault);
    await expect(store.write('a', Readable.from([Buffer.from('x')]))).rejects.toThrow(
      FileStoreFault,
    );
    store.close();
  });
});
