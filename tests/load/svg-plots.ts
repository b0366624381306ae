import type { DistributionPoint, Spread } from './summary.ts';
import { roundFigure } from './summary.ts';

const width = 720;
const colours = [
  '#3366aa',
  '#cc5533',
  '#339966',
  '#8855bb',
  '#bb8822',
  '#338899',
  '#993355',
  '#667744',
  '#555577',
  '#aa7766',
] as const;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function colourOf(index: number): string {
  return colours[index % colours.length] ?? '#000000';
}

function text(x: number, y: number, content: string, anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeHtml(content)}</text>`;
}

function svg(height: number, title: string, content: string): string {
  return `<figure><figcaption>${escapeHtml(title)}</figcaption><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">${content}</svg></figure>`;
}

export type Bar = { readonly label: string; readonly spread: Spread; readonly isControl: boolean };

/** A bar for each case, to its median, with a line from its minimum to its maximum. */
export function plotBars(title: string, bars: readonly Bar[]): string {
  const rowHeight = 22;
  const left = 330;
  const right = width - 70;
  const most = Math.max(...bars.map(({ spread }) => spread.max), Number.MIN_VALUE);
  const scale = (value: number): number => left + (value / most) * (right - left);
  const rows = bars.map(({ label, spread, isControl }, index) => {
    const top = index * rowHeight + 4;
    const middle = top + rowHeight / 2 - 2;
    return [
      text(left - 8, middle + 4, label, 'end'),
      `<rect x="${left}" y="${top}" width="${(scale(spread.median) - left).toFixed(1)}" height="${rowHeight - 6}" fill="${isControl ? '#999999' : colourOf(0)}"/>`,
      `<line x1="${scale(spread.min).toFixed(1)}" x2="${scale(spread.max).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="#222222" stroke-width="2"/>`,
      text(
        Math.max(scale(spread.median), scale(spread.max)) + 6,
        middle + 4,
        String(roundFigure(spread.median)),
      ),
    ].join('');
  });
  return svg(bars.length * rowHeight + 8, title, rows.join(''));
}

export type Stack = {
  readonly label: string;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
};

/** A bar for each case, made of the shares of its parts. */
export function plotStacks(title: string, stacks: readonly Stack[]): string {
  const rowHeight = 22;
  const left = 330;
  const right = width - 70;
  const names = [...new Set(stacks.flatMap(({ parts }) => parts.map(({ name }) => name)))];
  const total = ({ parts }: Stack): number => parts.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(...stacks.map(total), Number.MIN_VALUE);
  const rows = stacks.map((stack, index) => {
    const top = index * rowHeight + 4;
    let x = left;
    const rects = stack.parts.map(({ name, value }) => {
      const from = x;
      x += (value / most) * (right - left);
      return `<rect x="${from.toFixed(1)}" y="${top}" width="${(x - from).toFixed(1)}" height="${rowHeight - 6}" fill="${colourOf(names.indexOf(name))}"><title>${escapeHtml(name)} ${roundFigure(value)}</title></rect>`;
    });
    return [
      text(left - 8, top + 13, stack.label, 'end'),
      ...rects,
      text(x + 6, top + 13, String(roundFigure(total(stack)))),
    ].join('');
  });
  const legendTop = stacks.length * rowHeight + 20;
  const legend = names.map((name, index) => {
    const x = (index % 6) * 118;
    const y = legendTop + Math.floor(index / 6) * 18;
    return `<rect x="${x}" y="${y - 10}" width="11" height="11" fill="${colourOf(index)}"/>${text(x + 16, y, name)}`;
  });
  return svg(legendTop + Math.ceil(names.length / 6) * 18, title, rows.join('') + legend.join(''));
}

export type Curve = { readonly label: string; readonly points: readonly DistributionPoint[] };

const shownPercentiles = [0, 50, 90, 99, 99.9, 99.99] as const;

/** Times over percentiles, both scaled so that long times are visible: higher nines to the right, times by powers of ten. */
export function plotDistributions(title: string, curves: readonly Curve[]): string {
  const height = 260;
  const left = 60;
  const right = width - 20;
  const bottom = height - 30;
  const top = 10;
  const farthest = 4;
  const x = (percentile: number): number =>
    left +
    (Math.min(farthest, percentile >= 100 ? farthest : -Math.log10(1 - percentile / 100)) /
      farthest) *
      (right - left);
  const values = curves.flatMap(({ points }) => points.map(([, ms]) => ms)).filter((ms) => ms > 0);
  const low = Math.floor(Math.log10(Math.min(...values, 1)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 0.01))));
  const y = (ms: number): number =>
    bottom - ((Math.log10(Math.max(ms, 10 ** low)) - low) / (high - low)) * (bottom - top);
  const grid = [
    ...Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n)).map(
      (ms) =>
        `<line x1="${left}" x2="${right}" y1="${y(ms).toFixed(1)}" y2="${y(ms).toFixed(1)}" stroke="#dddddd"/>${text(left - 6, y(ms) + 4, `${roundFigure(ms)} ms`, 'end')}`,
    ),
    ...shownPercentiles.map(
      (percentile) =>
        `<line x1="${x(percentile).toFixed(1)}" x2="${x(percentile).toFixed(1)}" y1="${top}" y2="${bottom}" stroke="#eeeeee"/>${text(x(percentile), bottom + 16, `p${percentile}`, 'middle')}`,
    ),
  ];
  const lines = curves.map(({ points }, index) => {
    const path = points.map(
      ([percentile, ms]) => `${x(percentile).toFixed(1)},${y(ms).toFixed(1)}`,
    );
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${colourOf(index)}" stroke-width="1.5"/>`;
  });
  const legend = curves.map(
    ({ label }, index) =>
      `<rect x="0" y="${height + index * 18}" width="11" height="11" fill="${colourOf(index)}"/>${text(16, height + 10 + index * 18, label)}`,
  );
  return svg(height + curves.length * 18 + 4, title, [...grid, ...lines, ...legend].join(''));
}
