import { createHash } from "node:crypto";
import { CatalogError, type Catalog, type Entry, type Operation } from "../catalog.ts";

type Value = string | number | boolean | null;
/** Rows of the catalog tables, ready to be written as SQL. */
export type TableRows = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
};

const eventColumns = [
  "entry_id",
  "event_name",
  "area",
  "variant",
  "generation",
  "denial_kind",
  "trigger",
  "operation_not_shown",
  "note",
  "is_fallback",
];
const operationColumns = [
  "event_name",
  "area",
  "variant",
  "generation",
  "verb",
  "path",
  "operation",
  "segments",
  "deduced",
  "written",
];
const columnColumns = ["event_name", "area", "variant", "position", "column_name", "optional"];
const nameColumns = [
  "recorded_name",
  "is_alias",
  "plain_entry_id",
  "entities_entry_id",
  "max_segments",
];
const templateColumns = [
  "recorded_name",
  "verb",
  "segments",
  "rank",
  "pattern",
  "operation_id",
  "entry_id",
];

/** Every catalog table of `tables/002_catalog.sql` as rows, in a fixed order. */
export function toTableRows(catalog: Catalog): TableRows[] {
  const fallbacks = listFallbacks(catalog.entries);
  const events = [...catalog.entries, ...fallbacks];
  const id = newIdCounter();
  const operations = [
    ...new Set(catalog.entries.flatMap((e) => e.operations.map(formatOperation))),
  ];
  return [
    {
      table: "catalog_entries",
      columns: eventColumns,
      rows: events.map((e) => [...buildEventRow(id(formatEntry(e)), e), fallbacks.includes(e)]),
    },
    {
      table: "catalog_operations",
      columns: operationColumns,
      rows: catalog.entries.flatMap(buildOperationRows),
    },
    {
      table: "catalog_columns",
      columns: columnColumns,
      rows: catalog.entries.flatMap(buildColumnRows),
    },
    { table: "catalog_names", columns: nameColumns, rows: nameRows(events, id) },
    {
      table: "operation_texts",
      columns: ["operation_id", "operation"],
      rows: operations.sort().map((text) => [id(text), text]),
    },
    {
      table: "catalog_templates",
      columns: templateColumns,
      rows: buildTemplateRows(catalog.entries, id),
    },
    {
      table: "catalog_denied_results",
      columns: ["area", "event_result", "denial_kind"],
      rows: catalog.deniedResults.flatMap((d) =>
        d.areas.map((a) => [a, d.eventResult, d.denialKind]),
      ),
    },
  ];
}

type Id = (text: string) => number;

// Rows of events refer to entries and operations by a number that follows from the text. The number thus stays the same
// when the catalog grows. Two texts with one number would be an error of the source.
function newIdCounter(): Id {
  const texts = new Map<number, string>();
  return (text) => {
    const id = createHash("sha256").update(text).digest().readUInt32BE(0) >>> 1;
    if ((texts.get(id) ?? text) !== text)
      throw new CatalogError(`${text} and ${texts.get(id)} share the number ${id}; rename one`);
    texts.set(id, text);
    return id;
  };
}

function formatEntry(e: Entry): string {
  return [e.area, e.event, e.variant ?? ""].join("\t");
}

/** Number of path segments, as both the templates and the recorded paths count them. */
export function countSegments(path: string): number {
  return path.replace(/(?<!\/)\/+$/, "").split("/").length - 1;
}

/** A LIKE pattern (escape `\`) that a path with the same number of segments matches. */
export function toPattern(path: string): string {
  return path
    .replace(/(?<!\/)\/+$/, "")
    .split("/")
    .map((s) => (isParameter(s) ? "_%" : s === "*" ? "%" : s.replace(/[\\%_]/g, "\\$&")))
    .join("/");
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":") || /^\{.*\}$/.test(segment);
}

// Events that only have variants get an entry without one, for paths that fit no variant.
function listFallbacks(entries: readonly Entry[]): Entry[] {
  const plain = new Set(entries.filter((e) => e.variant === null).map((e) => e.event));
  const missing = new Map(entries.filter((e) => !plain.has(e.event)).map((e) => [e.event, e]));
  return [...missing.values()].map((e) => ({
    ...e,
    variant: null,
    note: null,
    operations: [],
  }));
}

function buildEventRow(id: number, e: Entry): Value[] {
  return [
    id,
    e.event,
    e.area,
    e.variant,
    e.generation,
    e.denialKind,
    e.trigger,
    e.operationNotShown,
    e.note,
  ];
}

function formatOperation(o: Operation): string {
  return `${o.verb} ${o.path}`;
}

function buildOperationRows(e: Entry): Value[][] {
  return e.operations.map((o) => [
    e.event,
    e.area,
    e.variant,
    e.generation,
    o.verb,
    o.path,
    formatOperation(o),
    countSegments(o.path),
    o.written !== null,
    o.written,
  ]);
}

function buildColumnRows(e: Entry): Value[][] {
  return e.columns.map((c, i) => [e.event, e.area, e.variant, i + 1, c.name, c.optional]);
}

// Names that both audience generations share lead to two entries; `/entities` in the path picks one
// (seed 001, What the service does, rule 3).
function nameRows(entries: readonly Entry[], id: Id): Value[][] {
  const byName = new Map<string, Entry[]>();
  for (const e of entries)
    for (const name of [e.event, ...e.aliases.filter((a) => !a.onlyWithPath).map((a) => a.name)])
      byName.set(name, [...(byName.get(name) ?? []), e]);
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => {
      // A name that only variants have represents their event if the path fits none of them.
      const named = all.some((e) => e.variant === null)
        ? all
        : entries.filter((e) => e.event === all[0]!.event);
      const plain = named.filter((e) => e.variant === null);
      const legacy = plain.find((e) => e.generation === "legacy") ?? plain[0]!;
      const current = plain.find((e) => e.generation === "current") ?? legacy;
      return [
        name,
        legacy.event !== name,
        id(formatEntry(legacy)),
        id(formatEntry(current)),
        countMaxSegments(all),
      ];
    });
}

// A template that ends in a wildcard matches any longer path: the path's segments are cut to its own.
function countMaxSegments(entries: readonly Entry[]): number | null {
  const wild = entries.flatMap((e) => e.operations).filter((o) => o.path.endsWith("/*"));
  return wild[0] ? countSegments(wild[0].path) : null;
}

function buildTemplateRows(entries: readonly Entry[], id: Id): Value[][] {
  const rows = entries.flatMap((e) =>
    [e.event, ...e.aliases.map((a) => a.name)].flatMap((name) =>
      e.operations.map((o) => ({
        name,
        o,
        segments: countSegments(o.path),
        entryId: id(formatEntry(e)),
      })),
    ),
  );
  rows.sort(
    (a, b) =>
      compareRows([a.name, a.o.verb, a.segments], [b.name, b.o.verb, b.segments]) ||
      compareRows(rankSpecificity(a.o), rankSpecificity(b.o)),
  );
  const ranks = new Map<string, number>();
  return rows.map(({ name, o, segments, entryId }) => {
    const key = `${name}\t${o.verb}\t${segments}`;
    const rank = (ranks.get(key) ?? 0) + 1;
    ranks.set(key, rank);
    return [name, o.verb, segments, rank, toPattern(o.path), id(formatOperation(o)), entryId];
  });
}

// Literal segments come before parameters, parameters before wildcards, from the left.
function rankSpecificity(o: Operation): Value[] {
  const shape = o.path
    .split("/")
    .map((s) => (s === "*" ? "2" : isParameter(s) ? "1" : "0"))
    .join("");
  return [shape, o.path];
}

function compareRows(a: readonly Value[], b: readonly Value[]): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    return a[i]! < b[i]! ? -1 : 1;
  }
  return 0;
}
