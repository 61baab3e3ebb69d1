import type { World } from "../world.ts";

/** Prints a line as soon as somebody interrupts; `using` ends the waiting. */
export function sayOnInterrupt(world: World, line: string): Disposable {
  const say = (): void => void world.stderr.write(`${line}\n`);
  world.signal.addEventListener("abort", say, { once: true });
  return { [Symbol.dispose]: () => world.signal.removeEventListener("abort", say) };
}
