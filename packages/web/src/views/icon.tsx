const star =
  'm11 3 2.500 5 5.500.800-4 3.900.900 5.500-4.900-2.600-4.900 2.600.900-5.500-4-3.900 5.500-.800z';

const list = 'M4 6h.01M8 6h11M4 11h.01M8 11h11M4 16h.01M8 16h11';

/** Lines in a square of 22 units, drawn by the styles of `.icon`. */
const paths = {
  all: 'M4 5h14v10H9l-4 3.500V15H4z',
  attach:
    'M14 6.500 8 12.500a2 2 0 0 0 3 3l6.500-6.500a4 4 0 0 0-6-6L5 9.500a6 6 0 0 0 8.500 8.500L18 13.500',
  bold: 'M7 4v14h5a3.500 3.500 0 0 0 0-7.500H7h4.500a3 3 0 0 0 0-6.500z',
  'chevron-right': 'm8 5 6 6-6 6',
  clock: 'M11 3a8 8 0 1 0 .01 0M11 6.500V11l3 2',
  close: 'm6 6 10 10M16 6 6 16',
  code: 'm7 6-5 5 5 5M15 6l5 5-5 5',
  draft: 'M4 18v-4L14 4l4 4L8 18zM12 6l4 4',
  emoji: 'M11 3a8 8 0 1 0 .01 0M8 9v.500M14 9v.500M7.500 13c2 2.500 5 2.500 7 0',
  hash: 'M9 3 7 19M15 3l-2 16M4 8h15M3 14h15',
  inbox: 'M3 12 6 4h10l3 8v6H3zM3 12h5l1.500 2.500h3L14 12h5',
  italic: 'M9 4h7M6 18h7M12.500 4l-3 14',
  link: 'M9 13a3.500 3.500 0 0 0 5 0l3-3a3.500 3.500 0 0 0-5-5l-1 1M13 9a3.500 3.500 0 0 0-5 0l-3 3a3.500 3.500 0 0 0 5 5l1-1',
  list,
  lock: 'M5 10h12v9H5zM7.500 10V7a3.500 3.500 0 0 1 7 0v3',
  mention:
    'M14.500 11a3.500 3.500 0 1 1-7 0 3.500 3.500 0 0 1 7 0v1.500a2 2 0 0 0 4 0V11a7.500 7.500 0 1 0-3 6',
  menu: 'M3 6h16M3 11h16M3 16h16',
  more: 'M11 5v.01M11 11v.01M11 17v.01',
  newest: 'M11 4v13m-5-5 5 5 5-5',
  offline: 'M3 3l16 16M5 9a11 11 0 0 1 3-2M12 6a11 11 0 0 1 5 3M8 13a5 5 0 0 1 3-1.500M11 17v.01',
  people:
    'M8.500 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6M3 18c0-6 11-6 11 0M14 5a3 3 0 0 1 0 5.500M15.500 13c2.500.500 3.500 2.500 3.500 5',
  pin: 'M8 3h6l-.500 6 3 3h-11l3-3zM11 12v7',
  plus: 'M11 4v14M4 11h14',
  private: 'M3 5h16v11H3zM3 6l8 6 8-6',
  quote: 'M5 6h4v5l-2 4M13 6h4v5l-2 4',
  read: 'm4 12 4.500 4.500L18 6',
  recent: list,
  search: 'M9.500 3.500a6 6 0 1 0 .01 0M14 14l5 5',
  spoiler: 'M2.500 11c4-6 13-6 17 0-4 6-13 6-17 0M4 18 18 4',
  star,
  'star-filled': star,
  strike:
    'M3 11h16M15 6.500c-2-3.500-8-2.500-8 1 0 2 2 3 4 3.500M7 15.500c2 3.500 8 2.500 8-1 0-1.500-1-2.500-2-3.500',
} as const;

export type IconName = keyof typeof paths;

/** A picture beside a text, or in a button with a label: it says nothing to screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" data-icon={name} viewBox="0 0 22 22" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
