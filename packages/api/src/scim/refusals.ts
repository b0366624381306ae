/** Refusals of SCIM (RFC 7644, 3.12). */
import { withoutCode } from '../errors.ts';
import type { ApiError } from '../errors.ts';

/** Where SCIM is, below the root of the server. */
export const scimRoot = '/scim/v2';

export const scimContentType = 'application/scim+json';

/** What SCIM calls the reasons of a refusal. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** @returns whether a path is one of SCIM, known or not */
export function isScimPath(path: string): boolean {
  return path === scimRoot || path.startsWith(`${scimRoot}/`);
}

/** A refusal that only SCIM makes. */
export function scimRefusal(status: number, detail: string, scimType?: ScimType): ApiError {
  return withoutCode(detail, status, scimType === undefined ? {} : { scimType });
}

/** @returns the JSON text of any refusal in the form of SCIM; a 400 of another part of the server is of a value */
export function scimRefusalText({ status, message, fields }: ApiError): string {
  const scimType = fields['scimType'] ?? (status === 400 ? 'invalidValue' : undefined);
  return JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  });
}
