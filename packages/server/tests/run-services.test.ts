import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

function pathOf(main: string): string {
  return fileURLToPath(new URL(main, import.meta.url));
}

const environment = {
  DATABASE_URL: 'postgres://nobody:PasswordOfStore@127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  PARLEY_INTERNAL_SECRET: 'InternalSecretInternalSecretInternal',
  PARLEY_KEY_SECRET: 'KeySecretKeySecretKeySecretKeySecret',
};

// The start of a process of Node takes a second alone, and many seconds on a machine that runs all tests at once.
const processStartMs = 60_000;

function run(env: Record<string, string>, main = 'sample-main.ts') {
  const child = spawn(process.execPath, [pathOf(main)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  return { child, output: () => output };
}

describe('runServices', { timeout: 2 * processStartMs }, () => {
  it('serves until SIGTERM and then ends with status 0, printing no secret', async () => {
    const { child, output } = run(environment);
    await expect.poll(output, { timeout: processStartMs }).toContain('"listening"');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expect(output()).toContain('"stopped"');
    expect(output()).not.toMatch(/PasswordOfStore|InternalSecret|KeySecret/);
  });

  it('reports every configuration error in one line and ends with status 1', async () => {
    const { child, output } = run({
      ...environment,
      PARLEY_PORT: 'x',
      PARLEY_KEY_SECRET: 'KeySecret',
    });
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    const lines = output().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'fatal',
      faults: [
        expect.stringContaining('PARLEY_KEY_SECRET'),
        expect.stringContaining('PARLEY_PORT'),
      ],
    });
    expect(output()).not.toMatch(/PasswordOfStore|InternalSecret|KeySecret"/);
  });

  it('ends with status 1 if one of several services cannot start, although another still waits', async () => {
    const { child, output } = run(environment, 'sample-pair-main.ts');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    const lines = output().trim().split('\n');
    expect(output()).toContain('"waits"');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      level: 'fatal',
      service: 'messages+people',
      err: { message: 'no place for files' },
    });
  });
});
