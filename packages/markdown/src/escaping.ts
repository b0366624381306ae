/** An ampersand before the form of an entity stays, whether the name exists or not. */
const loneAmpersand = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;
const needsTextEscape = /[&<>]/;
const needsAttributeEscape = /[&<>"]/;
const codeEscapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text between tags (reference facts, markdown 1.2): quotes stay. */
export function escapeText(text: string): string {
  if (!needsTextEscape.test(text)) return text;
  return text.replaceAll(loneAmpersand, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The value of an attribute in double quotes (reference facts, markdown 1.2). */
export function escapeAttribute(value: string): string {
  if (!needsAttributeEscape.test(value)) return value;
  return escapeText(value).replaceAll('"', '&quot;');
}

/** Text of a code block, where everything is escaped (reference facts, markdown 1.2). */
export function escapeCode(code: string): string {
  return code.replaceAll(/[&<>"']/g, (character) => codeEscapes[character] ?? character);
}
