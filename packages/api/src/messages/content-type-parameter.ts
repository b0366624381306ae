/** @returns the type of a file in its plain form, or undefined for an invalid text */
export function parseContentType(text: string): string | undefined {
  const type = (text.split(';')[0] ?? '').trim().toLowerCase();
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : undefined;
}
