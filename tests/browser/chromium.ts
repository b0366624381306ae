/** The built client, and the browser that it is tried in. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { repositoryFolder } from '@parley/test-kit';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const browserPath = '/usr/bin/chromium';

const disabledFeatures = [
  // Each window would have two more processes for what the address field suggests, which take as much time as the page itself.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Chromium takes one list only, so these are Playwright's.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

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

let shared: Promise<Browser> | undefined;

/** The browser of all files of tests that share a process, which ends with that; windows with different profiles do not see each other. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
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
  return chromium.launch({
    executablePath: browserPath,
    args: [
      // Chromium's sandbox does not run as root, which continuous integration uses.
      '--no-sandbox',
      `--disable-features=${disabledFeatures.join(',')}`,
      ...args,
    ],
  });
}
