import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "./command.ts";
import { newHome, type TestHome } from "./home.ts";

/** A home with a key and a folder of heads, both outside of it; commands get its configuration. */
export type EvidenceHome = TestHome & {
  readonly heads: string;
  /** The newest head of the folder. */
  readonly findHead: () => string;
  /** Exports a report with its description; resolves to the file. */
  readonly exportReport: (name: string, format: string, ...flags: string[]) => Promise<string>;
  /** Verifies a file; with the newest head unless told otherwise. */
  readonly verify: (file: string, ...flags: string[]) => Promise<Outcome>;
};

/** Creates a home that signs the heads of its log. */
export function newEvidenceHome(): EvidenceHome {
  const home = newHome();
  const heads = join(home.folder, "heads");
  mkdirSync(heads);
  const { privateKey } = generateKeyPairSync("ed25519");
  home.write("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const evidence = { name: "audit.example.com", key_file: "key.pem", heads: "heads" };
  const config = home.write("auditlake.json", JSON.stringify({ evidence }));
  const run: TestHome["run"] = (argv, world) => home.run(["--config", config, ...argv], world);
  let files = 0;
  const findHead = (): string => {
    const sizes = readdirSync(heads).map((name) => Number.parseInt(name, 10));
    return join(heads, `${Math.max(...sizes)}.checkpoint`);
  };
  return {
    ...home,
    heads,
    run,
    findHead,
    load: async (records, world) => {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
      return run(["import", home.write(`records-${(files += 1)}.ndjson`, lines)], world);
    },
    exportReport: async (name, format, ...flags) => {
      const out = join(home.folder, `${name}-${(files += 1)}.${format}`);
      const { code, err } = await run(["report", "run", name, "--out", out, "--meta", ...flags]);
      if (code !== 0) throw new Error(err);
      return out;
    },
    verify: (file, ...flags) => run(["verify", file, ...flags]),
  };
}
