/** The differences between a page in a browser and a separate program. */

function pageOrigin(): string | undefined {
  const { location } = globalThis as { readonly location?: { readonly origin?: unknown } };
  return typeof location?.origin === 'string' ? location.origin : undefined;
}

/** Browsers set their own name, and ask the server before they send a header of a page. */
export function isInBrowser(): boolean {
  return pageOrigin() !== undefined;
}

/** Whether requests to the server go to another origin, which accepts no further headers from a page. */
export function isOtherOrigin(root: string): boolean {
  const origin = pageOrigin();
  return origin !== undefined && origin !== new URL(root).origin;
}
