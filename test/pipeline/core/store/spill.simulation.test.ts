import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { childEnv } from "../../../support/child-env.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

const limits = { memoryLimit: "50MB", threads: 1 };
const big = "create temp table big as select i, md5(i::varchar) as text from range(2000000) t(i)";

let home: TestHome;
beforeEach(async () => {
  home = newHome();
  await home.load([{ time: 1767225600, event_name: "sign_in", id: "a" }]);
});
afterEach(() => home[Symbol.dispose]());

const listSpilled = (): string[] =>
  readdirSync(home.home, { recursive: true })
    .map(String)
    .filter((name) => name.startsWith(".spill-"));

it("a reader's spilled data is removed when it closes", async () => {
  const before = process.listenerCount("exit");
  {
    await using database = await openPublished(join(home.home, "audit.duckdb"), limits);
    await database.connection.run(big);
    expect(listSpilled().length).toBeGreaterThan(1);
  }
  expect([listSpilled(), process.listenerCount("exit")]).toEqual([[], before]);
});

it("a reader's spilled data is removed when its process ends without closing", () => {
  const open = fileURLToPath(new URL("../../../../pipeline/core/store/open.ts", import.meta.url));
  const script = `
    import { readdirSync } from "node:fs";
    const { openPublished } = await import(${JSON.stringify(open)});
    const { connection } = await openPublished("audit.duckdb", ${JSON.stringify(limits)});
    await connection.run(${JSON.stringify(big)});
    const rows = await connection.stream("select * from big order by text");
    await rows.fetchChunk();
    const names = readdirSync(".").filter((name) => name.startsWith(".spill-"));
    process.stdout.write(String(names.length), () => process.exit(0));`;
  const argv = ["--input-type=module", "--eval", script];
  const options = { cwd: home.home, env: childEnv(), encoding: "utf8" } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, options);
  expect([stdout, stderr, status]).toEqual(["1", "", 0]);
  expect(listSpilled()).toEqual([]);
});
