import { badRequest, makeCheck, limits } from '@parley/api';

const checkExtraData = makeCheck({
  type: 'object',
  properties: {
    type: { type: 'string' },
    heading: { type: 'string' },
    choices: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          short_name: { type: 'string' },
          long_name: { type: 'string' },
          reply: { type: 'string' },
        },
        required: ['short_name', 'long_name', 'reply'],
      },
    },
  },
  required: ['type', 'heading', 'choices'],
});

function refuse(reason: string): Error {
  return badRequest(`Widgets: ${reason}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('API programmer sent invalid JSON content');
  }
}

function write(widget: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(widget);
  } catch {
    // It nests too deeply to be serialized, so no client could show it.
    throw refuse('API programmer sent invalid JSON content');
  }
}

/**
 * Checks the text of `widget_content` (reference facts, messages 16). Members beyond the form's own are kept.
 *
 * @returns the content of the widget's submessage
 * @throws ApiError with a text that begins with `Widgets: `
 */
export function checkWidgetContent(text: string): string {
  if (
    text.length > 2 * limits.widgetContentMaxCodePoints ||
    Array.from(text).length > limits.widgetContentMaxCodePoints
  )
    throw refuse(
      `widget_content is too long (limit: ${limits.widgetContentMaxCodePoints} characters)`,
    );
  const widget = parse(text);
  if (!isObject(widget)) throw refuse('widget_content is not a dict');
  const { widget_type: type, extra_data: extraData } = widget;
  if (type === undefined) throw refuse('widget_type is not in widget_content');
  if (extraData === undefined) throw refuse('extra_data is not in widget_content');
  if (!isObject(extraData)) throw refuse('extra_data is not a dict');
  if (typeof type !== 'string') throw refuse('widget_type is not a string');
  if (type !== 'zform') throw refuse(`unknown widget type: ${type}`);
  const { type: form } = extraData;
  if (form === undefined) throw refuse('zform is missing type field');
  if (typeof form !== 'string') throw refuse('extra_data["type"] is not a string');
  if (form !== 'choices') throw refuse(`unknown zform type: ${form}`);
  try {
    checkExtraData({ '': extraData }, 'extra_data');
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'extra_data is not a dict');
  }
  return write({ widget_type: type, extra_data: extraData });
}
