/** Answers of SCIM (RFC 7644, 3.4 and 3.9). */
import { scimContentType, scimRefusal } from '@parley/api/scim';
import { schemas } from '@parley/api/scim-language';
import { noStoreHeaders, rawAnswer } from '@parley/server';
import type { RawAnswer } from '@parley/server';

export type ScimResource = Readonly<Record<string, unknown>> & {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly meta: Readonly<Record<'location' | 'resourceType', string>> & {
    readonly created?: string;
  };
};

/** @param body an object of SCIM */
export function scimAnswer(
  body: Readonly<Record<string, unknown>>,
  { status = 200, location }: { readonly status?: number; readonly location?: string } = {},
): RawAnswer {
  const headers = {
    ...noStoreHeaders(),
    'Content-Type': scimContentType,
    ...(location !== undefined && { Location: location }),
  };
  return rawAnswer(status, headers, JSON.stringify(body));
}

/** Which attributes a client wants. */
export type Projection = {
  readonly attributes: ReadonlySet<string> | undefined;
  readonly excluded: ReadonlySet<string>;
};

/** The name without its schema, in lower case. */
function nameOf(given: string): string {
  return given
    .slice(given.lastIndexOf(':') + 1)
    .trim()
    .toLowerCase();
}

/** @param given names; a part of an attribute brings the whole of it, and excluding a part excludes nothing */
export function projectionOf(given: {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}): Projection {
  return {
    attributes:
      given.attributes.length === 0
        ? undefined
        : new Set(given.attributes.map((name) => nameOf(name).replace(/\..*$/, ''))),
    excluded: new Set(given.excluded.map(nameOf)),
  };
}

/** These are in every answer. */
const always: ReadonlySet<string> = new Set(['schemas', 'id']);

/** @returns whether a client wants an attribute, in lower case */
export function isWanted({ attributes, excluded }: Projection, name: string): boolean {
  if (always.has(name)) return true;
  return attributes === undefined ? !excluded.has(name) : attributes.has(name);
}

export function project(
  resource: ScimResource,
  projection: Projection,
): Readonly<Record<string, unknown>> {
  const members = Object.entries(resource).filter(([name]) =>
    isWanted(projection, name.toLowerCase()),
  );
  return Object.fromEntries(members);
}

export function listAnswer(list: {
  readonly total: number;
  /** From 1. */
  readonly startIndex: number;
  readonly resources: readonly object[];
}): RawAnswer {
  return scimAnswer({
    schemas: [schemas.list],
    totalResults: list.total,
    startIndex: list.startIndex,
    itemsPerPage: list.resources.length,
    Resources: list.resources,
  });
}

const jsonTypes: ReadonlySet<string> = new Set([scimContentType, 'application/json']);

/** @throws ApiError 415 for a body that is labelled as something else */
export function checkContentType(header: string | undefined): void {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!jsonTypes.has(type))
    throw scimRefusal(415, `The Content-Type of a body is ${scimContentType}.`);
}

/** @throws ApiError 404 */
export function getExisting<Found>(found: Found | undefined, what: string, id: number): Found {
  if (found === undefined) throw scimRefusal(404, `There is no ${what} ${id}.`);
  return found;
}

/** The answer with a resource, and its address. */
export function resourceAnswer(
  resource: ScimResource,
  projection: Projection,
  status: number,
): RawAnswer {
  return scimAnswer(project(resource, projection), {
    status,
    location: resource.meta.location,
  });
}
