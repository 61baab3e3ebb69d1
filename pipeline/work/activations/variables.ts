import { savedMarker } from "../../../schemas/connectors/saved.ts";

/** What a text of a workflow may name: `${timezone}`, and `${params.…}` as its `_export.params` define it. */
export type Scope = { readonly timezone: unknown; readonly params: unknown };

/** Why a text cannot be resolved, and where it stands. */
export type VariableFault = { readonly path: readonly string[]; readonly message: string };

const anyReference = /\$\{([^}]*)\}/g;
const wholeReference = /^\$\{([^}]*)\}$/;
const maxDepth = 10;
const secretMessage = `secrets of the service cannot be read here; write ${savedMarker}, and store the value in the authentication that result_connection_name, or authentication in the connector's settings, names`;

/**
 * A value with the variables in its texts put in. A text that is one variable and no more takes its value as it is, a
 * list as well. `fail` is called with what nothing defines.
 */
export function resolved(
  value: unknown,
  scope: Scope,
  fail: (fault: VariableFault) => never,
): unknown {
  const walk = (each: unknown, path: readonly string[], depth: number): unknown => {
    if (typeof each === "string") return textOf(each, path, depth);
    if (Array.isArray(each)) return each.map((item, i) => walk(item, [...path, String(i)], depth));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, item]) => [key, walk(item, [...path, key], depth)]),
    );
  };
  const found = (name: string, path: readonly string[], depth: number): unknown => {
    const expected = "expected ${params.…}, a parameter of this file, or ${timezone}";
    if (depth === maxDepth)
      return fail({ path, message: `\${${name}} leads back to itself; ${expected}` });
    if (/^\s*secret:/.test(name)) return fail({ path, message: secretMessage });
    const known = definitionOf(name.trim(), scope);
    if (known === undefined)
      return fail({ path, message: `\${${name}} is not defined here; ${expected}` });
    return walk(known, path, depth + 1);
  };
  const textOf = (text: string, path: readonly string[], depth: number): unknown => {
    const whole = wholeReference.exec(text)?.[1];
    if (whole !== undefined) return found(whole, path, depth);
    // Behind the last brace there is none: each opening one would look for it up to the end.
    const end = text.lastIndexOf("}") + 1;
    const put = text.slice(0, end).replaceAll(anyReference, (_, name: string) => {
      const part = found(name, path, depth);
      if (typeof part !== "object") return String(part);
      return fail({ path, message: `\${${name}} is no text; expected it to stand alone` });
    });
    return put + text.slice(end);
  };
  return walk(value, [], 0);
}

function definitionOf(name: string, { timezone, params }: Scope): unknown {
  if (name === "timezone") return timezone ?? undefined;
  const [first, ...rest] = name.split(".");
  if (first !== "params" || rest.length === 0) return undefined;
  let found = params;
  for (const key of rest) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found ?? undefined;
}
