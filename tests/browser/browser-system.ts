/** A real system with two event nodes that serves the built client, a small organization in it, and Chromium. */
import type { Stream } from '@parley/store';
import { makeOrganization, startSystem } from '@parley/test-kit';
import type { Cluster, SystemOptions, TestAccount, TestOrganization } from '@parley/test-kit';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';

import { buildClient, builtFolder, sharedBrowser } from './chromium.ts';
import { expectShown, Visitor } from './visitor.ts';

/** Ann is an administrator with a password, Bob and Cat are members, the guest is in the stream `general` alone. */
export type BrowserSystem = {
  readonly cluster: Cluster;
  readonly organization: TestOrganization;
  readonly browser: Browser;
  readonly ann: TestAccount;
  readonly bob: TestAccount;
  readonly cat: TestAccount;
  readonly guest: TestAccount;
  /** Everybody is in it. */
  readonly general: Stream;
  /** A private stream of Ann and Bob. */
  readonly crew: Stream;
};

export const annPassword = 'the harbour at night';

async function start(options: SystemOptions): Promise<BrowserSystem> {
  await buildClient();
  const cluster = await startSystem({
    time: 'flows',
    events: 2,
    ...options,
    environment: { PARLEY_WEB_DIR: builtFolder, ...options.environment },
  });
  const organization = await makeOrganization(cluster);
  const ann = await organization.makeAccount('Ann Lee', {
    role: 'administrator',
    password: annPassword,
  });
  const bob = await organization.makeAccount('Bob Ray');
  const cat = await organization.makeAccount('Cat Moe');
  const guest = await organization.makeAccount('Gus Guest', { role: 'guest' });
  return {
    cluster,
    organization,
    ann,
    bob,
    cat,
    guest,
    general: await organization.makeStream('general', [ann, bob, cat, guest]),
    crew: await organization.makeStream('crew', [ann, bob], { inviteOnly: true }),
    browser: await sharedBrowser(),
  };
}

/** A system for all tests of a file, and windows that are closed after each of them. */
export type BrowserTests = {
  readonly system: () => BrowserSystem;
  /** Opens a window with a profile of its own. */
  readonly visit: (options?: BrowserContextOptions) => Promise<Visitor>;
  /** Opens a window at a place with a heading, signed in. */
  readonly open: (account: TestAccount, fragment: string) => Promise<Visitor>;
};

/**
 * Call it once in a file of tests. After each test no window may have reported an error, a violation of the page's policy, a request to another
 * host or a failed answer.
 */
export function startBrowserTests(options: SystemOptions = {}): BrowserTests {
  let started: BrowserSystem | undefined;
  let visitors: Visitor[] = [];
  const system = (): BrowserSystem => {
    if (started === undefined) throw new Error('the system is started before the tests');
    return started;
  };
  beforeAll(async () => {
    started = await start(options);
  });
  afterEach(async ({ task }) => {
    const closing = visitors;
    visitors = [];
    try {
      if (task.result?.state === 'fail')
        for (const [index, visitor] of closing.entries())
          await visitor.takePictures(`${task.name.replaceAll(/\W+/g, '-')}-${index}`);
      for (const visitor of closing) visitor.expectNoFaults();
    } finally {
      for (const visitor of closing) await visitor.close();
    }
  });
  afterAll(async () => {
    if (started === undefined) return;
    await started.organization.close();
    await started.cluster.stop();
  });
  const visit = async (contextOptions?: BrowserContextOptions): Promise<Visitor> => {
    const { browser, cluster } = system();
    const visitor = await Visitor.open(browser, cluster.url, contextOptions);
    visitors.push(visitor);
    return visitor;
  };
  return {
    system,
    visit,
    async open(account, fragment) {
      const visitor = await visit();
      await visitor.enter(account, fragment);
      await expectShown(visitor.page.getByRole('heading', { level: 1 }).first());
      return visitor;
    },
  };
}

/** Sends a message to a topic of a stream, and returns its id. */
export async function sendTo(
  sender: TestAccount,
  stream: Stream,
  topic: string,
  content: string,
): Promise<number> {
  const { id } = await sender.typed.request('POST /messages', {
    type: 'stream',
    to: String(stream.id),
    topic,
    content,
  });
  if (id === undefined) throw new Error('a message that is sent at once has an id');
  return id;
}

/** A picture in PNG. */
export const pngPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP8z4APMOGVHbHSAEEsAROxCnMTAAAAAElFTkSuQmCC',
  'base64',
);
