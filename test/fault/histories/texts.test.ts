import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fewOrAll } from "../length.ts";
import { newRandom } from "../../../fixtures/random.ts";
import { makeText } from "../../pipeline/core/query-texts/texts.ts";
import { childEnv } from "../../support/child-env.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import {
  toDate,
  finish,
  issue,
  type Job,
  jobs,
  on,
  readTables,
  truth,
  waiting,
} from "../../pipeline/core/load/jobs-of-texts.ts";

// What the texts of jobs touch, in whatever order they come and whenever a process is killed.

const bin = fileURLToPath(new URL("../../../pipeline/bin.ts", import.meta.url));

test.each([1])(
  "jobs and texts give the same tables in any order of arrival, seed %i",
  async (seed) => {
    const random = newRandom(seed, "orders of jobs");
    using home = newHome();
    const parts = jobs.flatMap((job) => [issue(job), finish(job, random.int(0, 2))]);
    for (let i = parts.length - 1; i > 0; i--) {
      const other = random.int(0, i);
      [parts[i], parts[other]] = [parts[other]!, parts[i]!];
    }
    const first = random.int(1, parts.length - 1);
    await home.load(parts.slice(0, first), random.chance(0.5) ? on : {});
    await home.load(parts.slice(first), on);
    expect(await readTables(home)).toEqual(truth);
  },
);

describe("a run that is killed after its rows are published", () => {
  const many = Array.from({ length: 120 }, (_, i): Job => {
    const { text, dialect } = makeText(9000 + i);
    return { id: String(1000 + i), day: i % 5, text, type: dialect === "hive" ? "hive" : "presto" };
  });
  const expected = many
    .flatMap(({ id, day }, i) =>
      makeText(9000 + i).truth.map((line) => `${id} ${toDate(day)} ${line}`),
    )
    .sort();

  // Changes of files after the first publication: of the writer's file, of its log, and of the second publication.
  const changes = fewOrAll(
    [0, 4, 12],
    Array.from({ length: 40 }, (_, i) => i),
  );
  test.each(changes)(
    "at change %i keeps the rows and each text complete or pending, and the next run reads the rest",
    { timeout: 120_000 },
    async (change) => {
      using home = newHome();
      const file = home.write(
        "jobs.ndjson",
        many.map((job) => JSON.stringify(issue(job))).join("\n"),
      );
      await killAfterRows(home, ["import", file], change);
      expect(await home.count("select count(*) from events")).toBe(many.length);
      const pending = await waiting(home);
      // Right after the first publication no text is there yet.
      expect(change === 0 ? [many.length] : [0, many.length]).toContain(pending);
      const { query_texts: texts } = JSON.parse(
        (await home.run(["status", "--format", "json"])).out,
      ) as { query_texts: Record<string, number> };
      expect([texts["waiting"], texts["parsed"]]).toEqual([pending, many.length - pending]);
      expect(await readTables(home)).toEqual(pending === 0 ? expected : []);
      expect((await home.run(["publish"], on)).code).toBe(0);
      expect(await readTables(home)).toEqual(expected);
      expect(await waiting(home)).toBe(0);
    },
  );
});

/** Kills a command at so many changes of files after its first publication; it may be done before. */
async function killAfterRows(home: TestHome, argv: string[], change: number): Promise<void> {
  mkdirSync(home.home, { mode: 0o700 });
  const child = spawn(process.execPath, [bin, "--home", home.home, "--quiet", ...argv], {
    env: childEnv(on.env),
    stdio: "ignore",
  });
  let left = -1;
  const watcher = watch(home.home, (_, name) => {
    const isPublished = name === "audit.duckdb" && existsSync(join(home.home, name));
    if (left < 0 && isPublished) left = change + 1;
    if (left > 0 && (left -= 1) === 0) child.kill("SIGKILL");
  });
  const [code] = (await once(child, "exit")) as [number | null];
  watcher.close();
  expect([null, 0]).toContain(code);
}
