import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

// The published file becomes unreadable during a visit. Each page reports it with what to do, and the next valid file
// is opened without a restart.
let home: TestHome;
let served: Served;
let published: string;
let good: string;
beforeAll(async () => {
  home = newHome();
  const records = [{ time: Date.UTC(2026, 0, 5) / 1000, event_name: "job_kill", id: "a" }];
  expect((await home.load(records)).code).toBe(0);
  published = join(home.home, "audit.duckdb");
  good = join(home.folder, "good.duckdb");
  copyFileSync(published, good);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});
beforeEach(async () => {
  restore();
  expect((await served.text(search)).includes("job_kill")).toBe(true);
});

const search = "/events?since=2026-01-01&until=2026-02-01";
const paths = ["/", search, "/reports/denials_by_actor?since=2026-01-01&until=2026-02-01"];

function restore(): void {
  rmSync(published, { recursive: true, force: true });
  copyFileSync(good, `${published}.new`);
  renameSync(`${published}.new`, published);
}

const wrongs: Readonly<Record<string, () => void>> = {
  "is missing": () => rmSync(published),
  "is replaced by a folder": () => {
    rmSync(published);
    mkdirSync(published);
  },
  // To root every file is readable.
  ...(process.getuid?.() !== 0 && { "cannot be read": () => chmodSync(published, 0o000) }),
  "is replaced by garbage": () => {
    writeFileSync(`${published}.new`, "no database at all\n".repeat(5000));
    renameSync(`${published}.new`, published);
  },
  "is empty": () => {
    rmSync(published);
    writeFileSync(published, "");
  },
  "is overwritten where it lies": () => {
    rmSync(published);
    copyFileSync(good, published);
    writeFileSync(published, Buffer.alloc(100_000, 7));
  },
};

it.each(Object.keys(wrongs))("prints what to do if the published file %s", async (wrong) => {
  wrongs[wrong]!();
  for (const path of paths) {
    const answer = await served.get(path);
    const text = await answer.text();
    // A page that has started shows at its end what is missing.
    expect([200, 400, 500], path).toContain(answer.status);
    expect(text, path).toMatch(
      /role="alert">[^<]*auditlake (publish|ingest|import)|correct the permissions/,
    );
    expect(text, path).not.toMatch(/unexpected reason|at .*\.ts:\d/);
  }
  const statement = await served.text("/sql", { sql: "select count(*) as events from events" });
  expect(statement).toMatch(/role="alert">/);
  expect(statement).not.toMatch(/unexpected reason/);
  restore();
  for (const path of paths) expect(await served.text(path), path).not.toContain('role="alert"');
});

it("continues for readers of the old file while a replacement fails", async () => {
  const long = "select count(*) as n, max(a.range) as most from range(20000) a, range(3000) b";
  const asked = served.text("/sql", { sql: long });
  wrongs["is missing"]!();
  expect(await asked).toMatch(/60000000|role="alert">[^]*auditlake/);
});
