/** What is pasted into a text: an address makes a link of what is selected, and rich text comes as Markdown. */
import type { WrittenText } from './written-text.ts';

const address = /^(?:https?:\/\/|mailto:)\S+$/;

/** Elements that Markdown has a syntax for. Programs give HTML for plain text, too, which stays as the program gives it as text. */
const isRich = /<(?:a|b|blockquote|code|del|em|h[1-6]|i|li|pre|s|strong|table)[\s>]/i;

export function pasteInto(field: WrittenText, event: ClipboardEvent): void {
  const { clipboardData } = event;
  const plain = clipboardData?.getData('text/plain') ?? '';
  const html = clipboardData?.getData('text/html') ?? '';
  const selected = field.selected();
  if (address.test(plain.trim()) && /^[^\n[\]]+$/.test(selected) && !address.test(selected)) {
    event.preventDefault();
    field.insert(`[${selected}](${plain.trim()})`);
  } else if (plain !== '' && isRich.test(html)) {
    event.preventDefault();
    void import('./markdown-of-html.ts').then(
      ({ markdownOf }) => field.insert(markdownOf(html)),
      () => field.insert(plain),
    );
  }
}
