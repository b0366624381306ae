/** What differs between a browser's page and a program of its own. */

function pageOrigin(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly origin?: unknown } };
  return typeof location?.origin === 'string' ? location.origin : undefined;
}

/** Browsers name themselves, and ask the server before they send a header that a page made up. */
export function isInBrowser(): boolean {
  return pageOrigin() !== undefined;
}

/** Whether requests to the server go to another origin, which accepts no further headers of a page. */
export function isOtherOrigin(root: string): boolean {
  const origin = pageOrigin();
  return origin !== undefined && origin !== new URL(root).origin;
}
