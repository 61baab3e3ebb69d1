import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { randomOf } from "../../../fixtures/random.ts";
import { textOf } from "../../pipeline/core/query-texts/texts.ts";
import { childEnv } from "../../support/child-env.ts";
import { newHome } from "../../support/home.ts";
import {
  dateOf,
  finish,
  issue,
  type Job,
  jobs,
  on,
  tablesOf,
  truth,
  waiting,
} from "../../pipeline/core/load/jobs-of-texts.ts";

// What the texts of jobs touch, in whatever order they come and whenever a process is killed.

const bin = fileURLToPath(new URL("../../../pipeline/bin.ts", import.meta.url));

test.each([1])("in whatever order jobs and texts come, seed %i", async (seed) => {
  const random = randomOf(seed, "orders of jobs");
  using home = newHome();
  const parts = jobs.flatMap((job) => [issue(job), finish(job, random.int(0, 2))]);
  for (let i = parts.length - 1; i > 0; i--) {
    const other = random.int(0, i);
    [parts[i], parts[other]] = [parts[other]!, parts[i]!];
  }
  const first = random.int(1, parts.length - 1);
  await home.load(parts.slice(0, first), random.chance(0.5) ? on : {});
  await home.load(parts.slice(first), on);
  expect(await tablesOf(home)).toEqual(truth);
});

test(
  "a run that is killed while it reads texts leaves nothing by half",
  { timeout: 120_000 },
  async () => {
    using home = newHome();
    const many = Array.from({ length: 120 }, (_, i): Job => {
      const { text, dialect } = textOf(9000 + i);
      return {
        id: String(1000 + i),
        day: i % 5,
        text,
        type: dialect === "hive" ? "hive" : "presto",
      };
    });
    await home.load(many.map(issue));
    for (const waitMs of [2500]) {
      const child = spawn(process.execPath, [bin, "--home", home.home, "publish"], {
        env: childEnv(),
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      await Promise.race([wait(waitMs), ended]);
      child.kill("SIGKILL");
      await ended;
    }
    expect((await home.run(["publish"], on)).code).toBe(0);
    const expected = many.flatMap(({ id, day }, i) =>
      textOf(9000 + i).truth.map((line) => `${id} ${dateOf(day)} ${line}`),
    );
    expect(await tablesOf(home)).toEqual(expected.sort());
    expect(await waiting(home)).toBe(0);
  },
);
