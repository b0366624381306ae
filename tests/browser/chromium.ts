/** The built client, and the browser that it is tried in. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { repositoryFolder } from '@parley/test-kit';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const browserPath = '/usr/bin/chromium';

/** Where the built client is. */
export const builtFolder = join(repositoryFolder, 'packages', 'web', 'dist');

let building: Promise<unknown> | undefined;

/** Builds the client, if its sources changed since the last time. Files of tests that share a process ask once. */
export async function buildClient(): Promise<void> {
  building ??= promisify(execFile)(process.execPath, [
    join(repositoryFolder, 'scripts', 'build.mjs'),
  ]);
  await building;
}

/**
 * Starts Debian's Chromium.
 *
 * @param args further arguments
 * @throws Error if it is not installed
 */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (!existsSync(browserPath))
    throw new Error(
      `There is no ${browserPath}: \`apt-get install --no-install-recommends chromium\` installs it.`,
    );
  // Chromium's sandbox does not run as root, which continuous integration uses.
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', ...args] });
}
