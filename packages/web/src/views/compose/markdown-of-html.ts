/** Rich text as Markdown. */
import { parseHtml } from '../parts/rendered-html.tsx';

/** What inline elements have around them. */
const marks: Readonly<Record<string, string>> = {
  B: '**',
  STRONG: '**',
  EM: '*',
  I: '*',
  DEL: '~~',
  S: '~~',
  STRIKE: '~~',
  CODE: '`',
};

const unseen = new Set(['HEAD', 'META', 'SCRIPT', 'STYLE', 'TEMPLATE', 'TITLE']);

function surround(mark: string, text: string): string {
  const inner = text.trim();
  // Marks are marks only beside what is no white space.
  return inner === '' ? text : text.replace(inner, () => `${mark}${inner}${mark}`);
}

function prefixLines(text: string, first: string, further: string): string {
  return text
    .trim()
    .split('\n')
    .map((line, index) => (index === 0 ? first : further) + line)
    .join('\n');
}

function listOf(element: Element): string {
  const isNumbered = element.tagName === 'OL';
  return [...element.children]
    .map((item, index) =>
      ['UL', 'OL'].includes(item.tagName)
        ? prefixLines(listOf(item), '  ', '  ')
        : prefixLines(
            inside(item).replaceAll(/\n{2,}/g, '\n'),
            isNumbered ? `${index + 1}. ` : '* ',
            '  ',
          ),
    )
    .join('\n');
}

function tableOf(table: Element): string {
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) =>
      inside(cell)
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|'),
    ),
  );
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function linkOf(element: Element): string {
  const text = inside(element);
  const href = element.getAttribute('href') ?? '';
  if (!/^(?:https?:|mailto:)/i.test(href) || text.trim() === '') return text;
  return text.trim() === href ? href : `[${text.trim().replaceAll(/[[\]]/g, '')}](${href})`;
}

function paragraph(text: string): string {
  return `\n\n${text.trim()}\n\n`;
}

function ofElement(element: Element): string {
  const { tagName } = element;
  if (unseen.has(tagName)) return '';
  const mark = marks[tagName];
  if (mark !== undefined) return surround(mark, inside(element));
  switch (tagName) {
    case 'A':
      return linkOf(element);
    case 'BR':
      return '\n';
    case 'IMG':
      return element.classList.contains('emoji') ? (element.getAttribute('alt') ?? '') : '';
    case 'PRE':
      return paragraph(`\`\`\`\n${element.textContent.replace(/\n$/, '')}\n\`\`\``);
    case 'UL':
    case 'OL':
      return paragraph(listOf(element));
    case 'TABLE':
      return paragraph(tableOf(element));
    case 'BLOCKQUOTE':
      return paragraph(prefixLines(inside(element).replaceAll(/\n{3,}/g, '\n\n'), '> ', '> '));
    case 'H1':
    case 'H2':
    case 'H3':
    case 'H4':
    case 'H5':
    case 'H6':
      return paragraph(`${'#'.repeat(Number(tagName[1]))} ${inside(element).trim()}`);
    case 'P':
      return paragraph(inside(element));
    case 'DIV':
    case 'SECTION':
    case 'ARTICLE':
      return `\n${inside(element)}\n`;
    default:
      return inside(element);
  }
}

function inside(parent: Node): string {
  return [...parent.childNodes]
    .map((node) => {
      if (node instanceof Element) return ofElement(node);
      return node.nodeType === Node.TEXT_NODE
        ? (node.textContent ?? '').replaceAll(/\s+/g, ' ')
        : '';
    })
    .join('');
}

/** The page's policy reports styles as soon as they are parsed. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/<style\b[^]*?<\/style>/gi, '')
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
      tag.replaceAll(/\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/gi, ''),
    );
}

/** Some programs put everything into one that is drawn plainly. */
const plainBold = /<b\b[^>]*font-weight:\s*(?:normal|400)[^>]*>/gi;

/** @returns what Markdown has a syntax for; the rest is plain text */
export function markdownOf(html: string): string {
  return inside(parseHtml(withoutStyles(html.replaceAll(plainBold, '<span>'))))
    .replaceAll(/[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
