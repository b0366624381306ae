/** @returns 128 random bits as hexadecimal digits; `crypto.randomUUID` is missing where a page came by plain HTTP */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
