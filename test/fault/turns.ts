const turnMs = 10;

/** A clock that advances only while this process runs: the processor time of others does not count. */
export class Turns implements Disposable {
  #turns = 0;
  readonly #timer = setInterval(() => (this.#turns += 1), turnMs);

  ms(): number {
    return this.#turns * turnMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
