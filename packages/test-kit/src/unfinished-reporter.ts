import { relative } from 'node:path';

import type { Reporter, TestModule } from 'vitest/node';

/** Names the files that had begun when a run was ended from outside: what is not finished has failed. */
export default class UnfinishedReporter implements Reporter {
  readonly #begun = new Set<string>();

  onInit(): void {
    process.once('exit', () => {
      for (const file of this.#begun) process.stderr.write(`FAILED ${file}: not finished\n`);
    });
  }

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#begun.add(relative(process.cwd(), moduleId));
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#begun.delete(relative(process.cwd(), moduleId));
  }
}
