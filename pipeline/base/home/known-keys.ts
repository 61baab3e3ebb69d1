import { isObject } from "../../../schemas/object.ts";
import { closestNames } from "../closest-names.ts";
import { readAsset } from "./assets.ts";

// What the rules of the configuration say of one place of it, as JSON Schema has it.
type Rule = Readonly<Record<string, unknown>>;

/**
 * What to say of keys that the configuration does not know at a path. For each it names the nearest key there, else the
 * nearest elsewhere with its place. Where none is near, it lists those that are known there.
 */
export function keyAdvice(
  content: unknown,
  path: readonly PropertyKey[],
  keys: readonly string[],
): string {
  const root = JSON.parse(readAsset("schemas/generated/config.schema.json")) as Rule;
  const rules = rulesAt(root, path.map(String), content);
  const here = rules.flatMap((rule) => Object.keys(propertiesOf(rule)));
  const everywhere = placesOf(root, []);
  const hints = keys.flatMap((key) => {
    const near = nearest(key, here);
    const place = near ?? nearest(key, [...everywhere.keys()]);
    return place === undefined ? [] : [near ?? `${everywhere.get(place)}.${place}`];
  });
  if (hints.length > 0) return `; did you mean ${[...new Set(hints)].join(" and ")}?`;
  return here.length === 0 ? "" : `; expected one of ${[...new Set(here)].join(", ")}`;
}

// People leave out dashes and underscores, or know a part of the name.
function nearest(key: string, known: readonly string[]): string | undefined {
  const [closest] = closestNames(squeeze(key), known.map(squeeze));
  return known.findLast((name) => squeeze(name) === closest);
}

function squeeze(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}

function rulesAt(rule: Rule, path: readonly string[], content: unknown): Rule[] {
  const [first, ...rest] = path;
  const inside = isObject(content) ? content : {};
  const ways = alternativesOf(rule).filter((way) => isOfType(way, inside["type"]));
  if (first === undefined) return ways;
  return ways.flatMap((way) => {
    const next = propertiesOf(way)[first] ?? way["additionalProperties"] ?? way["items"];
    return isObject(next) ? rulesAt(next, rest, inside[first]) : [];
  });
}

// Kinds of targets are told apart by their type: the keys of others are of no use.
function isOfType(rule: Rule, type: unknown): boolean {
  const { type: typeRule } = propertiesOf(rule);
  const only = isObject(typeRule) ? typeRule["const"] : undefined;
  return only === undefined || only === type;
}

function alternativesOf(rule: Rule): Rule[] {
  const ways = [rule["anyOf"], rule["oneOf"]].flat().filter(isObject);
  return [rule, ...ways.flatMap(alternativesOf)];
}

function propertiesOf({ properties }: Rule): Rule {
  return isObject(properties) ? properties : {};
}

// Each key below the first level with the place that stands nearest to the top.
function placesOf(rule: Rule, path: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  const ways = alternativesOf(rule);
  const known = ways.flatMap((way) => Object.entries(propertiesOf(way)));
  const named = ways.map((way) => ["NAME", way["additionalProperties"]] as const);
  if (path.length > 0) for (const [key] of known) places.set(key, path.join("."));
  for (const [key, next] of [...known, ...named])
    for (const [deeper, place] of isObject(next) ? placesOf(next, [...path, key]) : [])
      if (!places.has(deeper) || depthOf(place) < depthOf(places.get(deeper)!))
        places.set(deeper, place);
  return places;
}

function depthOf(place: string): number {
  return place.split(".").length;
}
