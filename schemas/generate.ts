import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { toCatalog, type SourceFile } from "./catalog.ts";
import { toDocs } from "./generators/docs.ts";
import { toIncomingSql } from "./generators/incoming.ts";
import { toSeedSql } from "./generators/sql.ts";
import { toTypescript } from "./generators/typescript.ts";
import { fieldsSource } from "./source.ts";

// Catalog source in, generated files out; the same source gives the same bytes on every machine.
const here = new URL("./", import.meta.url);
const read = (file: string): SourceFile => ({
  file: `schemas/${file}`,
  content: JSON.parse(readFileSync(new URL(file, here), "utf8")),
});

const fields = read("fields.json");
const { baseline } = read("fingerprint.json").content as { baseline: string[] };
const areas = readdirSync(new URL("catalog/", here))
  .sort()
  .map((file) => read(`catalog/${file}`));
const catalog = toCatalog(fields, areas);
const write = (file: string, text: string): void =>
  writeFileSync(new URL(`generated/${file}`, here), text);

write("catalog.ts", toTypescript(catalog, fieldsSource.parse(fields.content).sets));
write("catalog.sql", toSeedSql(catalog));
write("incoming.sql", toIncomingSql(catalog.fields, baseline));
write("events.md", toDocs(catalog));
