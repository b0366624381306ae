/** What formats a text that is being written: buttons and keys. */
import { fenceAround } from '../../data/message-actions.ts';
import { texts } from '../../texts.ts';
import type { IconName } from '../icon.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import type { WrittenText } from './written-text.ts';

type Format = {
  readonly name: keyof typeof texts.compose.format & IconName;
  /** With Ctrl. */
  readonly key?: string;
  readonly apply: (field: WrittenText) => void;
};

const around =
  (before: string, after = before) =>
  (field: WrittenText): void =>
    field.surround(before, after);

const beforeLines =
  (mark: string) =>
  (field: WrittenText): void =>
    field.beginLines(mark);

/** Under a header, with a fence that they cannot end. */
function hide(field: WrittenText): void {
  const fence = fenceAround(field.selected());
  field.surroundByLines(`${fence}spoiler ${texts.compose.header}`, fence);
}

const formats: readonly Format[] = [
  { name: 'bold', key: 'b', apply: around('**') },
  { name: 'italic', key: 'i', apply: around('*') },
  { name: 'strike', apply: around('~~') },
  { name: 'code', apply: around('`') },
  { name: 'link', key: 'Shift+l', apply: around('[', '](url)') },
  { name: 'list', apply: beforeLines('* ') },
  { name: 'quote', apply: beforeLines('> ') },
  { name: 'spoiler', apply: hide },
];

/** @returns whether the key formats the text */
export function formatByKey(event: KeyboardEvent, field: WrittenText): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const pressed = `${event.shiftKey ? 'Shift+' : ''}${event.key.toLowerCase()}`;
  const format = formats.find(({ key }) => key === pressed);
  if (format === undefined) return false;
  event.preventDefault();
  format.apply(field);
  return true;
}

/** Tab stops once for all of them, arrows move. */
function moveInToolbar({ key, target }: KeyboardEvent): void {
  if (!(target instanceof Element)) return;
  const { nextElementSibling, previousElementSibling } = target;
  const next = { ArrowRight: nextElementSibling, ArrowLeft: previousElementSibling }[key];
  if (next instanceof HTMLElement) next.focus();
}

/** A button for each format. */
export function FormatButtons({ field }: { readonly field: WrittenText }) {
  return (
    <div
      class="compose-formats"
      role="toolbar"
      aria-label={texts.compose.formatting}
      onKeyDown={moveInToolbar}
    >
      {formats.map(({ name, apply }, index) => (
        <IconButton
          key={name}
          icon={name}
          label={texts.compose.format[name]}
          tabIndex={index === 0 ? 0 : -1}
          onClick={() => apply(field)}
        />
      ))}
    </div>
  );
}
