import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import {
  findHomeWithoutConfig,
  keepNotify,
  readKeptSettings,
} from "../../../../pipeline/outgoing/schedule/failed-starts.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

let home: TestHome;
let path: string;
beforeEach(() => {
  home = newHome();
  path = `${home.home}/schedule/notify.json`;
  home.write("home/schedule/none", "");
});
afterEach(() => home[Symbol.dispose]());

const flags = { logLevel: "info", progress: "none", quiet: true } as const;
const hook = {
  type: "webhook",
  url: "https://soc.example.com",
  secret: "__SAVED__",
  authentication: "a",
};
const config = (notify: readonly string[]) => ({
  authentications: { a: { env: "HOOK" }, b: { env: "OTHER" } },
  targets: {
    hook,
    other: { ...hook, authentication: "b" },
    open: { type: "webhook", url: "https://soc.example.com", secret: "CANARY" },
    files: { type: "file", folder: "out" },
  },
  schedule: { notify, disable_after: 7 },
});

it("the notification targets and their sign-in are retained, without any secret", async () => {
  await keepNotify(settingsIn(home, config(["hook", "open"])));
  expect(readFileSync(path, "utf8")).not.toMatch(/CANARY|OTHER|files/);
  expect(readKeptSettings(resolveHome(home.home), flags)).toMatchObject({
    configFolder: home.folder,
    flags,
    config: {
      authentications: { a: { env: "HOOK" } },
      targets: { hook: { url: hook.url } },
      schedule: { notify: ["hook"], disable_after: 7 },
    },
  });
});

it("only changes are written, and everything is deleted without targets", async () => {
  await keepNotify(settingsIn(home, config(["hook"])));
  const first = statSync(path).ino;
  await keepNotify(settingsIn(home, config(["hook"])));
  expect(statSync(path).ino).toBe(first);
  await keepNotify(settingsIn(home, config(["hook", "other"])));
  expect(readKeptSettings(resolveHome(home.home), flags)?.config.schedule.notify).toEqual([
    "hook",
    "other",
  ]);
  await keepNotify(settingsIn(home, config(["open"])));
  expect(existsSync(path)).toBe(false);
  await keepNotify(settingsIn(home, { targets: {} }));
  expect(existsSync(path)).toBe(false);
});

it("no settings exist if nothing was retained, or it is unreadable", () => {
  const listKept = () => readKeptSettings(resolveHome(home.home), flags);
  expect(listKept()).toBeUndefined();
  writeFileSync(path, "{");
  expect(listKept()).toBeUndefined();
});

it("the home of a command line is found by its flag, then by the environment", () => {
  const of = (given: object, env: object) =>
    findHomeWithoutConfig({ ...flags, ...given }, testWorld({ env: env as Record<string, string> }))
      ?.root;
  const env = { AUDITLAKE_HOME: "/b" };
  expect([of({ home: "/a" }, env), of({}, env), of({}, {})]).toEqual(["/a", "/b", undefined]);
});
