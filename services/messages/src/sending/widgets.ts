/** The submessage that a message brings along: a widget, asked for by the text's first word or by `widget_content`. */
import { checkWidgetContent } from './check-widget.ts';

/** The submessage of a widget, without an id. */
export type WidgetSubmessage = { readonly msg_type: 'widget'; readonly content: string };

const commands = new Set(['/poll', '/todo', '/tictactoe']);
// What the reference counts as the end of a line.
const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const listMark = /^[-*]?\s*/;

type Poll = { readonly question: string; readonly options: readonly string[] };

function pollOf(text: string): Poll {
  const [question = '', ...lines] = text.split(lineEnd).map((line) => line.trim());
  const options = lines.map((line) => line.replace(listMark, '')).filter((option) => option !== '');
  return { question, options };
}

function findCommand(content: string): string | undefined {
  const [command = ''] = content.split(' ', 1);
  if (!commands.has(command)) return undefined;
  return JSON.stringify({
    widget_type: command.slice(1),
    extra_data: command === '/poll' ? pollOf(content.slice(command.length)) : null,
  });
}

/**
 * Finds the widget of a message (reference facts, messages 16).
 *
 * @param content the text as it is stored
 * @param widgetContent the request's, which goes before the text
 * @throws ApiError that begins with `Widgets: `
 */
export function findWidget(
  content: string,
  widgetContent: string | undefined,
): WidgetSubmessage | undefined {
  const widget =
    widgetContent === undefined ? findCommand(content) : checkWidgetContent(widgetContent);
  return widget === undefined ? undefined : { msg_type: 'widget', content: widget };
}
