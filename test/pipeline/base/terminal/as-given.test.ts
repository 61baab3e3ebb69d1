import { execFileSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { asGiven, namedVerbs, pasteable } from "../../../../pipeline/base/terminal/as-given.ts";
import { verbs } from "../../../../pipeline/cli/verbs.ts";

const advice = "the copy is gone; run auditlake publish, or auditlake lake publish --full";

describe("commands that messages name", () => {
  it("name the home and the configuration of the command that said so", () => {
    expect(asGiven(advice, { home: "/data/audit", config: "a.json" })).toBe(
      "the copy is gone; run auditlake --home /data/audit --config a.json publish, or auditlake --home /data/audit --config a.json lake publish --full",
    );
  });

  it("stay as they are where neither was given", () => {
    expect(asGiven(advice, {})).toBe(advice);
  });

  it("are no commands where no verb follows", () => {
    for (const text of [
      "this auditlake wants a newer file; auditlake has no such column",
      "locked: auditlake lake publish (process 12 on a) has been running since yesterday",
    ])
      expect(asGiven(text, { home: "h" })).toBe(text);
  });

  it("say so once, also where what a child process said is passed on", () => {
    const once = asGiven(advice, { home: "h" });
    expect(asGiven(once, { home: "h" })).toBe(once);
  });

  it("give a shell the path as it is, whatever it holds", () => {
    for (const home of [
      "it's here",
      "a b",
      "$HOME",
      "$&",
      "-x`id`",
      'say "so"',
      "*",
      "ünder/a\\b",
    ]) {
      const [, words] = /^auditlake --home (.*) status$/s.exec(
        asGiven("auditlake status", { home }),
      )!;
      expect(execFileSync("sh", ["-c", `printf %s ${words!}`], { encoding: "utf8" })).toBe(home);
    }
  });

  it("are known by every verb that has a home", () => {
    const others = ["completion", "simulate", "demo"];
    expect([...namedVerbs, ...others].toSorted()).toEqual(Object.keys(verbs).toSorted());
  });

  it("are written on a stream that keeps its own width, with what was given by then", () => {
    const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { columns: 72 });
    let home: string | undefined;
    const shown = pasteable(stream, () => (home === undefined ? {} : { home }));
    shown.write("auditlake status\n");
    home = "h";
    shown.write("auditlake status\n");
    expect(shown.columns).toBe(72);
    expect(stream.read()).toBe("auditlake status\nauditlake --home h status\n");
  });
});
