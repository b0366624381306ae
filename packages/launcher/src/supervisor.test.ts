import { expect, test } from 'vitest';

import { LaunchFault } from './launch-fault.ts';
import { Supervisor } from './supervisor.ts';
import type { Running } from './supervisor.ts';

type Fake = Running & { die: (how: string) => void };

function fakeProcess(pid: number): Fake {
  const exited = Promise.withResolvers<string>();
  return {
    pid,
    port: 1,
    exited: exited.promise,
    lastLines: [`last words of ${pid}`],
    stop: () => {
      exited.resolve('was asked to');
      return Promise.resolve();
    },
    die: exited.resolve,
  };
}

function superviseFakes() {
  const started: Fake[] = [];
  const givenUp = Promise.withResolvers<LaunchFault>();
  let onStart = Promise.withResolvers<Fake>();
  const supervisor = new Supervisor({
    name: 'messages',
    start: () => {
      const fake = fakeProcess(started.length + 1);
      started.push(fake);
      onStart.resolve(fake);
      onStart = Promise.withResolvers<Fake>();
      return Promise.resolve(fake);
    },
    say: () => undefined,
    giveUp: givenUp.resolve,
  });
  return { supervisor, started, givenUp: givenUp.promise, nextStart: () => onStart.promise };
}

test('a dead process is started again', async () => {
  const { supervisor, started, nextStart } = superviseFakes();
  await supervisor.start(true);
  const again = nextStart();
  started[0]?.die('was ended by SIGKILL');
  expect((await again).pid).toBe(2);
  await supervisor.stop();
});

test('the fifth death within a minute is final, and its last output is reported', async () => {
  const { supervisor, started, givenUp, nextStart } = superviseFakes();
  let running: Fake | undefined;
  await supervisor.start(true);
  running = started[0];
  for (let death = 1; death < 5; death += 1) {
    const again = nextStart();
    running?.die('ended with code 1');
    running = await again;
  }
  running?.die('ended with code 7');
  const fault = await givenUp;
  expect(fault).toBeInstanceOf(LaunchFault);
  expect(fault.message).toContain('messages died 5 times within a minute');
  expect(fault.message).toContain('ended with code 7');
  expect(fault.message).toContain('last words of 5');
  expect(started).toHaveLength(5);
});

test('a stopped process is not started again', async () => {
  const { supervisor, started } = superviseFakes();
  await supervisor.start(true);
  await supervisor.stop();
  await started[0]?.exited;
  expect(started).toHaveLength(1);
});

test('a failed first start is thrown at once if it must not be repeated', async () => {
  const supervisor = new Supervisor({
    name: 'Postgres',
    start: () => Promise.reject(new LaunchFault('the machine is at fault')),
    say: () => undefined,
    giveUp: () => undefined,
  });
  await expect(supervisor.start(false)).rejects.toThrow('the machine is at fault');
});
