const turnMs = 10;

/** A clock that goes on only while this process has its turn: what others take of the processor does not count. */
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
