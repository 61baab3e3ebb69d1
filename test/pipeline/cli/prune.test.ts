import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import type { Outcome } from "../../support/command.ts";
import { cut, newScene } from "./prune/scene.ts";

const scene = newScene();

describe("a dry run", () => {
  it("shows what would be deleted and could not be rebuilt, and changes nothing", async () => {
    const before = scene.stage.landed();
    const { code, out, err } = await scene.stage.prune("--dry-run");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^would remove data older than 2026-02-25T00:00:00Z$/m);
    expect(out).toMatch(/^ {2}reads +4 of \d+$/m);
    expect(out).toMatch(/^ {2}windows +3, 2026-02-22 to 2026-02-25$/m);
    expect(out).toMatch(/^ {2}files +1$/m);
    expect(out).toMatch(/^ {2}pages +4 files, \d+ bytes on disk$/m);
    expect(out).toMatch(/^ {2}events +none; 31 events of that time retained$/m);
    expect(out).toMatch(/rebuilt from landing from 2026-02-25T00:00:00Z\s+on/);
    expect(out).not.toContain("shared");
    expect(out.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect((await scene.stage.prune("--dry-run", "--events")).out).toMatch(
      /^ {2}events +31 events\n {2}quarantine +1 record$/m,
    );
    expect(scene.stage.landed()).toEqual(before);
  });

  it("asks no question and needs no lock", async () => {
    writeFileSync(join(scene.home.home, "run.lock"), "");
    expect((await scene.stage.prune("--dry-run")).code).toBe(0);
  });
});

describe("the confirmation of prune", () => {
  it.each([
    [["--before", "tomorrow"], /is not a time/],
    [["--before", "2030-01-01"], /is in the future/],
    [
      ["--source", "typo", "--before", cut],
      /no stored data of source typo; known sources: default/,
    ],
    [["--before", "2026-03-02", "--events"], /next ingest of default reads from .* would return/],
  ])("is not reached by %j, which is refused", async (argv, printed) => {
    const before = scene.stage.landed();
    const outcome = await scene.home.run(["prune", "--yes", ...argv], {
      now: () => scene.remote.clock.nowMs,
    });
    expect(failureLine(outcome, 2, [])).toMatch(printed);
    expect(scene.stage.landed()).toEqual(before);
  });

  it("needs --yes without a terminal, and a yes with one", async () => {
    const before = scene.stage.landed();
    const silent = await scene.stage.prune("--quiet");
    expect(failureLine(silent, 2, [])).toContain("needs --yes");
    const ask = async (answer: string): Promise<Outcome> => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true });
      stdin.end(`${answer}\n`);
      return scene.home.run(["prune", "--before", cut], {
        now: () => scene.remote.clock.nowMs,
        stdin,
      });
    };
    for (const answer of ["no", "", "yesterday"]) {
      const { code, err } = await ask(answer);
      expect([answer, code, err]).toEqual([
        answer,
        1,
        expect.stringContaining("error: nothing was removed"),
      ]);
    }
    expect(scene.stage.landed()).toEqual(before);
    const { code, err } = await ask("yes");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/Remove it\? .*pruned 4 reads, 4 files of pages/s),
    ]);
  });
});

describe("a page that no read references", () => {
  const nameless = `pages/00/${"0".repeat(64)}.zst`;
  const isThere = (): boolean => scene.stage.names("pages").some((name) => nameless.endsWith(name));
  beforeEach(() => {
    mkdirSync(join(scene.home.home, "landing/pages/00"), { recursive: true });
    writeFileSync(join(scene.home.home, "landing", nameless), "left by a killed run");
  });

  it("is deleted with the others", async () => {
    expect((await scene.stage.prune("--yes")).err).toMatch(/pruned 4 reads, 5 files of pages/);
    expect(isThere()).toBe(false);
  });

  it("is deleted even if nothing else is", async () => {
    await scene.stage.prune("--yes");
    writeFileSync(join(scene.home.home, "landing", nameless), "left by a killed run");
    expect((await scene.stage.prune("--yes")).err).toMatch(/pruned 0 reads, 1 file of pages /);
    expect(isThere()).toBe(false);
  });

  it("stays while a manifest is moved aside: it may be repaired", async () => {
    mkdirSync(join(scene.home.home, "landing/damaged"));
    writeFileSync(join(scene.home.home, "landing/damaged/read.json.20260301T000000Z"), "cut");
    expect((await scene.stage.prune("--dry-run")).out).toMatch(
      /^1 file of pages without a read: retained/m,
    );
    expect((await scene.stage.prune("--yes")).err).toMatch(/pruned 4 reads, 4 files of pages/);
    expect(isThere()).toBe(true);
  });
});
