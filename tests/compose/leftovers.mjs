// What an interrupted run leaves in the engine. Everything carries the run's name.

import { spawnSync } from 'node:child_process';

const prefix = 'parley-test-';
const project = '{{.Label "com.docker.compose.project"}}';

const kinds = [
  {
    list: ['ps', '--all', '--format', `{{.ID}} ${project}`],
    remove: ['rm', '--force', '--volumes'],
  },
  { list: ['network', 'ls', '--format', `{{.ID}} ${project}`], remove: ['network', 'rm'] },
  { list: ['volume', 'ls', '--format', `{{.Name}} ${project}`], remove: ['volume', 'rm'] },
  {
    list: ['image', 'ls', '--format', '{{.Repository}}:{{.Tag}} {{.Repository}}'],
    // Not by force, which takes only the name from an image that is still used, so that no later run finds it.
    remove: ['image', 'rm'],
  },
];

/** The beginning of the names of everything that a run makes. */
export const nameFor = (run) => `${prefix}${run}`;

/**
 * Removes containers, networks, volumes and images. Does nothing without an engine.
 *
 * @param {(name: string) => boolean} isOf whether a run is meant, by a text that begins with its name
 */
export function removeMade(isOf) {
  for (const { list, remove } of kinds) {
    const { stdout } = spawnSync('docker', list, { encoding: 'utf8' });
    const made = (stdout ?? '')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, name]) => name?.startsWith(prefix) && isOf(name.slice(prefix.length)));
    if (made.length > 0)
      spawnSync('docker', [...remove, ...made.map(([id]) => id)], { stdio: 'ignore' });
  }
}
