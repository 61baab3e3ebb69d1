import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { CatalogError } from "./catalog.ts";
import { toCatalog, type SourceFile } from "./compile.ts";
import { toContract } from "./contract.ts";
import { toConfigSchema } from "./generators/config-schema.ts";
import { toComments, toContractModule, toTablesPage } from "./generators/contract.ts";
import { toDocs } from "./generators/docs.ts";
import { listFieldColumns, withFieldList } from "./generators/field-lists.ts";
import { toFingerprints } from "./generators/fingerprints.ts";
import { toSeedSql } from "./generators/sql.ts";
import { toTypescript } from "./generators/typescript.ts";
import { toUsedEvents, toUseRules, type UseRules } from "./generators/use-rules.ts";
import { denialKind, fieldsSource } from "./source.ts";
import { viewFiles } from "./views.ts";

const here = new URL("./", import.meta.url);

// SQL in which a list of columns is made from the fields, and all else by hand.
const withFields = ["queries/load/normalised.sql", "queries/views/events.sql"];

/** The generated files by path from the project's root; the same source gives the same bytes on every machine. */
export function generate(): Readonly<Record<string, string>> {
  const fields = read("fields.json");
  const catalog = toCatalog(fields, readAll("catalog"));
  const meanings = Object.entries(catalog.fields).map(([name, { meaning }]) => [name, meaning]);
  const shared = readSharedMeanings();
  const { fields: source, sets } = fieldsSource.parse(fields.content);
  const contract = toContract(readAll("contract"), shared, {
    meanings: Object.fromEntries(meanings),
    columns: listFieldColumns(source),
  });
  const uses = read("uses.json").content as UseRules;
  const files = {
    "schemas/generated/catalog.ts": toTypescript(catalog, sets),
    "schemas/generated/catalog.sql": toSeedSql(catalog),
    "schemas/generated/events.md": toDocs(catalog),
    "schemas/generated/config.schema.json": toConfigSchema(),
    "schemas/generated/contract.ts": toContractModule(contract),
    "schemas/generated/comments.sql": toComments(contract),
    "docs/tables.md": toTablesPage(contract),
    "queries/parts/use_rules.sql": toUseRules(uses),
    "queries/parts/used_events.sql": toUsedEvents(uses),
    ...Object.fromEntries(
      withFields.map((file) => [
        file,
        withFieldList(file, readFileSync(locateGenerated(file), "utf8"), source),
      ]),
    ),
  };
  return {
    ...files,
    "schemas/generated/fingerprints.ts": toFingerprints(listFilledColumns(files)),
  };
}

// The kinds of denial are listed in one place, so their column has a mark instead of them.
function readSharedMeanings(): Readonly<Record<string, string>> {
  const kinds = denialKind.options.map((kind) => `'${kind}'`);
  const listed = `${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`;
  const written = z.record(z.string(), z.string()).parse(read("columns.json").content);
  const made = Object.entries(written).map(([name, text]) => [
    name,
    text.replace("{denial kinds}", listed),
  ]);
  return Object.fromEntries(made) as Record<string, string>;
}

// The SQL that fills databases, in its new form.
function listFilledColumns(
  generated: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const readGenerated = (file: string): string =>
    generated[file] ?? readFileSync(locateGenerated(file), "utf8");
  const folder = locateGenerated("queries/derived/");
  const folding = readdirSync(folder, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return {
    views: viewFiles.map(readGenerated),
    matching: ["lookup", "matched"].map((name) => readGenerated(`queries/load/${name}.sql`)),
    folding: folding.map((name) => readGenerated(`queries/derived/${name}`)),
  };
}

function readAll(folder: string): SourceFile[] {
  return readdirSync(new URL(`${folder}/`, here))
    .sort()
    .map((file) => read(`${folder}/${file}`));
}

function read(file: string): SourceFile {
  const name = `schemas/${file}`;
  try {
    return { file: name, content: JSON.parse(readFileSync(new URL(file, here), "utf8")) };
  } catch (error) {
    throw new CatalogError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function locateGenerated(path: string): URL {
  return new URL(`../${path}`, here);
}

// Needs no version control: a checkout may belong to another user, or have none.
function check(): void {
  const stale = Object.entries(generate())
    .filter(([file, text]) => readFileSync(locateGenerated(file), "utf8") !== text)
    .map(([file]) => file);
  if (stale.length === 0) return;
  throw new CatalogError(`out of date: ${stale.join(", ")}; run make generate and commit them`);
}

if (import.meta.main) {
  if (process.argv.includes("--check")) check();
  else
    for (const [file, text] of Object.entries(generate()))
      writeFileSync(locateGenerated(file), text);
}
