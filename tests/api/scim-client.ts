/** A program that keeps accounts and groups by SCIM, as identity providers do. */
import type { JsonObject } from '@parley/test-kit';

import type { SmallOrganization } from './small-organization.ts';

export type ScimAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
};

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

/** The body of a refusal. */
export function scimError(status: number, detail: unknown, scimType?: string): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
  };
}

export type SendOptions = {
  readonly contentType?: string;
  readonly authorization?: string;
};

export class ScimClient {
  readonly #urls: readonly string[];
  readonly token: string;
  #turn = 0;

  constructor(urls: readonly string[], token: string) {
    this.#urls = urls;
    this.token = token;
  }

  /** Makes a token as an administrator does. */
  static async open(organization: SmallOrganization, name = 'test'): Promise<ScimClient> {
    const { token } = await organization.client('ann').post('scim_tokens', {
      name,
      password: 'ann-secret',
    });
    return new ScimClient(organization.gatewayUrls, token as string);
  }

  /** Sends to the gateways in turn. `body` is JSON, or a text as it is. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    options: SendOptions = {},
  ): Promise<ScimAnswer> {
    this.#turn += 1;
    const url = this.#urls[this.#turn % this.#urls.length] ?? '';
    const { contentType = 'application/scim+json', authorization = `Bearer ${this.token}` } =
      options;
    const response = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: {
        ...(authorization !== '' && { authorization }),
        ...(body !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type');
    if (text !== '' && type !== 'application/scim+json')
      throw new Error(`${method} ${path} answered ${type}: ${text}`);
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as JsonObject),
    };
  }

  async get(path: string): Promise<ScimAnswer> {
    return this.send('GET', path);
  }

  async patch(path: string, ...operations: readonly unknown[]): Promise<ScimAnswer> {
    return this.send('PATCH', path, { schemas: [patchSchema], Operations: operations });
  }

  /** @returns the resources that a filter finds */
  async find(kind: 'Users' | 'Groups', filter: string): Promise<JsonObject[]> {
    const { status, body } = await this.get(`/${kind}?filter=${encodeURIComponent(filter)}`);
    if (status !== 200) throw new Error(`${filter}: ${JSON.stringify(body)}`);
    return body['Resources'] as JsonObject[];
  }

  /** @returns a new person */
  async createUser(
    userName: string,
    displayName: string,
    more: JsonObject = {},
  ): Promise<JsonObject & { readonly id: string }> {
    const given = { schemas: [userSchema], userName, displayName, ...more };
    const { status, body } = await this.send('POST', '/Users', given);
    if (status !== 201) throw new Error(`${userName}: ${JSON.stringify(body)}`);
    return { ...body, id: String(body['id']) };
  }
}
