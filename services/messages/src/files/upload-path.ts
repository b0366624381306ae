export const uploadsPrefix = '/user_uploads/';

/** The part of a path that identifies the content for good: files never change. */
export function entityTagOf(pathId: string): string {
  return `"${pathId.split('/')[2] ?? ''}"`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Finds the path of a file in an address from a message, resolved as by a browser.
 *
 * @param address relative, with or without a leading slash, or absolute with either scheme, because a bare host becomes an `http:` link
 * @param publicUrl of the organization, without a slash at the end
 * @returns the uri without `/user_uploads/`; undefined for any other address
 */
export function findUploadPath(address: string, publicUrl: string): string | undefined {
  const target = URL.parse(address, `${publicUrl}/`);
  const isOwn = target !== null && target.host === new URL(publicUrl).host;
  return isOwn && target.pathname.startsWith(uploadsPrefix)
    ? decodePath(target.pathname.slice(uploadsPrefix.length))
    : undefined;
}
