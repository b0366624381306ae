import { limits, withoutCode } from '@parley/api';
import { isLinkifierPattern } from '@parley/markdown';

/** The rules for linkifiers (reference facts, people 12). */

const blank = 'This field cannot be blank.';
const invalidPattern = 'Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-].';
const patternTaken = 'Realm filter with this Realm and Pattern already exists.';
const invalidUrl = 'Enter a valid URL.';
const invalidFormat = 'Invalid URL format string.';

const format = /^(?:[A-Za-z0-9./:#_?=&;-]+%\([A-Za-z0-9_-]+\)s)+[A-Za-z0-9/#_?=&;-]*$/;

const label = String.raw`[a-z0-9\u00A1-\uFFFF](?:[a-z0-9\u00A1-\uFFFF-]{0,61}[a-z0-9\u00A1-\uFFFF])?`;
const host = new RegExp(String.raw`^(?:${label}\.)*${label}$`, 'i');
const topLevel = /^(?:[a-z\u00A1-\uFFFF-]{2,63}|xn--[a-z0-9]{1,59})$/i;
const urlParts =
  /^(?:https?|ftps?):\/\/(?:[^\s:@/]+(?::[^\s:@/]*)?@)?([^\s:@/?#]+)(?::\d{2,5})?(?:[/?#]\S*)?$/i;
const ipAddress = /^(?:(?:25[0-5]|2[0-4]\d|[01]?\d?\d)(?:\.|$)){4}/;

/** @returns whether a text is an address of the web or of files; only its host matters */
function isUrl(text: string): boolean {
  const name = urlParts.exec(text)?.[1];
  if (name === undefined) return false;
  if (name.toLowerCase() === 'localhost' || ipAddress.test(name)) return true;
  const last = name.slice(name.lastIndexOf('.') + 1);
  return name.includes('.') && host.test(name) && topLevel.test(last);
}

function patternFaults(pattern: string): string[] {
  if (pattern === '') return [blank];
  const isTooLong = Array.from(pattern).length > limits.linkifierPatternMaxCodePoints;
  return isTooLong || !isLinkifierPattern(pattern) ? [invalidPattern] : [];
}

function urlFaults(urlFormat: string): string[] {
  if (urlFormat === '') return [blank];
  const isTooLong = urlFormat.length > limits.linkifierUrlMaxCodePoints;
  if (isTooLong) return [invalidUrl];
  return [
    ...(isUrl(urlFormat) ? [] : [invalidUrl]),
    ...(format.test(urlFormat) ? [] : [invalidFormat]),
  ];
}

/**
 * Refuses an invalid linkifier, with all faults by field.
 *
 * @param linkifier trimmed
 * @param isTaken whether the organization has the pattern already
 * @throws ApiError without code, with `errors`
 */
export function checkLinkifier(
  linkifier: { readonly pattern: string; readonly urlFormat: string },
  isTaken: boolean,
): void {
  const pattern = patternFaults(linkifier.pattern);
  const found = {
    pattern,
    url_format_string: urlFaults(linkifier.urlFormat),
    __all__: isTaken && pattern.length === 0 ? [patternTaken] : [],
  };
  const errors = Object.fromEntries(Object.entries(found).filter(([, texts]) => texts.length > 0));
  const [first] = Object.values(errors).flat();
  if (first !== undefined) throw withoutCode(first, 400, { errors });
}
