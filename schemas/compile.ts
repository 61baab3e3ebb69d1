import { z } from "zod";
import {
  CatalogError,
  type Alias,
  type Catalog,
  type Column,
  type Entry,
  type Operation,
} from "./catalog.ts";
import { checkDeniedResults, checkEntries, type LocatedEntry } from "./checks.ts";
import {
  areaSource,
  fieldsSource,
  type AreaSource,
  type EventSource,
  type FieldsSource,
} from "./source.ts";

/** One file of the source, parsed but not yet checked. */
export type SourceFile = { readonly file: string; readonly content: unknown };

/** Checks the source files and makes a catalog of them; throws CatalogError naming file and key. */
export function toCatalog(fieldsFile: SourceFile, areaFiles: readonly SourceFile[]): Catalog {
  const fields = parseSource(fieldsSource, fieldsFile);
  for (const area of areaFiles) checkSorted(area);
  return addAreas({ entries: [], deniedResults: [], fields: fields.fields }, fields, areaFiles);
}

/** Adds the events of further area files, in any order, to a catalog; throws CatalogError where they collide. */
export function extendCatalog(
  base: Catalog,
  sets: FieldsSource["sets"],
  files: readonly SourceFile[],
): Catalog {
  return addAreas(base, { fields: base.fields, sets }, files);
}

function addAreas(base: Catalog, fields: FieldsSource, files: readonly SourceFile[]): Catalog {
  const areas = files.map((f) => ({ file: f.file, area: parseSource(areaSource, f) }));
  const entries: LocatedEntry[] = [
    ...base.entries.map((entry) => ({ file: "the built-in catalog", entry })),
    ...areas.flatMap(({ file, area }) => listAreaEntries(file, area, fields)),
  ];
  checkEntries(entries);
  const denied = areas.flatMap(({ file, area }) =>
    area.denied_result ? [{ file, result: toDeniedResult(area.denied_result) }] : [],
  );
  checkDeniedResults(base.deniedResults, denied, [
    ...base.entries.map((e) => e.area),
    ...areas.map(({ area }) => area.area),
  ]);
  return {
    entries: entries.map(({ entry }) => entry).sort(compareByKey),
    deniedResults: [...base.deniedResults, ...denied.map(({ result }) => result)],
    fields: base.fields,
  };
}

function parseSource<T>(schema: z.ZodType<T>, { file, content }: SourceFile): T {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const key = formatKey(issue?.path ?? [], content);
  throw new CatalogError(`${file}: ${key}: ${issue?.message ?? "invalid"}`);
}

// An event goes by its name where it has one, since a number in a list is hard to find.
function formatKey(path: readonly PropertyKey[], content: unknown): string {
  const [first, index, ...rest] = path;
  const named = z.object({ events: z.array(z.unknown()) }).safeParse(content).data;
  const event = z
    .object({ event: z.string() })
    .safeParse(first === "events" ? named?.events[Number(index)] : undefined).data;
  return (event === undefined ? path : [event.event, ...rest]).map(String).join(".") || "the file";
}

function listAreaEntries(file: string, area: AreaSource, fields: FieldsSource): LocatedEntry[] {
  expandFields(`${file}: recorded`, area.recorded ?? [], fields);
  return area.events.map((event) => {
    const where = `${file}: ${event.event}`;
    const entry: Entry = {
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
    return { file, entry };
  });
}

function toOperations(
  where: string,
  source: NonNullable<EventSource["operations"]>[number],
): Operation[] {
  const { operation, written } =
    typeof source === "string" ? { operation: source, written: null } : source;
  const [, verbs, path] =
    /^([A-Z]+(?:\|[A-Z]+)*) (\/|(?:\/[^\s?#*/]+)+\/?|(?:\/[^\s?#*/]+)+\/\*)$/.exec(operation) ?? [];
  if (verbs === undefined || path === undefined)
    throw new CatalogError(
      `${where}: operation ${JSON.stringify(operation)} should read like "GET|POST /path/:id" or "GET /path/*"`,
    );
  return verbs.split("|").map((verb) => ({ verb, path, written }));
}

function toColumns(
  where: string,
  area: AreaSource,
  event: EventSource,
  fields: FieldsSource,
): Column[] {
  const required = expandFields(where, event.columns ?? area.columns ?? [], fields);
  const optional = expandFields(where, event.optional_columns ?? [], fields);
  const twice = [...required, ...optional].find((name, i, all) => all.indexOf(name) !== i);
  if (twice !== undefined) throw new CatalogError(`${where}: column ${twice} is listed twice`);
  return [
    ...required.map((name) => ({ name, optional: false })),
    ...optional.map((name) => ({ name, optional: true })),
  ];
}

function expandFields(where: string, names: readonly string[], fields: FieldsSource): string[] {
  return names.flatMap((name) => {
    if (Object.hasOwn(fields.sets, name)) return expandFields(where, fields.sets[name]!, fields);
    if (Object.hasOwn(fields.fields, name)) return [name];
    throw new CatalogError(`${where}: ${name} is neither a record field nor a column set`);
  });
}

function toAlias(alias: NonNullable<EventSource["aliases"]>[number]): Alias {
  return typeof alias === "string"
    ? { name: alias, onlyWithPath: false }
    : { name: alias.name, onlyWithPath: alias.only_with_path };
}

function toDeniedResult(
  source: NonNullable<AreaSource["denied_result"]>,
): Catalog["deniedResults"][number] {
  return {
    eventResult: source.event_result,
    denialKind: source.denial_kind,
    areas: source.areas,
  };
}

// Events are sorted by name, so that people find them; the user's own files need no order.
function checkSorted({ file, content }: SourceFile): void {
  const { events } = parseSource(areaSource, { file, content });
  for (const [i, next] of events.entries()) {
    const previous = events[i - 1];
    if (previous !== undefined && sortKey(previous) > sortKey(next))
      throw new CatalogError(
        `${file}: ${next.event} should precede ${previous.event}: events are sorted by name`,
      );
  }
}

function sortKey({ event, variant }: EventSource): string {
  return `${event}\t${variant ?? ""}`;
}

function compareByKey(a: Entry, b: Entry): number {
  const [x, y] = [a, b].map((e) => [e.event, e.area, e.variant ?? ""].join("\t"));
  return x! < y! ? -1 : x! > y! ? 1 : 0;
}
