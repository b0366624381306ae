import type { App } from '../../data/app.ts';
import { findDestinations } from '../../data/destinations.ts';
import { texts } from '../../texts.ts';
import { DestinationMark } from '../finder/destination-mark.tsx';
import { PlaceList } from './place-list.tsx';

const foundMax = 30;

/** The places that a name means, the best first. */
export function FoundPlaces({ app, text }: { readonly app: App; readonly text: string }) {
  const found = findDestinations(app, text, foundMax);
  return (
    <>
      <p role="status" class={found.length === 0 ? 'hint' : 'visually-hidden'}>
        {texts.places.found(found.length)}
      </p>
      <PlaceList
        app={app}
        entries={found.map((destination) => ({
          place: destination.place,
          mark: <DestinationMark app={app} destination={destination} />,
          name: destination.name,
          detail: destination.detail,
          count: destination.unreadCount,
        }))}
      />
    </>
  );
}
