import { z } from "zod";
import {
  areaSource,
  fieldsSource,
  type AreaSource,
  type DenialKind,
  type EventSource,
  type FieldsSource,
} from "./source.ts";

export type Generation = "legacy" | "current";

/** One operation that causes an event; `written` keeps the abbreviation a deduced path came from. */
export type Operation = {
  readonly verb: string;
  readonly path: string;
  readonly written: string | null;
};
export type Alias = { readonly name: string; readonly onlyWithPath: boolean };
export type Column = { readonly name: string; readonly optional: boolean };

/** One (area, event, variant) of the reference. */
export type Entry = {
  readonly area: string;
  readonly generation: Generation | null;
  readonly event: string;
  readonly variant: string | null;
  readonly note: string | null;
  readonly operations: readonly Operation[];
  readonly trigger: string | null;
  readonly operationNotShown: boolean;
  readonly columns: readonly Column[];
  readonly aliases: readonly Alias[];
  readonly denialKind: DenialKind | null;
};

export type DeniedResult = {
  readonly eventResult: string;
  readonly denialKind: DenialKind;
  readonly areas: readonly string[];
};

/** The whole reference as plain data, sorted: the same source gives the same bytes. */
export type Catalog = {
  readonly entries: readonly Entry[];
  readonly deniedResults: readonly DeniedResult[];
  readonly fields: FieldsSource["fields"];
};

/** What is wrong with the catalog source, with file and key in the message. */
export class CatalogError extends Error {
  override name = "CatalogError";
}

/** One file of the source, parsed but not yet checked. */
export type SourceFile = { readonly file: string; readonly content: unknown };

/** Checks the source files and settles them into a catalog; throws CatalogError naming file and key. */
export function toCatalog(fieldsFile: SourceFile, areaFiles: readonly SourceFile[]): Catalog {
  const fields = parse(fieldsSource, fieldsFile);
  const areas = areaFiles.map((f) => ({ file: f.file, area: parse(areaSource, f) }));
  const entries = areas.flatMap(({ file, area }) => areaEntries(file, area, fields));
  checkUnique(entries);
  const deniedResults = areas.flatMap(({ area }) =>
    area.denied_result
      ? [
          {
            eventResult: area.denied_result.event_result,
            denialKind: area.denied_result.denial_kind,
            areas: area.denied_result.areas,
          },
        ]
      : [],
  );
  return { entries: entries.sort(byKey), deniedResults, fields: fields.fields };
}

/** Adds the events of further area files to a catalog; throws CatalogError where they collide. */
export function extendCatalog(
  base: Catalog,
  sets: FieldsSource["sets"],
  files: readonly SourceFile[],
): Catalog {
  const fieldsFile = { file: "fields.json", content: { fields: base.fields, sets } };
  const extra = toCatalog(fieldsFile, files);
  const entries = [...base.entries, ...extra.entries];
  checkUnique(entries);
  return {
    entries: entries.sort(byKey),
    deniedResults: [...base.deniedResults, ...extra.deniedResults],
    fields: base.fields,
  };
}

function parse<T>(schema: z.ZodType<T>, { file, content }: SourceFile): T {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new CatalogError(`${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

function areaEntries(file: string, area: AreaSource, fields: FieldsSource): Entry[] {
  checkSorted(file, area);
  return area.events.map((event) => {
    const where = `${file}: ${event.event}`;
    return {
      area: area.area,
      generation: area.generation ?? null,
      event: event.event,
      variant: event.variant ?? null,
      note: event.note ?? null,
      operations: (event.operations ?? []).flatMap((o) => toOperations(where, o)),
      trigger: event.trigger ?? null,
      operationNotShown: event.operation_not_shown ?? false,
      columns: toColumns(where, area, event, fields),
      aliases: (event.aliases ?? []).map(toAlias),
      denialKind: event.denial_kind ?? area.denial_kind ?? null,
    };
  });
}

function toOperations(
  where: string,
  source: NonNullable<EventSource["operations"]>[number],
): Operation[] {
  const { operation, written } =
    typeof source === "string" ? { operation: source, written: null } : source;
  const [, verbs, path] = /^([A-Z]+(?:\|[A-Z]+)*) (\/[^\s?]*)$/.exec(operation) ?? [];
  if (verbs === undefined || path === undefined)
    throw new CatalogError(
      `${where}: operation ${JSON.stringify(operation)} should read like "GET|POST /path/:id"`,
    );
  return verbs.split("|").map((verb) => ({ verb, path, written }));
}

function toColumns(
  where: string,
  area: AreaSource,
  event: EventSource,
  fields: FieldsSource,
): Column[] {
  const required = expand(where, event.columns ?? area.columns ?? [], fields);
  const optional = expand(where, event.optional_columns ?? [], fields);
  return [
    ...required.map((name) => ({ name, optional: false })),
    ...optional.map((name) => ({ name, optional: true })),
  ];
}

function expand(where: string, names: readonly string[], fields: FieldsSource): string[] {
  return names.flatMap((name) => {
    const set = fields.sets[name];
    if (set) return expand(where, set, fields);
    if (name in fields.fields) return [name];
    throw new CatalogError(`${where}: ${name} is neither a record field nor a column set`);
  });
}

function toAlias(alias: NonNullable<EventSource["aliases"]>[number]): Alias {
  return typeof alias === "string"
    ? { name: alias, onlyWithPath: false }
    : { name: alias.name, onlyWithPath: alias.only_with_path };
}

function checkSorted(file: string, area: AreaSource): void {
  area.events.reduce((previous, next) => {
    const [a, b] = [previous, next].map((e) => `${e.event}\t${e.variant ?? ""}`);
    if (a! > b!)
      throw new CatalogError(`${file}: ${next.event} should stand before ${previous.event}`);
    return next;
  }, area.events[0]!);
}

function checkUnique(entries: readonly Entry[]): void {
  const seen = new Set<string>();
  const owners = new Map<string, string>();
  for (const entry of entries) {
    const key = [entry.area, entry.event, entry.variant].join("\t");
    if (seen.has(key)) throw new CatalogError(`${entry.area}: ${entry.event} is defined twice`);
    seen.add(key);
  }
  const names = new Set(entries.map((e) => e.event));
  for (const entry of entries)
    for (const alias of entry.aliases) {
      if (names.has(alias.name))
        throw new CatalogError(`${entry.event}: alias ${alias.name} is an event of its own`);
      if (alias.onlyWithPath) continue;
      const owner = owners.get(alias.name);
      if (owner !== undefined && owner !== entry.event)
        throw new CatalogError(`alias ${alias.name} belongs to ${owner} and to ${entry.event}`);
      owners.set(alias.name, entry.event);
    }
}

function byKey(a: Entry, b: Entry): number {
  const [x, y] = [a, b].map((e) => [e.event, e.area, e.variant ?? ""].join("\t"));
  return x! < y! ? -1 : x! > y! ? 1 : 0;
}
