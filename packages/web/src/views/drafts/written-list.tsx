/** Lists of what was written and not sent yet: drafts, and what the server sends later. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import type { Conversation } from '../../data/narrow.ts';
import { nameOfConversation } from '../parts/names.ts';
import { Blank } from '../parts/blank.tsx';
import { formatMoment } from '../parts/time.ts';
import { FailureNote, useAttempt } from '../parts/attempt.tsx';

type WrittenListProps = {
  readonly title: string;
  /** Said where there is nothing. */
  readonly none: string;
  readonly hint: string;
  readonly children: readonly ComponentChild[];
};

export function WrittenList({ title, none, hint, children }: WrittenListProps) {
  const titleId = useId();
  return (
    <section class="written-list" aria-labelledby={titleId}>
      <h1 id={titleId}>{title}</h1>
      {children.length === 0 ? <Blank title={none} hint={hint} /> : <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

/** @param props.actions what can be done with it, by what the buttons say */
export function WrittenItem({
  app,
  conversation,
  at,
  actions,
  children,
}: {
  readonly app: App;
  readonly conversation: Conversation;
  /** When it was written last, or is sent. */
  readonly at: Date;
  readonly actions: readonly (readonly [label: string, run: () => Promise<void> | void])[];
  readonly children: ComponentChildren;
}) {
  const { isRunning, failure, run } = useAttempt();
  const name = nameOfConversation(app.state, conversation);
  return (
    <article aria-label={name}>
      <header class="row">
        <strong>{name}</strong> <time>{formatMoment(at, app.state.settings.value)}</time>
      </header>
      {children}
      <div class="row">
        {actions.map(([label, act]) => (
          <button
            key={label}
            type="button"
            disabled={isRunning}
            onClick={() => void run(async () => act())}
          >
            {label}
          </button>
        ))}
      </div>
      <FailureNote failure={failure} />
    </article>
  );
}
