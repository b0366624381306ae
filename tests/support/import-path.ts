/** The way from nothing to an import, as docs/import describes it for each form of operation. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { largeArchiveReader, largeFileBytes } from '../history-import/large-archive.ts';

const page = fileURLToPath(new URL('../../docs/import/README.md', import.meta.url));

/** @returns the blocks of commands below a heading of the page */
export async function readImportCommands(heading: string): Promise<readonly string[]> {
  const text = await readFile(page, 'utf8');
  const begin = text.indexOf(`\n### ${heading}\n`);
  assert.ok(begin >= 0, `docs/import has the part "${heading}"`);
  const section = text.slice(begin + 1, text.indexOf('\n### ', begin + 1));
  return Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block);
}

/** Signs in with the password that the commands printed, and reads what was imported. */
export async function checkImported(gateway: string, output: string): Promise<void> {
  const [, password = ''] = /^Password: (\S+)$/m.exec(output) ?? [];
  assert.ok(password, `the commands print a password:\n${output}`);
  assert.match(output, /would be imported\. Nothing was kept/);
  assert.match(output, /Bakery: \d+ people, \d+ streams, \d+ messages are imported/);
  const call = async (path: string, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(`${gateway}${path}`, init);
    assert.equal(answer.status, 200, `${path} answers ${answer.status}`);
    return answer;
  };
  const signedIn = (await (
    await call('/api/v1/fetch_api_key', {
      method: 'POST',
      body: new URLSearchParams({ username: largeArchiveReader, password }),
    })
  ).json()) as { api_key: string };
  const credentials = Buffer.from(`${largeArchiveReader}:${signedIn.api_key}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}` };
  const query = 'anchor=newest&num_before=1&num_after=0&apply_markdown=false';
  const { messages } = (await (await call(`/api/v1/messages?${query}`, { headers })).json()) as {
    messages: { content: string }[];
  };
  const path = /\/user_uploads\/[^)]+/.exec(messages[0]?.content ?? '')?.[0] ?? '';
  const file = await (await call(path, { headers })).arrayBuffer();
  assert.equal(file.byteLength, largeFileBytes);
}
