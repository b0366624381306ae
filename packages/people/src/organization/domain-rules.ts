import { withoutCode } from '@parley/api';

/** The rules for domains of addresses (reference facts, people 14.2). */

/** RFC 1035. */
const domainMaxLength = 253;

function faultOf(domain: string): string | undefined {
  if (domain === '') return "Domain can't be empty.";
  if (!domain.includes('.')) return 'Domain must have at least one dot (.)';
  if (domain.startsWith('.') || domain.endsWith('.'))
    return 'Domain cannot start or end with a dot (.)';
  for (const part of domain.split('.')) {
    if (part === '') return "Consecutive '.' are not allowed.";
    if (part.startsWith('-') || part.endsWith('-'))
      return "Subdomains cannot start or end with a '-'.";
    if (!/^[a-z0-9-]*$/.test(part)) return "Domain can only have letters, numbers, '.' and '-'s.";
  }
  return domain.length > domainMaxLength ? 'Domain is too long' : undefined;
}

/** @returns the canonical spelling of a domain */
export function canonicalDomain(written: string): string {
  return written.trim().toLowerCase();
}

/**
 * @returns the domain in its canonical spelling
 * @throws ApiError without code for an invalid domain
 */
export function checkDomain(written: string): string {
  const domain = canonicalDomain(written);
  const fault = faultOf(domain);
  if (fault !== undefined) throw withoutCode(`Invalid domain: ${fault}`);
  return domain;
}
