import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";

/** A report of so many rows. */
export const counting = (rows: number): string =>
  `-- title: How many?\n-- grain: one row per number\nselect r.i as n from range(${rows}) as r(i)\n`;

/** A home whose reports are in a separate folder, and that delivers to files. */
export type Outputs = {
  readonly home: TestHome;
  /** What all commands begin with. */
  readonly common: readonly string[];
  /** The folder of the reports. */
  readonly queries: () => string;
};

/** Prepares it once for a test file. */
export function newOutputs(): Outputs {
  let home: TestHome;
  let common: string[];
  beforeAll(async () => {
    home = newHome();
    await home.load([{ time: 1, event_name: "sign_in" }]);
    const targets = { lake: { type: "file", folder: "lake", format: "ndjson" } };
    common = ["--config", home.write("auditlake.json", JSON.stringify({ targets })), "--quiet"];
  });
  afterAll(() => home[Symbol.dispose]());
  return {
    get home() {
      return home;
    },
    get common() {
      return common;
    },
    queries: () => join(home.folder, "queries"),
  };
}

/** Makes a file, or a folder with all in it, look as many hours old. */
export function age(path: string, hours: number): void {
  const seconds = Date.now() / 1000 - hours * 3600;
  if (statSync(path).isDirectory())
    for (const name of readdirSync(path)) age(join(path, name), hours);
  utimesSync(path, seconds, seconds);
}
