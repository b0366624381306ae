/** Lines in a square of 22 units, drawn by the styles of `.icon`. */
const paths = {
  all: 'M4 5h14v10H9l-4 3.500V15H4z',
  attach:
    'M14 6.500 8 12.500a2 2 0 0 0 3 3l6.500-6.500a4 4 0 0 0-6-6L5 9.500a6 6 0 0 0 8.500 8.500L18 13.500',
  back: 'M18 11H4m6-6-6 6 6 6',
  bell: 'M6 15V10a5 5 0 0 1 10 0v5l1.500 2h-13zM9.500 19.500h3',
  check: 'm4 12 4.500 4.500L18 6',
  'chevron-down': 'm5 8 6 6 6-6',
  'chevron-right': 'm8 5 6 6-6 6',
  clock: 'M11 3a8 8 0 1 0 .01 0M11 6.500V11l3 2',
  close: 'm6 6 10 10M16 6 6 16',
  copy: 'M8 8h10v10H8zM14 8V4H4v10h4',
  draft: 'M4 18v-4L14 4l4 4L8 18zM12 6l4 4',
  edit: 'M4 18v-4L14 4l4 4L8 18zM12 6l4 4',
  emoji: 'M11 3a8 8 0 1 0 .01 0M8 9v.500M14 9v.500M7.500 13c2 2.500 5 2.500 7 0',
  globe: 'M11 3a8 8 0 1 0 .01 0M3 11h16M11 3c-5 5-5 11 0 16 5-5 5-11 0-16',
  hash: 'M9 3 7 19M15 3l-2 16M4 8h15M3 14h15',
  lock: 'M5 10h12v9H5zM7.500 10V7a3.500 3.500 0 0 1 7 0v3',
  mention:
    'M14.500 11a3.500 3.500 0 1 1-7 0 3.500 3.500 0 0 1 7 0v1.500a2 2 0 0 0 4 0V11a7.500 7.500 0 1 0-3 6',
  menu: 'M3 6h16M3 11h16M3 16h16',
  more: 'M11 5v.01M11 11v.01M11 17v.01',
  mute: 'M4 9v4h3l4 4V5L7 9zM15 9l4 4m0-4-4 4',
  newest: 'M11 4v13m-5-5 5 5 5-5',
  offline: 'M3 3l16 16M5 9a11 11 0 0 1 3-2M12 6a11 11 0 0 1 5 3M8 13a5 5 0 0 1 3-1.500M11 17v.01',
  people:
    'M8.500 10.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6M3 18c0-6 11-6 11 0M14 5a3 3 0 0 1 0 5.500M15.500 13c2.500.500 3.500 2.500 3.500 5',
  pin: 'M8 3h6l-.500 6 3 3h-11l3-3zM11 12v7',
  plus: 'M11 4v14M4 11h14',
  private: 'M3 5h16v11H3zM3 6l8 6 8-6',
  quote: 'M5 6h4v5l-2 4M13 6h4v5l-2 4',
  recent: 'M4 6h.01M8 6h11M4 11h.01M8 11h11M4 16h.01M8 16h11',
  reply: 'M9 5 4 10l5 5M4 10h8c4 0 6 2 6 7',
  search: 'M9.500 3.500a6 6 0 1 0 .01 0M14 14l5 5',
  send: 'M3 4l16 7-16 7 3-7zM6 11h7',
  settings:
    'M11 8a3 3 0 1 0 .01 0M11 2.500v2.500M11 17v2.500M2.500 11H5M17 11h2.500M5 5l1.800 1.800M15.200 15.200 17 17M17 5l-1.800 1.800M6.800 15.200 5 17',
  'sign-out': 'M9 4H4v14h5M8 11h11m-4-4 4 4-4 4',
  star: 'm11 3 2.500 5 5.500.800-4 3.900.900 5.500-4.900-2.600-4.900 2.600.900-5.500-4-3.900 5.500-.800z',
  'star-filled':
    'm11 3 2.500 5 5.500.800-4 3.900.900 5.500-4.900-2.600-4.900 2.600.900-5.500-4-3.900 5.500-.800z',
  trash: 'M4 6h14M8 6V3h6v3M6 6l1 13h8l1-13M9.500 10v5M12.500 10v5',
  warning: 'M11 3 2.500 18h17zM11 9v4M11 15.500v.01',
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
