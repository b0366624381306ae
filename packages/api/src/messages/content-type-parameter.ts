/** @returns the type of a file in its plain form, or undefined for a text that is none */
export function parseContentType(text: string): string | undefined {
  const type = (text.split(';')[0] ?? '').trim().toLowerCase();
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : undefined;
}
