import { type ConfigFile, configSchema } from "../../../schemas/config.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { getMessage, UsageError } from "../errors.ts";
import { readGiven, readOwn, refuseReadable } from "./given-file.ts";
import { findRepeatedKey } from "./json-files.ts";
import { findSecret } from "./secrets.ts";
import { isObject } from "../../../schemas/object.ts";
import { findClosestNames } from "../closest-names.ts";
import { readAsset } from "./assets.ts";

// Compiling the schema pays only for many checks.
const asItIs = { jitless: true };

/**
 * The configuration in a file, or the defaults without one. A file that was only found in the working directory must be
 * the user's own. Throws UsageError naming key and value.
 */
export function readConfig(path: string | undefined, how: "named" | "found"): ConfigFile {
  if (path === undefined) return configSchema.parse({}, asItIs);
  const bytes = how === "found" ? readOwn(path, "configuration") : readGiven(path, "configuration");
  const content = parseJson(path, bytes.toString("utf8").replace(/^\ufeff/, ""));
  const result = configSchema.safeParse(content, asItIs);
  if (result.success) {
    refuseOpenSecrets(path, content);
    return result.data;
  }
  const issue = result.error.issues[0]!;
  const key = issue.path.map(String).join(".") || "the file";
  const advice =
    issue.code === "unrecognized_keys" ? adviseOnKey(content, issue.path, issue.keys) : "";
  throw new UsageError(`configuration ${path}: ${key}: ${issue.message}${advice}`);
}

// As with a file of credentials: a secret must not be readable by others.
function refuseOpenSecrets(path: string, content: unknown): void {
  const place = findSecret(content);
  if (place === undefined) return;
  refuseReadable(
    path,
    "configuration",
    place,
    `write ${savedMarker} there and store it separately`,
  );
}

function parseJson(path: string, text: string): unknown {
  let isHidden = false;
  const noteSeen = (key: string, value: unknown): unknown => {
    isHidden ||= key === "__proto__";
    return value;
  };
  let content: unknown;
  try {
    content = JSON.parse(text, noteSeen);
  } catch (error) {
    const line = findFaultyLine(text, getMessage(error));
    throw new UsageError(
      `configuration ${path} is not valid JSON near line ${line}; expected a JSON object, strings in double quotes, no comma after the last member`,
    );
  }
  refuseTwice(path, text);
  // The schema check would ignore such a key without a message.
  if (!isHidden) return content;
  throw new UsageError(
    `configuration ${path}: __proto__ cannot be a name; expected letters, digits, dots, dashes and underscores`,
  );
}

// Of two values the reader would keep one, and ignore the other silently.
function refuseTwice(path: string, text: string): void {
  const twice = findRepeatedKey(text);
  if (twice === undefined) return;
  throw new UsageError(
    `configuration ${path} has the key ${JSON.stringify(twice)} twice in one object; remove one of them`,
  );
}

// The parser's message quotes the file, which may contain a secret, so only the position is used.
function findFaultyLine(text: string, message: string): number {
  const line = /\(line (\d+) /.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const quoted = /^[^"]*"(.*)"(?:\.\.\.)? is not valid JSON$/s.exec(message)?.[1];
  const at = quoted === undefined ? -1 : text.indexOf(quoted);
  const before = at < 0 ? text.trimEnd() : text.slice(0, at + Math.floor(quoted!.length / 2));
  return before.split("\n").length;
}

// JSON Schema of one place of the configuration.
type Rule = Readonly<Record<string, unknown>>;

/**
 * Advises on unknown keys of the configuration: for each the nearest key at its path, else the nearest elsewhere with
 * its place, else all known keys at its path.
 */
export function adviseOnKey(
  content: unknown,
  path: readonly PropertyKey[],
  keys: readonly string[],
): string {
  const root = JSON.parse(readAsset("schemas/generated/config.schema.json")) as Rule;
  const rules = listRulesAt(root, path.map(String), content);
  const here = rules.flatMap((rule) => Object.keys(listProperties(rule)));
  const everywhere = listPlaces(root, []);
  const hints = keys.flatMap((key) => {
    const near = findNearest(key, here);
    const place = near ?? findNearest(key, [...everywhere.keys()]);
    return place === undefined ? [] : [near ?? `${everywhere.get(place)}.${place}`];
  });
  if (hints.length > 0) return `; did you mean ${[...new Set(hints)].join(" and ")}?`;
  return here.length === 0 ? "" : `; expected one of ${[...new Set(here)].join(", ")}`;
}

// People leave out dashes and underscores, or know a part of the name.
function findNearest(key: string, known: readonly string[]): string | undefined {
  const [closest] = findClosestNames(squeezeName(key), known.map(squeezeName));
  return known.findLast((name) => squeezeName(name) === closest);
}

function squeezeName(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}

function listRulesAt(rule: Rule, path: readonly string[], content: unknown): Rule[] {
  const [first, ...rest] = path;
  const inside = isObject(content) ? content : {};
  const ways = listAlternatives(rule).filter((way) => isOfType(way, inside["type"]));
  if (first === undefined) return ways;
  return ways.flatMap((way) => {
    const next = listProperties(way)[first] ?? way["additionalProperties"] ?? way["items"];
    return isObject(next) ? listRulesAt(next, rest, inside[first]) : [];
  });
}

// Kinds of targets differ by their type: keys of other kinds do not help.
function isOfType(rule: Rule, type: unknown): boolean {
  const { type: typeRule } = listProperties(rule);
  const only = isObject(typeRule) ? typeRule["const"] : undefined;
  return only === undefined || only === type;
}

function listAlternatives(rule: Rule): Rule[] {
  const ways = [rule["anyOf"], rule["oneOf"]].flat().filter(isObject);
  return [rule, ...ways.flatMap(listAlternatives)];
}

function listProperties({ properties }: Rule): Rule {
  return isObject(properties) ? properties : {};
}

// Each key below the first level, with its place closest to the top.
function listPlaces(rule: Rule, path: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  const ways = listAlternatives(rule);
  const known = ways.flatMap((way) => Object.entries(listProperties(way)));
  const named = ways.map((way) => ["NAME", way["additionalProperties"]] as const);
  if (path.length > 0) for (const [key] of known) places.set(key, path.join("."));
  for (const [key, next] of [...known, ...named])
    for (const [deeper, place] of isObject(next) ? listPlaces(next, [...path, key]) : [])
      if (!places.has(deeper) || countDepth(place) < countDepth(places.get(deeper)!))
        places.set(deeper, place);
  return places;
}

function countDepth(place: string): number {
  return place.split(".").length;
}
