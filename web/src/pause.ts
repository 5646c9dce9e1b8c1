/**
 * A Pause runs something once changes stop for a while, and at the latest a given time after the
 * first of them.
 */
export class Pause {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #first = 0;
  readonly #run: () => void;
  readonly #latest: number;

  /** latest is the maximum delay in milliseconds after the first change. */
  constructor(latest: number, run: () => void) {
    this.#latest = latest;
    this.#run = run;
  }

  /** changed starts the delay in milliseconds anew, after a change. */
  changed(delay: number): void {
    const now = performance.now();
    if (!this.pending) this.#first = now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.stop();
        this.#run();
      },
      Math.max(Math.min(delay, this.#first + this.#latest - now), 0),
    );
  }

  /** pending is whether there was a change after which nothing has been run. */
  get pending(): boolean {
    return this.#timer !== undefined;
  }

  /** stop forgets the changes so far. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
