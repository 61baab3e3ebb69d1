import { chmodSync, lchownSync, renameSync, symlinkSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

const sources = {
  a: { base_url: "http://127.0.0.1:7001" },
  b: { base_url: "http://127.0.0.1:7002" },
};

it("the previous name of a key is accepted instead of the present one, and refused beside it", () => {
  const parse = (source: object) => configSchema.safeParse({ sources: { a: source } });
  expect(parse({}).data?.sources["a"]?.users.path).toBe("/v3/user/list/");
  expect(parse({ users_path: "/people" }).data?.sources["a"]?.users.path).toBe("/people");
  expect(parse({ users: { path: "/people" } }).data?.sources["a"]?.users.path).toBe("/people");
  const both = parse({ users_path: "/people", users: { path: "/people" } });
  expect(both.error?.issues).toMatchObject([
    { path: ["sources", "a", "users_path"], message: expect.stringContaining("users.path alone") },
  ]);
});

it("an address from the environment does not replace that of one source among several", async () => {
  using home = newHome();
  const config = home.write("c.json", JSON.stringify({ sources }));
  const env = { AUDITLAKE_BASE_URL: "http://127.0.0.1:7001", AUDITLAKE_API_KEY: "k" };
  const outcome = await home.run(["--config", config, "--source", "b", "ingest"], { env });
  expect(failureLine(outcome, 2, [])).toContain("unset it and use sources.b.base_url");
});

describe("a configuration found in the working directory", () => {
  const list = (home: TestHome, ...flags: string[]) => home.run([...flags, "config", "show"]);

  it.each([
    ["belongs to another user", (file: string) => giveAway(file), /belongs to another user \(id/],
    ["is behind a link of another user", linkOfAnother, /belongs to another user \(id/],
    ["may be written by its group", (file: string) => chmodSync(file, 0o660), /mode 660: others/],
    ["may be written by all", (file: string) => chmodSync(file, 0o602), /has mode 602: others/],
  ])("that %s is refused until --config names it", async (_, spoil, why) => {
    using home = newHome();
    const file = home.write("auditlake.json", JSON.stringify({ sources }));
    const before = process.cwd();
    process.chdir(home.folder);
    try {
      expect(await list(home)).toMatchObject({ code: 0 });
      spoil(file);
      const line = failureLine(await list(home), 2, []);
      expect(line).toMatch(why);
      expect(line).toContain("pass it with --config");
      expect(await list(home, "--config", "auditlake.json")).toMatchObject({ code: 0 });
    } finally {
      process.chdir(before);
      vi.restoreAllMocks();
    }
  });
});

// Only the administrator can give a file away; elsewhere the user becomes another one.
function giveAway(file: string): void {
  const user = process.getuid!();
  if (user === 0) lchownSync(file, 4711, 4711);
  else vi.spyOn(process, "getuid").mockReturnValue(user + 1);
}

function linkOfAnother(file: string): void {
  renameSync(file, `${file}.target`);
  symlinkSync(`${file}.target`, file);
  giveAway(file);
}
