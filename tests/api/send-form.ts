/** Sends multipart forms with files like clients, and fetches pictures like browsers. */
import { RefusedRequest } from '@parley/test-kit';
import type { ApiClient, JsonObject, Method } from '@parley/test-kit';

import type { PersonKey, SmallOrganization } from './small-organization.ts';

/** A GIF that claims 65,535 by 65,535 pixels but contains one. */
export const hugePicture = Buffer.from(
  '474946383961ffffffff800000000000ffffff2c00000000ffffffff0002024401003b',
  'hex',
);

export type FormAnswer = { readonly status: number; readonly body: JsonObject };

type FormOptions = {
  readonly method?: Method;
  readonly fields?: Readonly<Record<string, string>>;
};

async function post(
  client: ApiClient,
  path: string,
  files: readonly (Buffer | string)[],
  { method = 'POST', fields = {} }: FormOptions,
): Promise<FormAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [n, content] of files.entries())
    form.append(`/tmp/part ${n}`, new Blob([new Uint8Array(Buffer.from(content))]), `a${n}.exe`);
  const url = new URL(`/api/v1/${path}`, client.urls[0]);
  const answer = await fetch(url, { method, body: form, headers: client.credentials });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

/**
 * Sends a form with fields and these files, whose parts have arbitrary names.
 *
 * @returns the body of the answer
 * @throws RefusedRequest if the server refuses it
 */
export async function sendFiles(
  client: ApiClient,
  path: string,
  files: readonly (Buffer | string)[],
  options: FormOptions = {},
): Promise<JsonObject> {
  const { status, body } = await post(client, path, files, options);
  if (status !== 200)
    throw new RefusedRequest(options.method ?? 'POST', path, { status, headers: {}, body });
  return body;
}

/** Sends a form with fields and files, successfully or not. */
export function sendForm(
  organization: SmallOrganization,
  who: PersonKey | undefined,
  path: string,
  files: readonly (Buffer | string)[],
  fields: Readonly<Record<string, string>> = {},
): Promise<FormAnswer> {
  return post(organization.client(who), path, files, { fields });
}

type Fetched = {
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
