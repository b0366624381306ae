import { interfaceDocument } from '@parley/api/interface-document';
import { AnswerSchemas } from '@parley/api/openapi';
import { parleyVersion } from '@parley/server';

import { BadAnswer, isJsonObject } from './answer-checks.ts';
import type { JsonObject } from './answer-checks.ts';
import { OperationPaths } from './operation-paths.ts';

/** Compares answers with the OpenAPI document: status, headers, content type, and every member of JSON. */

export type SeenAnswer = {
  readonly method: string;
  /** As in the request, with or without a query. */
  readonly path: string;
  /** The method in the form of a POST, if it has one. */
  readonly namedMethod?: string | undefined;
  readonly status: number;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if unknown; it may be left empty for other content than JSON. */
  readonly text: string | undefined;
};

/** The place of a schema in the document. */
type Place = { readonly pointer: string; readonly value: JsonObject };

/** The declaration of the response with a status, if there is one. */
type Responses = (status: string) => Place | undefined;

/** Pages of the gateway for people are not part of the interface, and SCIM describes itself. */
const pages =
  /^\/(?:api\/(?:docs(?:\/|$)|v1\/openapi\.json$)|dev\/mails$|sso\/[^/]+\/(?:start|callback)$|scim\/v2(?:\/|\?|$))/;

/** Neither are the files of the web client, all of which have this header, on any path that is no endpoint's. */
const webClientHeader = 'cross-origin-opener-policy';

/** Refusals of an unreadable or too large request, before its path is known. */
const unreadableStatuses = ['400', '408', '417', '431'];

/** Prefixes of paths that clients add when they treat the server as a proxy. */
const absoluteForm = /^https?:\/\/[^/]*/i;

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

const changingMethods = ['PATCH', 'PUT', 'DELETE'];

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function contentTypeOf(headers: SeenAnswer['headers']): string | undefined {
  const value = headers['content-type'];
  return typeof value === 'string' ? value.split(';')[0]?.trim().toLowerCase() : undefined;
}

export class AnswerDocument {
  readonly #document: JsonObject;
  readonly #schemas: AnswerSchemas;
  readonly #paths: OperationPaths;
  readonly #places = new Map<string, Place>();

  /** @param document OpenAPI 3.1 */
  constructor(document: JsonObject) {
    this.#document = document;
    this.#schemas = new AnswerSchemas(document);
    this.#paths = new OperationPaths(document['paths'] as Readonly<Record<string, JsonObject>>);
  }

  /**
   * @throws BadAnswer with operation, place and value of the first deviation from the document
   */
  check(answer: SeenAnswer): void {
    const path = (answer.path.split('?')[0] ?? '').replace(absoluteForm, '');
    if (pages.test(path)) return;
    if (answer.headers[webClientHeader] !== undefined && this.#paths.find(path).length === 0)
      return;
    let first: string | undefined;
    for (const responses of this.#responsesFor(answer, path)) {
      const fault = this.#findFault(answer, responses);
      if (fault === undefined) return;
      first ??= fault;
    }
    const { method, status } = answer;
    throw new BadAnswer(
      `${method} ${path} ${status} is not what the document says: ${first}; ${(answer.text ?? '').slice(0, 300)}`,
    );
  }

  /**
   * Checks a message of a stream of Server-Sent Events.
   *
   * @param address path of the request, with or without a query
   * @throws BadAnswer as for `check`
   */
  checkStreamed(
    address: string,
    message: { readonly event?: string; readonly data: string },
  ): void {
    const path = address.split('?')[0] ?? '';
    const [operation] = this.#operationsOf('GET', path, undefined);
    if (operation === undefined) throw new BadAnswer(`no operation streams ${path}`);
    const data: unknown = JSON.parse(message.data);
    const fault =
      message.event === 'error'
        ? this.#findRefusalFault(operation, data)
        : this.#schemas.checkAt(`${operation.pointer}/responses/200/x-parley-event`)(data);
    if (fault !== undefined)
      throw new BadAnswer(`a message of ${path} is not what the document says: ${fault}`);
  }

  /**
   * Checks an event, from a poll or a stream.
   *
   * @throws BadAnswer with place and value of the first deviation from the document
   */
  checkEvent(event: unknown): void {
    const fault = this.#schemas.checkAt('/components/schemas/Event')(event);
    if (fault !== undefined)
      throw new BadAnswer(`an event is not what the document says: ${fault}`);
  }

  /** A refusal within a stream may have any status. */
  #findRefusalFault(operation: Place, data: unknown): string | undefined {
    const responses = this.#within(operation, 'responses');
    const faults = Object.keys(responses.value)
      .filter((status) => Number(status) >= 400)
      .map((status) => this.#findJsonFault(this.#within(responses, status), data));
    return faults.includes(undefined) ? undefined : faults[0];
  }

  #operationsOf(method: string, path: string, namedMethod: string | undefined): Place[] {
    return this.#paths.find(path).flatMap(({ template, item }) =>
      [method, ...(namedMethod === undefined ? [] : [namedMethod])].flatMap((one) => {
        const isAny = item['x-parley-any-method'] === true;
        const key = isAny ? 'post' : one === 'HEAD' ? 'get' : one.toLowerCase();
        const value = item[key];
        return isJsonObject(value)
          ? [{ pointer: `/paths/${escaped(template)}/${key}`, value }]
          : [];
      }),
    );
  }

  /** The possible responses of an answer: those of an operation, or one of those for all paths. */
  #responsesFor({ method, namedMethod }: SeenAnswer, path: string): Responses[] {
    const matches = this.#paths.find(path);
    const shared =
      (status: string, name: string): Responses =>
      (given) =>
        given === status ? this.#at(`/components/responses/${name}`) : undefined;
    const anywhere = [
      ...unreadableStatuses.map((status) => shared(status, 'Unreadable')),
      shared('403', 'OtherOrigin'),
    ];
    if (matches.length === 0) return [shared('404', 'NotFound'), ...anywhere];
    // Whether a text in the path changes the endpoint is known where the path is served.
    const misfits = matches.some(({ template }) => template.includes('{'))
      ? [shared('404', 'NotFound')]
      : [];
    if (method === 'OPTIONS') return [shared('204', 'Options'), ...misfits, ...anywhere];
    if (!knownMethods.has(method))
      return [shared('405', 'MethodNotAllowed'), ...misfits, ...anywhere];
    const operations = this.#operationsOf(method, path, namedMethod);
    if (operations.length === 0) {
      // The form of a POST may name any method of the path, so POST is admitted first.
      const others = method === 'POST' ? changingMethods : [];
      return [
        shared('405', 'MethodNotAllowed'),
        ...others
          .flatMap((other) => this.#operationsOf(other, path, undefined))
          .map((operation) => this.#responsesOf(operation, 400)),
        ...misfits,
        ...anywhere,
      ];
    }
    // The form of a POST may name a method that the path does not have.
    const named = method === 'POST' ? [shared('405', 'MethodNotAllowed')] : [];
    return [...operations.map((operation) => this.#responsesOf(operation)), ...named, ...anywhere];
  }

  #responsesOf(operation: Place, statusMin = 0): Responses {
    const responses = this.#within(operation, 'responses');
    return (status) =>
      Number(status) >= statusMin && Object.hasOwn(responses.value, status)
        ? this.#within(responses, status)
        : undefined;
  }

  #findFault(answer: SeenAnswer, responses: Responses): string | undefined {
    const { headers, method, status, text } = answer;
    if (status === 500) return 'the server failed';
    const response = responses(String(status));
    if (response === undefined) return `status ${status} is not declared`;
    const missing = this.#findMissingHeader(response, headers);
    if (missing !== undefined) return `header ${missing} is missing`;
    const content = response.value['content'];
    if (method === 'HEAD' || text === undefined) return undefined;
    if (!isJsonObject(content)) return text === '' ? undefined : 'a body is not declared';
    const type = contentTypeOf(headers);
    const declared = Object.keys(content).find(
      (one) => one === '*/*' || one === type || type?.startsWith(one.replace('*', '')) === true,
    );
    if (declared === undefined) return `content type ${type} is not declared`;
    if (declared !== 'application/json') return undefined;
    let data: unknown;
    try {
      data = JSON.parse(text);
    } catch (error) {
      return `the body is no JSON: ${(error as Error).message}`;
    }
    return this.#findJsonFault(response, data);
  }

  #findMissingHeader(response: Place, headers: SeenAnswer['headers']): string | undefined {
    const declared = response.value['headers'];
    if (!isJsonObject(declared)) return undefined;
    const all = this.#within(response, 'headers');
    return Object.keys(declared).find(
      (name) =>
        this.#within(all, name).value['required'] === true &&
        headers[name.toLowerCase()] === undefined,
    );
  }

  /** In a union of refusals, the one with the answer's code is checked, because its fault says more than that of the union. */
  #findJsonFault(response: Place, data: unknown): string | undefined {
    const content = response.value['content'];
    const media = isJsonObject(content) ? content['application/json'] : undefined;
    if (!isJsonObject(media)) return 'JSON is not declared';
    const schema = this.#within(
      this.#within(this.#within(response, 'content'), 'application/json'),
      'schema',
    );
    const branches = schema.value['anyOf'];
    if (!Array.isArray(branches)) return this.#schemas.checkAt(schema.pointer)(data);
    const code = isJsonObject(data) ? data['code'] : undefined;
    const meant = branches
      .map((_branch, index) => this.#within(this.#within(schema, 'anyOf'), String(index)))
      .filter((branch) => codesOf(branch.value).includes(code));
    const faults = meant.map((branch) => this.#schemas.checkAt(branch.pointer)(data));
    if (faults.length === 0) return `code ${String(code)} is not declared`;
    return faults.includes(undefined) ? undefined : faults[0];
  }

  #at(pointer: string): Place {
    const known = this.#places.get(pointer);
    if (known !== undefined) return known;
    const found = this.#lookUp(pointer);
    this.#places.set(pointer, found);
    return found;
  }

  #lookUp(pointer: string): Place {
    const value = pointer
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (at, key) =>
          isJsonObject(at) || Array.isArray(at)
            ? (at as JsonObject)[key.replaceAll('~1', '/').replaceAll('~0', '~')]
            : undefined,
        this.#document,
      );
    if (!isJsonObject(value) && !Array.isArray(value))
      throw new Error(`the document has nothing at ${pointer}`);
    const reference = isJsonObject(value) ? value['$ref'] : undefined;
    return typeof reference === 'string'
      ? this.#at(reference.slice(1))
      : { pointer, value: value as JsonObject };
  }

  #within(place: Place, key: string): Place {
    return this.#at(`${place.pointer}/${escaped(key)}`);
  }
}

/** The codes in the schema of a refusal; undefined for none. */
function codesOf(schema: JsonObject): unknown[] {
  const { anyOf, properties } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((branch) => codesOf(branch as JsonObject));
  const code = isJsonObject(properties) ? properties['code'] : undefined;
  return [isJsonObject(code) ? code['const'] : undefined];
}

/** @returns the method in a form, urlencoded or multipart, which replaces the method of a POST */
export function namedMethodIn(form: string): string | undefined {
  const [, plain, inPart] =
    /(?:^|&)method=([A-Za-z]+)|name="method"\r\n\r\n([A-Za-z]+)/.exec(form) ?? [];
  return plain ?? inPart;
}

let made: AnswerDocument | undefined;

/** The document of this repository, created once for each process. */
export function answerDocument(): AnswerDocument {
  made ??= new AnswerDocument(interfaceDocument(parleyVersion));
  return made;
}
