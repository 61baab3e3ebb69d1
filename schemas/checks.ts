import { CatalogError, type DeniedResult, type Entry } from "./catalog.ts";

/** An entry with its file, so that an error can name it. */
export type LocatedEntry = { readonly file: string; readonly entry: Entry };

/** Checks what only shows when all files lie side by side; throws CatalogError naming file and key. */
export function checkEntries(all: readonly LocatedEntry[]): void {
  checkNames(all);
  checkTemplates(all);
  checkAliases(all);
}

/** Checks that each (area, result) means one kind of denial, in an area that exists. */
export function checkDeniedResults(
  base: readonly DeniedResult[],
  added: readonly { readonly file: string; readonly result: DeniedResult }[],
  areas: readonly string[],
): void {
  const joinKey = (area: string, result: string): string => `${area}\t${result}`;
  const taken = new Set(base.flatMap((d) => d.areas.map((area) => joinKey(area, d.eventResult))));
  for (const { file, result } of added) {
    const where = `${file}: denied_result`;
    if (result.eventResult !== result.eventResult.toLowerCase())
      throw new CatalogError(
        `${where}: ${result.eventResult} should be lower case; results match in any case`,
      );
    for (const area of result.areas) {
      if (!areas.includes(area)) throw new CatalogError(`${where}: there is no area ${area}`);
      if (taken.has(joinKey(area, result.eventResult)))
        throw new CatalogError(`${where}: ${result.eventResult} is decided for ${area} already`);
      taken.add(joinKey(area, result.eventResult));
    }
  }
}

function checkNames(all: readonly LocatedEntry[]): void {
  const files = new Map<string, string>();
  for (const { file, entry } of all) {
    const key = [entry.area, entry.event, entry.variant].join("\t");
    const other = files.get(key);
    if (other !== undefined)
      throw new CatalogError(
        `${file}: ${nameEntry(entry)} of ${entry.area} is defined twice${other === file ? "" : `, also in ${other}`}; give it another variant`,
      );
    files.set(key, file);
  }
}

// One event cannot have two templates that the same paths fit: which entry is meant would be chance.
function checkTemplates(all: readonly LocatedEntry[]): void {
  const owners = new Map<string, LocatedEntry>();
  for (const located of all)
    for (const { verb, path } of located.entry.operations) {
      const { file, entry } = located;
      const key = [entry.event, verb, getShape(path)].join("\t");
      const other = owners.get(key)?.entry;
      if (other !== undefined)
        throw new CatalogError(
          `${file}: ${nameEntry(entry)}: operation ${verb} ${path} is listed twice${other === entry ? "" : `, also for ${nameEntry(other)} of ${other.area}`}`,
        );
      owners.set(key, located);
    }
  checkWildcards(all);
}

// The load cuts paths of an event with a wildcard to the length of its template.
function checkWildcards(all: readonly LocatedEntry[]): void {
  const lengths = Map.groupBy(
    all.flatMap(({ file, entry }) => entry.operations.map(({ path }) => ({ file, entry, path }))),
    ({ entry }) => entry.event,
  );
  for (const operations of lengths.values()) {
    const wild = operations.find(({ path }) => path.endsWith("/*"));
    const longer = operations.find(
      ({ path }) => wild !== undefined && splitPath(path).length > splitPath(wild.path).length,
    );
    if (wild !== undefined && longer !== undefined)
      throw new CatalogError(
        `${longer.file}: ${longer.entry.event}: ${longer.path} is longer than ${wild.path} of the same event, whose wildcard holds it already`,
      );
  }
}

function checkAliases(all: readonly LocatedEntry[]): void {
  const events = new Set(all.map(({ entry }) => entry.event));
  const owners = new Map<string, string>();
  const claims = all.flatMap(({ file, entry }) =>
    entry.aliases.map((alias) => ({ ...alias, file, event: entry.event })),
  );
  for (const { name, file, event, onlyWithPath } of claims) {
    if (events.has(name))
      throw new CatalogError(`${file}: ${event}: alias ${name} is an event of its own`);
    const owner = owners.get(name);
    if (!onlyWithPath && owner !== undefined && owner !== event)
      throw new CatalogError(
        `${file}: ${event}: alias ${name} belongs to ${owner}; say only_with_path where the path decides`,
      );
    if (!onlyWithPath) owners.set(name, event);
  }
  const orphan = claims.find(({ name }) => !owners.has(name));
  if (orphan !== undefined)
    throw new CatalogError(
      `${orphan.file}: ${orphan.event}: alias ${orphan.name} is only_with_path, but no event owns it without one`,
    );
}

function nameEntry({ event, variant }: Entry): string {
  return variant === null ? event : `${event} (${variant})`;
}

function getShape(path: string): string {
  return splitPath(path)
    .map((part) => (/^(:.*|\{.*\})$/.test(part) ? ":" : part))
    .join("/");
}

function splitPath(path: string): string[] {
  return path.replace(/(?<!\/)\/+$/, "").split("/");
}
