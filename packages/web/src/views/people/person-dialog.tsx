import type { App } from '../../data/app.ts';
import { lazy } from '../lazy.tsx';
import { shownPerson } from './shown-person.ts';

const PersonCard = lazy(async () => (await import('./person-card.tsx')).PersonCard);

/** The card of the person that `shownPerson` names. */
export function PersonDialog({ app }: { readonly app: App }) {
  const id = shownPerson.value;
  const person = id === undefined ? undefined : app.state.people.value.get(id);
  return person === undefined ? null : <PersonCard key={id} app={app} person={person} />;
}
