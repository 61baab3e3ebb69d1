import { expect } from "vitest";

const countChildren = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

/** Resolves when this process has one child more than at the time of the call. */
export function nextChild(): Promise<void> {
  const before = countChildren();
  return expect.poll(countChildren, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before);
}
