/** The submessage that comes with a message: a widget, requested by the text's first word or by `widget_content`. */
import { checkWidgetContent } from './check-widget.ts';

/** The submessage of a widget, without an id. */
export type WidgetSubmessage = { readonly msg_type: 'widget'; readonly content: string };

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
 * @param content the text in its stored form
 * @param widgetContent of the request, which has priority over the text
 * @throws ApiError with a text that begins with `Widgets: `
 */
export function findWidget(
  content: string,
  widgetContent: string | undefined,
): WidgetSubmessage | undefined {
  const widget =
    widgetContent === undefined ? findCommand(content) : checkWidgetContent(widgetContent);
  return widget === undefined ? undefined : { msg_type: 'widget', content: widget };
}
