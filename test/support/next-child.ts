import { expect } from "vitest";

const children = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

/** Resolves when this process has one child more than at the time of the call. */
export function nextChild(): Promise<void> {
  const before = children();
  return expect.poll(children, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before);
}
