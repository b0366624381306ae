import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/**
 * More about one thing of a list; it is made when it is first opened.
 *
 * @param props.about which of them, for those who do not see where it stands
 */
export function Disclosure({
  label,
  about,
  content,
}: {
  readonly label: string;
  readonly about?: string;
  readonly content: () => ComponentChildren;
}) {
  const isOpen = useSignal(false);
  return (
    <details
      class="disclosure"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary {...(about === undefined ? {} : { 'aria-label': `${label}: ${about}` })}>
        {label}
      </summary>
      {isOpen.value && <div class="disclosure-content">{content()}</div>}
    </details>
  );
}
