import { formatCommand } from "../../base/command-line.ts";
import type { Catalog, Entry } from "../../../schemas/catalog.ts";
import { UsageError } from "../../base/errors.ts";
import { findClosestNames } from "../../base/closest-names.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import { newTextResult } from "../report/result.ts";
import { wrapWords } from "../../base/terminal/amounts.ts";

/**
 * Lists the entries of the catalog as rows, optionally of one area (its heading, ignoring case). `complete` lists all
 * names, otherwise as many as fit a terminal.
 */
export function listEntryRows(catalog: Catalog, area: string | undefined, complete: boolean): Rows {
  const entries = area === undefined ? catalog.entries : listAreaEntries(catalog, area);
  const names = ["event", "variant", "area", "generation", "denial_kind", "operations", "aliases"];
  const shown = complete ? names.length : 3;
  const rows = entries.map((e): Row => [
    e.event,
    e.variant,
    e.area,
    e.generation,
    e.denialKind,
    e.operations.map((o) => `${o.verb} ${o.path}`).join("; ") || null,
    e.aliases.map((alias) => alias.name).join("; ") || null,
  ]);
  return newTextResult(
    names.slice(0, shown),
    rows.map((row) => row.slice(0, shown)),
  );
}

function listAreaEntries({ entries }: Catalog, wanted: string): Entry[] {
  const found = entries.filter((e) => e.area.toLowerCase() === wanted.toLowerCase());
  if (found.length > 0) return found;
  const areas = [...new Set(entries.map((e) => e.area))].sort();
  const near = areas.filter((area) => area.toLowerCase().includes(wanted.toLowerCase()));
  const named = near.length > 0 ? near : findClosestNames(wanted, areas);
  throw new UsageError(
    `no area is called ${JSON.stringify(wanted)}; ${named.length > 0 ? `similar: ${named.join(", ")}` : `areas: ${areas.join(", ")}`}`,
  );
}

/** What a recorded name refers to: the entries of the event itself, or of those it is another name of. */
type FoundEntries = {
  readonly name: string;
  readonly isAlias: boolean;
  readonly entries: readonly Entry[];
};

/** Finds an event by its current, old or alternative name; throws UsageError naming the closest ones. */
export function findEvent(catalog: Catalog, name: string): FoundEntries {
  const own = catalog.entries.filter((e) => e.event === name);
  if (own.length > 0) return { name, isAlias: false, entries: own };
  const others = catalog.entries.filter((e) => e.aliases.some((alias) => alias.name === name));
  if (others.length > 0) return { name, isAlias: true, entries: others };
  const names = catalog.entries.flatMap((e) => [e.event, ...e.aliases.map((a) => a.name)]);
  const near = findClosestNames(name, [...new Set(names)]);
  const advice =
    near.length > 0
      ? `similar: ${near.join(", ")}`
      : `see ${formatCommand("catalog", "list")} for all names`;
  throw new UsageError(`no event is called ${JSON.stringify(name)}; ${advice}`);
}

/** The entries for reading, 80 columns wide, one block each. */
export function formatFound({ name, isAlias, entries }: FoundEntries, catalog: Catalog): string {
  const title = isAlias ? [`${name} is an old or alternative name.`, ""] : [];
  const isDeduced = entries.some((e) => e.operations.some((o) => o.written !== null));
  const legend = isDeduced ? ["", "† deduced from an abbreviated path"] : [];
  const blocks = entries.flatMap((e, i) => [
    ...(i === 0 ? [] : [""]),
    ...listEntryLines(e, catalog),
  ]);
  return `${[...title, ...blocks, ...legend].join("\n")}\n`;
}

function listEntryLines(e: Entry, catalog: Catalog): string[] {
  const facts: (readonly [string, readonly string[]])[] = [
    ["area", [e.area]],
    ["generation", e.generation === null ? [] : [e.generation]],
    ["note", e.note === null ? [] : [e.note]],
    ["also named", e.aliases.map((a) => a.name + (a.onlyWithPath ? " (where the path fits)" : ""))],
    ["caused by", listCauses(e)],
    ["denial", listDenials(e, catalog)],
    ["columns", listColumns(e)],
  ];
  const lines = facts.flatMap(([label, texts]) =>
    texts.map((text, i) => `  ${(i === 0 ? label : "").padEnd(12)}${text}`),
  );
  return [e.event + (e.variant === null ? "" : ` (${e.variant})`), ...lines];
}

function listCauses(e: Entry): string[] {
  const calls = e.operations.map((o) => `${o.verb} ${o.path}${o.written === null ? "" : " †"}`);
  const trigger = e.trigger === null ? [] : [e.trigger];
  const all = [...calls, ...trigger, ...(e.operationNotShown ? ["not shown"] : [])];
  return all.length > 0 ? all : ["none listed"];
}

function listDenials(e: Entry, { deniedResults }: Catalog): string[] {
  if (e.denialKind !== null) return [e.denialKind];
  return deniedResults
    .filter((d) => d.areas.includes(e.area))
    .map((d) => `${d.denialKind} where event_result is ${d.eventResult}`);
}

function listColumns(e: Entry): string[] {
  const names = e.columns.map((c) => (c.optional ? `${c.name} (optional)` : c.name));
  return names.length > 0 ? wrapWords(names, 66) : ["none listed"];
}

/** Decides whether the text is a path, with or without its verb, and not a name. */
export function isPath(text: string): boolean {
  return text.includes("/");
}

/**
 * The entries of the events that a request causes, each with only the operations that fit. The request is `DELETE
 * /v4/queries/12`, the path alone, or the path as the reference writes it. Throws UsageError where none does.
 */
export function findEntriesByPath(catalog: Catalog, text: string): Entry[] {
  const [, verb, path] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(text.trim()) ?? [];
  if (path === undefined)
    throw new UsageError(
      `${JSON.stringify(text)}: expected a path, or a verb and a path such as "GET /v4/audits"`,
    );
  const wanted = splitSegments(path);
  const found = catalog.entries.flatMap((entry) => {
    const operations = entry.operations.filter(
      (each) =>
        (verb === undefined || each.verb === verb.toUpperCase()) &&
        matchesTemplate(splitSegments(each.path), wanted),
    );
    return operations.length === 0 ? [] : [{ ...entry, operations }];
  });
  if (found.length > 0) return found;
  throw new UsageError(
    `no event of the reference is caused by ${JSON.stringify(text)}; ${formatCommand("catalog", "coverage")} lists operations missing from the reference`,
  );
}

function splitSegments(path: string): string[] {
  return path
    .replace(/[?#].*$/s, "")
    .replace(/^\/+|(?<!\/)\/+$/g, "")
    .replace(/(\.[A-Za-z0-9]+){1,2}$/, "")
    .split("/");
}

// A parameter of the reference matches any segment, a star at its end any number of them.
function matchesTemplate(template: readonly string[], wanted: readonly string[]): boolean {
  const isOpen = template.at(-1) === "*";
  if (isOpen ? wanted.length < template.length : wanted.length !== template.length) return false;
  return template.every((part, i) => part === "*" || /^[:{]/.test(part) || part === wanted[i]);
}
