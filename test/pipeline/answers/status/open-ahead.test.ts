import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { GlobalFlags, Settings } from "../../../../pipeline/base/home/settings.ts";
import {
  type OpenedAhead,
  closeAhead,
  openAhead,
  takeOpened,
} from "../../../../pipeline/answers/status/open-ahead.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// What is opened before the settings are known is only used if the settings mean it; nothing of it stays open.

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1767225600, event_name: "job_kill" }]);
});
afterAll(() => home[Symbol.dispose]());

const flags = (more: Partial<GlobalFlags>): GlobalFlags => ({
  logLevel: "warn",
  progress: "none",
  ...more,
});
const readSettings = (root: string, config: object = {}): Settings => ({
  home: resolveHome(root),
  config: configSchema.parse(config),
  configFile: undefined,
  configFolder: root,
  flags: flags({}),
});
// A closed connection answers nothing.
const isOpen = async (ahead: OpenedAhead): Promise<boolean> =>
  (await ahead.database).connection.run("select 1").then(
    () => true,
    () => false,
  );

describe("a database opened in advance", () => {
  it("is the one that the flag, the environment or the file names", async () => {
    const root = home.home;
    const file = home.write("config.json", JSON.stringify({ home: root }));
    for (const [given, env] of [
      [flags({ home: root }), {}],
      [flags({}), { AUDITLAKE_HOME: root }],
      [flags({ config: file }), {}],
      [flags({ config: file, home: root }), { AUDITLAKE_HOME: "/nowhere" }],
    ] as const) {
      const ahead = openAhead(given, { env })!;
      await using database = await takeOpened(readSettings(root), ahead);
      expect(database).toBe(await ahead.database);
      expect(await isOpen(ahead)).toBe(true);
    }
  });

  it("is discarded if the settings mean another home, or other limits", async () => {
    const root = home.home;
    const ahead = openAhead(flags({ home: root }), { env: {} })!;
    const wanted = readSettings(root, { memory_limit: "123MB" });
    await using database = await takeOpened(wanted, ahead);
    expect(database).not.toBe(await ahead.database);
    const limit = await database.connection.runAndReadAll("select current_setting('memory_limit')");
    expect(String(limit.getRows()[0]![0])).toMatch(/^117\.\d MiB$/);
    expect(await isOpen(ahead)).toBe(false);
    const empty = join(home.folder, "empty");
    mkdirSync(empty);
    const other = openAhead(flags({ home: root }), { env: {} })!;
    await expect(takeOpened(readSettings(empty), other)).rejects.toThrow(/nothing published yet/);
    expect(await isOpen(other)).toBe(false);
  });

  it("is skipped if the file is missing, and its failure is ignored until it is needed", async () => {
    expect(openAhead(flags({ home: join(home.folder, "none") }), { env: {} })).toBeUndefined();
    const file = home.write("broken.json", "{");
    expect(openAhead(flags({ config: file }), { env: {} })).toBeUndefined();
    const config = home.write("odd.json", JSON.stringify({ memory_limit: "all of it" }));
    const ahead = openAhead(flags({ config, home: home.home }), { env: {} })!;
    await closeAhead(ahead);
    await expect(ahead.database).rejects.toThrow();
  });
});
