/** The submessage that comes with a message: a widget, requested by the text's first word or by `widget_content`. */
import { findTextWidget } from '@parley/composing';

import { checkWidgetContent } from './check-widget.ts';

/** The submessage of a widget, without an id. */
export type WidgetSubmessage = { readonly msg_type: 'widget'; readonly content: string };

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
    widgetContent === undefined ? findTextWidget(content) : checkWidgetContent(widgetContent);
  return widget === undefined ? undefined : { msg_type: 'widget', content: widget };
}
