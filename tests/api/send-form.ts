/** Sends multipart forms with files like clients, and fetches pictures like browsers. */
import type { JsonObject } from '@parley/test-kit';

import type { PersonKey, SmallOrganization } from './small-organization.ts';

/** A GIF that claims 65,535 by 65,535 pixels but contains one. */
export const hugePicture = Buffer.from(
  '474946383961ffffffff800000000000ffffff2c00000000ffffffff0002024401003b',
  'hex',
);

export type FormAnswer = { readonly status: number; readonly body: JsonObject };

/** Sends a form with fields and these files, whose parts have arbitrary names. */
export async function sendForm(
  organization: SmallOrganization,
  who: PersonKey | undefined,
  path: string,
  files: readonly (Buffer | string)[],
  fields: Readonly<Record<string, string>> = {},
): Promise<FormAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [n, content] of files.entries())
    form.append(`/tmp/part ${n}`, new Blob([new Uint8Array(Buffer.from(content))]), `a${n}.exe`);
  const headers: Record<string, string> = {};
  if (who !== undefined) {
    const { user, apiKey } = organization.accounts[who];
    headers['authorization'] = `Basic ${Buffer.from(`${user.email}:${apiKey}`).toString('base64')}`;
  }
  const { gatewayUrls } = organization.cluster;
  const answer = await fetch(new URL(`/api/v1/${path}`, gatewayUrls[0]), {
    method: 'POST',
    body: form,
    headers,
  });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

export type Fetched = {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Buffer;
};

/** Fetches a public address without credentials. */
export async function fetchAnonymously(
  organization: SmallOrganization,
  path: string,
  method = 'GET',
): Promise<Fetched> {
  const answer = await fetch(new URL(path, organization.cluster.gatewayUrls[0]), { method });
  return {
    status: answer.status,
    headers: answer.headers,
    content: Buffer.from(await answer.arrayBuffer()),
  };
}
