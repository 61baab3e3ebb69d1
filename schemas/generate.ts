import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { CatalogError } from "./catalog.ts";
import { toCatalog, type SourceFile } from "./compile.ts";
import { toConfigSchema } from "./generators/config-schema.ts";
import { toDocs } from "./generators/docs.ts";
import { toSeedSql } from "./generators/sql.ts";
import { toTypescript } from "./generators/typescript.ts";
import { fieldsSource } from "./source.ts";

const here = new URL("./", import.meta.url);

/** The generated files by name; the same source gives the same bytes on every machine. */
export function generate(): Readonly<Record<string, string>> {
  const fields = read("fields.json");
  const areas = readdirSync(new URL("catalog/", here))
    .sort()
    .map((file) => read(`catalog/${file}`));
  const catalog = toCatalog(fields, areas);
  return {
    "catalog.ts": toTypescript(catalog, fieldsSource.parse(fields.content).sets),
    "catalog.sql": toSeedSql(catalog),
    "events.md": toDocs(catalog),
    "config.schema.json": toConfigSchema(),
  };
}

function read(file: string): SourceFile {
  const name = `schemas/${file}`;
  try {
    return { file: name, content: JSON.parse(readFileSync(new URL(file, here), "utf8")) };
  } catch (error) {
    throw new CatalogError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function generatedFile(file: string): URL {
  return new URL(`generated/${file}`, here);
}

// Needs no version control: a checkout may belong to somebody else, or have none.
function check(): void {
  const stale = Object.entries(generate())
    .filter(([file, text]) => readFileSync(generatedFile(file), "utf8") !== text)
    .map(([file]) => `schemas/generated/${file}`);
  if (stale.length === 0) return;
  throw new CatalogError(`out of date: ${stale.join(", ")}; run make generate and commit them`);
}

if (import.meta.main) {
  if (process.argv.includes("--check")) check();
  else
    for (const [file, text] of Object.entries(generate())) writeFileSync(generatedFile(file), text);
}
