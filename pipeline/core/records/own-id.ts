import { canonicalText } from "./identity.ts";
import { valueAt } from "./signs.ts";
import { digitsOf } from "./canonical.ts";

/**
 * Returns the value that names a record at a path of its own (`audits.id_at`), in the form that a key has; empty where
 * the record has no scalar there. A member whose name is the whole path comes first, as columns of CSV have it.
 */
export function ownIdOf(record: Readonly<Record<string, unknown>>, path: string): string {
  const value = Object.hasOwn(record, path) ? record[path] : valueAt(record, path);
  const isScalar = typeof value !== "object" || digitsOf(value) !== undefined;
  return isScalar ? canonicalText(value) : "";
}
