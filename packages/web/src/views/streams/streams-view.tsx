import type { App } from '../../data/app.ts';

export function StreamsView({
  app,
  streamId,
}: {
  readonly app: App;
  readonly streamId: number | undefined;
}) {
  return <main>{streamId === undefined ? app.state.streams.value.size : streamId}</main>;
}
