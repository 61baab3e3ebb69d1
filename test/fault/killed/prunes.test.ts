import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readCopy, newHome, type TestHome } from "../../support/home.ts";
import { killAtChange } from "../kill-moment.ts";
import { fewOrAll } from "../length.ts";
import { startCli } from "../process.ts";

// A prune that broke off anywhere: the next process that opens the warehouse finishes it, and no event is lost or comes
// back.

const records = (name: string, day: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: Date.parse(day) / 1000 + i,
    event_name: "sign_in",
    id: `${name}-${i}`,
  }));
const argv = ["prune", "--before", "2025-06-01", "--yes", "--quiet"];

let whole: TestHome;
let pruned: Record<"pages" | "events", TestHome>;
beforeAll(async () => {
  whole = newHome();
  await whole.load(records("old", "2025-01-01", 40));
  await whole.load(records("middle", "2025-03-01", 30));
  await whole.load(records("new", "2025-09-01", 20));
  pruned = { pages: readCopy(whole), events: readCopy(whole) };
  expect((await pruned.pages.run(argv)).code).toBe(0);
  expect((await pruned.events.run([...argv, "--events"])).code).toBe(0);
});
afterAll(() => {
  for (const home of [whole, ...Object.values(pruned)]) home[Symbol.dispose]();
});

let home: TestHome;
beforeEach(() => void (home = newHome()));
afterEach(() => home[Symbol.dispose]());

/** Puts a home together from two others, as a prune that broke off leaves it. */
function mixHomes(databases: TestHome, landing: TestHome): void {
  rmSync(home.home, { recursive: true, force: true });
  cpSync(databases.home, home.home, { recursive: true, mode: 0 });
  rmSync(join(home.home, "landing"), { recursive: true });
  cpSync(join(landing.home, "landing"), join(home.home, "landing"), { recursive: true });
}

const files = (folder: string): string[] => {
  const path = join(home.home, "landing", folder);
  return existsSync(path)
    ? readdirSync(path, { recursive: true })
        .map(String)
        .filter((name) => /\.(json|zst)$/.test(name))
    : [];
};
const numbers = async (): Promise<number[]> => [
  await home.count("select count(*) from events"),
  await home.count("select count(*) from prunes"),
  ...["reads", "pages", "pruned"].map((folder) => files(folder).length),
];

const left = { pages: 90, events: 20 };

describe.each(["pages", "events"] as const)("a prune of %s that was interrupted", (kind) => {
  afterEach(async () => {
    expect(await numbers()).toEqual([left[kind], 1, 1, 1, 1]);
    const { code, err } = await home.run(["rebuild"]);
    expect([code, err]).toEqual([0, expect.stringContaining("same as before")]);
    expect(await numbers()).toEqual([left[kind], 1, 1, 1, 1]);
  });

  it("after its ledger entry is finished by the next run, which removes the files", async () => {
    mixHomes(pruned[kind], whole);
    expect(await numbers()).toEqual([left[kind], 1, 3, 3, 0]);
    expect((await home.run(["publish"])).code).toBe(0);
  });

  it("after its tombstone and some of its pages is finished by the next run", async () => {
    mixHomes(pruned[kind], whole);
    cpSync(join(pruned[kind].home, "landing/pruned"), join(home.home, "landing/pruned"), {
      recursive: true,
    });
    const kept = new Set(
      readdirSync(join(pruned[kind].home, "landing/pages"), { recursive: true }).map(String),
    );
    const going = files("pages").filter((name) => !kept.has(name));
    rmSync(join(home.home, "landing/pages", going[0]!));
    expect((await home.run(["doctor", "--no-reports"])).out).toMatch(/^ok +landing /m);
    expect((await home.run(["publish"])).code).toBe(0);
  });

  it("is finished by a rebuild that runs first", async () => {
    mixHomes(pruned[kind], whole);
    expect((await home.run(["rebuild"])).code).toBe(0);
  });

  it("is recorded again after a database from before the prune is restored", async () => {
    mixHomes(whole, pruned[kind]);
    expect((await home.run(["publish"])).code).toBe(0);
  });
});

it(
  "a prune that is killed at any moment is complete or has not started",
  { timeout: 120_000 },
  async () => {
    const prune = (kind: keyof typeof left, change: number): ReturnType<typeof killAtChange> => {
      mixHomes(whole, whole);
      const more = kind === "events" ? ["--events"] : [];
      const start = () => startCli(["--home", home.home, ...argv, ...more], {});
      return killAtChange(home.home, start, change);
    };
    const { changes } = await prune("events", Number.POSITIVE_INFINITY);
    const kill = async (kind: keyof typeof left, change: number): Promise<boolean> => {
      // On a busy machine the change may be reported after the end: then an earlier one is used.
      for (let at = change; at >= 1; at = Math.floor(at / 2))
        if ((await prune(kind, at)).ended.isKilled) return true;
      return false;
    };
    const shares = fewOrAll([0.3, 0.9], [0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.85, 0.95]);
    for (const [round, share] of shares.entries()) {
      const kind = round % 2 === 0 ? "events" : "pages";
      expect([share, await kill(kind, Math.ceil(changes * share))]).toEqual([share, true]);
      expect((await home.run(["publish"])).code).toBe(0);
      const found = await numbers();
      expect([
        [90, 0, 3, 3, 0],
        [left[kind], 1, 1, 1, 1],
      ]).toContainEqual(found);
      expect((await home.run(["rebuild"])).err).toContain("same as before");
      expect(await numbers()).toEqual(found);
    }
  },
);
