import { spawn } from 'node:child_process';

/** The programs that open an address in the browser which a person uses; everywhere else `xdg-open`. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/**
 * Opens an address in the person's browser. Its program goes on by itself.
 *
 * @param url what to open
 * @param onFailure hears that there is no program for it
 */
export function openInBrowser(url: string, onFailure: () => void): void {
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  opener.once('error', onFailure);
  opener.unref();
}
