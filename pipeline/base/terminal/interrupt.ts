import type { World } from "../world.ts";

/** Prints a line as soon as somebody interrupts; `using` ends the waiting. */
export function printOnInterrupt(world: World, line: string): Disposable {
  const print = (): void => void world.stderr.write(`${line}\n`);
  world.signal.addEventListener("abort", print, { once: true });
  return { [Symbol.dispose]: () => world.signal.removeEventListener("abort", print) };
}

/** Waits until somebody interrupts. */
export function interrupted({ signal }: Pick<World, "signal">): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
