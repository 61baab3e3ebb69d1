import { savedMarker } from "../../../schemas/connectors/saved.ts";

// Keys of a target whose value is a credential, in either spelling.
const secretKeys = new Set(["client_secret", "access_token", "accessToken", "secret", "password"]);

/**
 * Where a credential itself stands in a configuration, as a dotted path. Undefined where each is the marker of a stored
 * one, or none is there.
 */
export function secretPlace(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, key];
    const isText = typeof item === "string" && item !== "" && item !== savedMarker;
    // What a variable of a workflow stands for is looked at where it is written.
    if (isText && secretKeys.has(key) && !item.startsWith("${")) return here.join(".");
    const below = secretPlace(item, here);
    if (below !== undefined) return below;
  }
  return undefined;
}
