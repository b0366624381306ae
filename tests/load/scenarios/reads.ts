import { openExpressHop } from '../controls/express-hop.ts';
import { Requesters } from '../requesters.ts';
import { writeAuthorization, writeGet } from '../requests.ts';
import type { FleetAccount } from '../fleet/protocol.ts';
import type { LoadSystem } from '../load-system.ts';
import type { LoadOptions } from '../load-options.ts';
import type { Rig } from '../rig.ts';
import type { Case, MeasuredScenario } from '../scenario.ts';
import { openPages, openReporting } from './reads-answers.ts';
import { openMarking, openRegistering, openRegisteringUnread } from './reads-state.ts';

const connections = 16;

/** Requests that only read, by closed-loop clients, and marking unread messages as read. */
export const readsScenario: MeasuredScenario = {
  name: 'reads',
  summary: 'cheap requests against a bare proxy, pages, presence, registering, marking as read',
  secs: 10,
  groups: (system, options) => [
    { name: 'a cheap endpoint', open: (rig) => openCheapEndpoint(system, options, rig) },
    // Before the groups that make more people: a register returns everybody.
    { name: 'register', open: (rig) => openRegistering(system, options, rig) },
    {
      name: 'register with unread',
      open: (rig) => openRegisteringUnread(system, options, rig),
    },
    { name: 'a page', open: (rig) => openPages(system, options, rig) },
    { name: 'presence', open: (rig) => openReporting(system, options, rig) },
    { name: 'mark all as read', open: (rig) => openMarking(system, options, rig) },
  ],
};

async function openCheapEndpoint(
  system: LoadSystem,
  options: LoadOptions,
  rig: Rig,
): Promise<readonly Case[]> {
  const url = system.urls[0] ?? '';
  const requesters = new Requesters(rig);
  const [uploader] = system.accounts;
  if (uploader === undefined) throw new Error('there is nobody to upload a file');
  const file = { text: 'What only the one who uploaded it may read.', uploader };
  const cases = [
    {
      name: 'GET over the link of a node',
      requests: system.accounts.map((account) => writeGet(url, '/api/v1/users/me', account)),
      expected: '"result":"success"',
    },
    {
      name: 'GET of a small file',
      requests: [writeGet(url, await uploadFile(url, file), uploader)],
      expected: file.text,
    },
  ].map(({ name, requests, expected }) =>
    requesters.caseOf(name, { url, requests, expected, connections }),
  );
  return [...cases, ...(options.controls ? await openExpressHop(rig, connections) : [])];
}

/** @returns the path of the file */
async function uploadFile(
  url: string,
  { text, uploader }: { readonly text: string; readonly uploader: FleetAccount },
): Promise<string> {
  const form = new FormData();
  form.set('file', new File([text], 'note.txt'));
  const response = await fetch(new URL('/api/v1/user_uploads', url), {
    method: 'POST',
    headers: { authorization: writeAuthorization(uploader) },
    body: form,
  });
  const answer = (await response.json()) as { readonly uri?: string };
  if (answer.uri === undefined) throw new Error(`the file was refused with ${response.status}`);
  return answer.uri;
}
