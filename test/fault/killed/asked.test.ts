import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programPath } from "../../support/killed.ts";
import { newHome, type TestHome } from "../../support/home.ts";
// What only a process of its own shows: modes under the user's umask, broken pipes, missing rights.

let home: TestHome;
beforeEach(() => void (home = newHome()));
afterEach(() => home[Symbol.dispose]());

describe("the confirmation of prune on a terminal", () => {
  const ctrl = { c: "\u0003", d: "\u0004" };

  // A terminal of its own, at which the keys are typed once the question is there.
  async function type(keys: string): Promise<{ code: number; shown: string }> {
    await home.load([{ time: 1_700_000_000, event_name: "sign_in", id: "a" }]);
    const command = `"${process.execPath}" "${programPath}" --home "${home.home}" prune --before 2024-01-01`;
    const child = spawn("script", ["-qec", command, "/dev/null"]);
    let shown = "";
    for await (const part of child.stdout) {
      const before = shown;
      shown += String(part);
      if (shown.includes("[y/N]") && !before.includes("[y/N]")) child.stdin.write(keys);
    }
    return { code: child.exitCode ?? ((await once(child, "exit"))[0] as number), shown };
  }

  it.each([
    ["Ctrl-C", ctrl.c, 130, /\[y\/N\] \^C\r\nnothing was removed\r\n$/],
    ["Ctrl-D", ctrl.d, 1, /\r\nerror: nothing was removed\r\n$/],
    ["no", "no\n", 1, /\r\nerror: nothing was removed\r\n$/],
    ["yes", "yes\n", 0, /pruned 1 read, 1 file of pages/],
  ])("ends correctly at %s", async (_key, keys, code, end) => {
    const ended = await type(keys);
    expect(ended).toEqual({ code, shown: expect.stringMatching(end) });
    expect(readdirSync(join(home.home, "landing", "reads"))).toHaveLength(code === 0 ? 0 : 1);
  });
});
