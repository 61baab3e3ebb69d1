import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

/** A home with a key and a folder for heads; `load` imports one more record. */
export type SignedHome = Disposable & {
  readonly home: TestHome;
  readonly config: string;
  readonly landing: string;
  readonly keyFile: string;
  readonly heads: string;
  readonly run: (...argv: string[]) => Promise<Outcome>;
  readonly load: () => Promise<Outcome>;
  readonly readLog: () => string[];
  readonly readHead: () => string;
};

let records = 0;

/** Makes such a home, with its key already if `isReady`. */
export async function newSignedHome(isReady = true): Promise<SignedHome> {
  const home = await homeWithWarehouse();
  const heads = join(home.folder, "heads");
  mkdirSync(heads);
  const keyFile = join(home.folder, "evidence.pem");
  const config = home.write(
    "auditlake.json",
    JSON.stringify({ evidence: { name: "audit.example", key_file: keyFile, heads } }),
  );
  const env = { AUDITLAKE_HOME: home.home, AUDITLAKE_CONFIG: config };
  const landing = join(home.home, "landing");
  const signed: SignedHome = {
    home,
    config,
    landing,
    keyFile,
    heads,
    run: (...argv) => home.run(argv, { env }),
    load: () => {
      records += 1;
      return home.load([{ event_name: "x.y", time: 1_764_000_000 + records }], { env });
    },
    readLog: () =>
      readFileSync(join(landing, "log/entries.ndjson"), "utf8").split("\n").slice(0, -1),
    readHead: () => readFileSync(join(landing, "log/head"), "utf8"),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
  if (isReady) expect(await signed.run("evidence", "init")).toMatchObject({ code: 0, err: "" });
  return signed;
}

const tool = join(import.meta.dirname, "../../../evidence/verify.py");

/** Why the independent verifier cannot run here; undefined where it can. */
export function findMissingPython(): string | undefined {
  const { status } = spawnSync("python3", [
    "-c",
    "import sys; sys.exit(sys.version_info < (3, 9))",
  ]);
  return status === 0
    ? undefined
    : "no python3 of version 3.9 or later: the independent verifier did not run";
}

/** What the independent verifier prints; throws where it finds fault. */
export function verifyIndependently(...argv: string[]): string {
  return execFileSync("python3", [tool, ...argv], { encoding: "utf8", stdio: "pipe" }).trim();
}
