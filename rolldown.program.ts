import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin, RolldownOptions } from "rolldown";

// The program with its libraries in few files: to load hundreds of modules would take longer than most questions.
// Only the database's own machine code stays a package of its own.

// What a process or a thread begins with; `getEntryPath` finds them by these names.
const entries = [
  "pipeline/bin",
  "pipeline/answers/ask/query-child",
  "pipeline/core/store/replay-child",
  "pipeline/core/query-texts/reader-child",
  "pipeline/core/query-texts/watch",
];

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
};

// Whoever made what is in the files says under what terms it may be passed on.
const keepLicences: Plugin = {
  name: "keep-licences",
  generateBundle(_, bundle): void {
    const modules = Object.values(bundle).flatMap((part) =>
      part.type === "chunk" ? Object.keys(part.modules) : [],
    );
    const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []));
    const source = [...folders].map(licenceOf).toSorted().join("\n");
    this.emitFile({ type: "asset", fileName: "licences.txt", source });
  },
};

function packageFolder(path: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  if (files.length === 0 && license === undefined)
    throw new Error(`${name} ${version} names no licence: it cannot be passed on`);
  const texts = files.map((file) => `\n${readFileSync(join(folder, file), "utf8").trim()}\n`);
  return `${name} ${version}, ${license ?? "see below"}\n${texts.join("")}${"-".repeat(80)}\n`;
}

// Which program wrote what is in a log of evidence: `sha256sum -c files.sha256` checks it.
const listFiles: Plugin = {
  name: "list-files",
  generateBundle(_, bundle): void {
    const parts = Object.values(bundle).flatMap((part) =>
      part.type === "chunk" ? [hashLine(part.fileName, part.code)] : [],
    );
    const names = readdirSync("queries", { recursive: true, encoding: "utf8" });
    const queries = names
      .filter((name) => name.endsWith(".sql"))
      .map((name) => hashLine(`queries/${name}`, readFileSync(join("queries", name), "utf8")));
    const source = [...parts, ...queries].toSorted().join("");
    this.emitFile({ type: "asset", fileName: "files.sha256", source });
  },
};

function hashLine(file: string, text: string): string {
  return `${createHash("sha256").update(text).digest("hex")}  ${file}\n`;
}

export default {
  input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
  platform: "node",
  external: [/^@duckdb\/node-bindings/],
  plugins: [keepLicences, listFiles],
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // As deep as the modules of a checkout, since `getAssetPath` resolves from there.
    chunkFileNames: "pipeline/base/parts/[name].js",
  },
} satisfies RolldownOptions;
