/** Widgets that messages request by the first word of their text. */

const commands = new Set(['/poll', '/todo', '/tictactoe']);
// The ends of lines in the reference.
const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const listMark = /^[-*]?\s*/;

type Poll = { readonly question: string; readonly options: readonly string[] };

function pollOf(text: string): Poll {
  const [question = '', ...lines] = text.split(lineEnd).map((line) => line.trim());
  const options = lines.map((line) => line.replace(listMark, '')).filter((option) => option !== '');
  return { question, options };
}

/**
 * Finds the widget of a text (reference facts, messages 16).
 *
 * @param content the text in its stored form
 * @returns the content of its submessage
 */
export function findTextWidget(content: string): string | undefined {
  const [command = ''] = content.split(' ', 1);
  if (!commands.has(command)) return undefined;
  return JSON.stringify({
    widget_type: command.slice(1),
    extra_data: command === '/poll' ? pollOf(content.slice(command.length)) : null,
  });
}
