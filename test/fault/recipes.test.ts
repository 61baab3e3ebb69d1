import { execFile } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectPath } from "../docs/pages.ts";
import { type Block, blocks, change } from "../docs/recipes.ts";
import { childEnv } from "../support/child-env.ts";
import { testKey } from "../support/key.ts";
import { temporaryFolder } from "../support/load.ts";

// The recipes of CONTRIBUTING.md, carried out exactly in a copy of the tree.

const ownReport = "sign_ins_by_user.sql";

// The tests that fail if a list of the project has grown; the goldens have just been written.
const testsOfLists = [
  "test/schemas",
  "test/docs/configuration",
  "test/docs/pages",
  "test/docs/paging",
  "test/docs/reference",
  "test/docs/rules",
  "test/docs/failures",
  "test/fixtures/forms",
  "test/fixtures/traffic",
  "test/queries/reports",
  "test/architecture.test.ts",
  "test/pipeline/cli/catalog",
  "test/pipeline/cli/classify",
  "test/pipeline/cli/completion",
  "test/pipeline/core/writer",
];

const { path: tree, remove } = temporaryFolder();
afterAll(remove);

// All that is of the project, so that each check finds in the copy what it looks at.
function copied(): string[] {
  const ignored = readFileSync(projectPath(".gitignore"), "utf8").split("\n");
  const others = new Set([".git", ...ignored.map((line) => line.replace(/\/$/, ""))]);
  return readdirSync(projectPath(".")).filter((name) => !others.has(name));
}

beforeAll(async () => {
  for (const name of copied())
    cpSync(projectPath(name), join(tree, name), {
      recursive: true,
      filter: (source) => !source.endsWith(".tar.gz"),
    });
  symlinkSync(projectPath("node_modules"), join(tree, "node_modules"));
  for (const block of blocks) carryOut(block);
  for (const area of globSync("schemas/catalog/*.json", { cwd: tree })) addEvent(area);
  await run("node_modules/.bin/oxfmt", ["schemas/catalog"]);
  for (const target of ["generate", "golden"]) await run("sh", ["-ec", getRecipe(target)]);
});

const programs = [...new Set(blocks.map(({ file }) => file))].filter((file) =>
  file.endsWith(".ts"),
);

function carryOut({ kind, file, text }: Block): void {
  if (file === ownReport) write("own/my_sign_ins.sql", text);
  const path = file === ownReport ? `queries/reports/people/${file}` : file;
  write(path, kind === "diff" ? change(path, readFileSync(join(tree, path), "utf8"), text) : text);
}

type Area = {
  readonly area: string;
  readonly generation?: string;
  readonly denial_kind?: string;
  readonly events: object[];
};

// The recipe adds to one area; a count of what another one has would break as well.
function addEvent(path: string): void {
  const area = JSON.parse(readFileSync(join(tree, path), "utf8")) as Area;
  if (area.events.length === 0) return;
  // Both generations of an area share names.
  const name = area.generation === undefined ? `zz_${basename(path, ".json")}_hold` : "zz_hold";
  const operations = [`POST /v4/${basename(path, ".json")}/:id/hold`];
  const columns = area.denial_kind === undefined ? { columns: ["IDN"] } : {};
  area.events.push({ event: name, operations, ...columns });
  write(path, JSON.stringify(area));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

function getRecipe(target: string): string {
  const makefile = readFileSync(join(tree, "Makefile"), "utf8");
  const [, lines] = new RegExp(`^${target}:.*\\n((?:\\t.*\\n)+)`, "m").exec(makefile)!;
  return lines!.replaceAll("$(bin)", "node_modules/.bin");
}

async function run(command: string, argv: readonly string[], env = {}): Promise<string> {
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
  const { stdout } = await promisify(execFile)(command, [...argv], {
    cwd: tree,
    env: childEnv({ PATH: path, ...env }),
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${command} ${argv.join(" ")}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

const auditlake = (...argv: readonly string[]): Promise<string> =>
  run(process.execPath, ["pipeline/bin.ts", ...argv], { AUDITLAKE_API_KEY: testKey });

describe("each recipe of CONTRIBUTING.md", () => {
  const home = ["--home", join(tree, "home"), "--config", join(tree, "auditlake.json")];
  const since = ["--since", "2026-03-02", "--until", "2026-03-05"];

  beforeAll(async () => {
    const target = { type: "spool", path: "spool.ndjson" };
    write("auditlake.json", JSON.stringify({ targets: { out: target } }));
    const golden = join(tree, "fixtures/golden");
    await auditlake(
      ...home,
      "import",
      join(golden, "records.ndjson"),
      "--users",
      join(golden, "users.json"),
    );
  });

  it("an event: it is in the catalog", async () => {
    expect(await auditlake("catalog", "show", "POST /v4/jobs/12/hold")).toContain("job_hold");
  });

  it("a report: it runs from a user folder and as a built-in one, and equals its oracle", async () => {
    const json = ["--format", "json", ...since];
    const name = ownReport.replace(".sql", "");
    const built = await auditlake(...home, "report", "run", name, ...json);
    const own = await auditlake(
      ...home,
      "report",
      "run",
      "my_sign_ins",
      ...json,
      "--queries",
      "own",
    );
    expect(own).toBe(built);
    expect(JSON.parse(built).length).toBeGreaterThan(3);
    const script = `
      import { readFileSync } from "node:fs";
      import { oracles } from "./test/queries/oracle/all.ts";
      const read = (name) => readFileSync("fixtures/golden/" + name, "utf8");
      const records = read("records.ndjson").trimEnd().split("\\n").map((line) => JSON.parse(line));
      const range = { since: Date.UTC(2026, 2, 2), until: Date.UTC(2026, 2, 5) };
      console.log(JSON.stringify(oracles.${name}(records, JSON.parse(read("users.json")).users, range)));`;
    const expected = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(comparable(JSON.parse(built))).toEqual(comparable(JSON.parse(expected)));
    expect(readFileSync(join(tree, "docs/reports.md"), "utf8")).toContain(`\`${name}\``);
  });

  it("a destination: it is configured, previewed, tested and delivered to", async () => {
    const deliver = ["export", "denials_by_actor", "--to", "out", ...since];
    expect(await auditlake(...home, "export", "targets")).toContain("spool.ndjson");
    await auditlake(...home, "export", "test", "out");
    await auditlake(...home, ...deliver, "--dry-run");
    await auditlake(...home, ...deliver);
    const rows = readFileSync(join(tree, "spool.ndjson"), "utf8").trimEnd().split("\n");
    const golden = readFileSync(join(tree, "fixtures/golden/denials_by_actor.csv"), "utf8");
    expect(rows).toHaveLength(golden.trimEnd().split("\r\n").length - 1);
  });

  it("a paging style: a service with that style is read completely", async () => {
    await using service = await pagedByHeader(3);
    const paging = { style: "cursor_header", param: "after" };
    const source = { base_url: service.url, window: "1d", lookback: "1d", audits: { paging } };
    write("paged.json", JSON.stringify({ sources: { a: source } }));
    const there = ["--home", join(tree, "paged"), "--config", join(tree, "paged.json")];
    await auditlake(...there, "ingest", "--from", "2026-03-02", "--to", "2026-03-03");
    const count = await auditlake(
      ...there,
      "sql",
      "--format",
      "ndjson",
      "select count(*) as n from events",
    );
    expect(JSON.parse(count)).toEqual({ n: 3 });
  });

  it("leaves no findings of type check, lint, format or unused code", async () => {
    await run(process.execPath, ["schemas/generate.ts", "--check"]);
    await run("node_modules/.bin/tsc", ["-p", "tsconfig.json"]);
    await run("node_modules/.bin/oxlint", ["--deny-warnings"]);
    // Type-aware rules take as long for the whole tree as all the rest; only what recipes write can break them.
    await run("node_modules/.bin/oxlint", ["--type-aware", "--deny-warnings", ...programs]);
    const formatted = ["schemas", "pipeline", "fixtures", "test", "docs"];
    await run("node_modules/.bin/oxfmt", ["--check", ...formatted]);
    await run("node_modules/.bin/knip", []);
  }, 600_000);

  it("breaks no test that reads the catalog, reports, destinations or docs", async () => {
    const without = ["--exclude", "**/*.simulation.test.ts"];
    await run("node_modules/.bin/vitest", ["run", ...without, ...testsOfLists]);
  }, 600_000);
});

function comparable(rows: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  return rows.map(({ source: _source, ...row }) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [
        name,
        String(cell).replace("T", " ").replace("Z", ""),
      ]),
    ),
  );
}

// One record a page; the header names the next one.
async function pagedByHeader(pages: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const at = Number(new URL(request.url!, "http://x").searchParams.get("after") ?? 0);
    if (at + 1 < pages) response.setHeader("x-next-cursor", String(at + 1));
    const time = Date.UTC(2026, 2, 2, at) / 1000;
    response.setHeader("content-type", "application/json");
    const isLog = request.url!.startsWith("/v4/audits");
    const records = isLog ? [{ time, event_name: "job_hold", id: `event ${at}` }] : [];
    response.end(JSON.stringify(records));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), "close")),
  };
}
