import { parse } from "node:path";
import type { Activation } from "../../../schemas/activation.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { isObject } from "../../../schemas/object.ts";
import { isForeign, workflow } from "../../../schemas/workflow.ts";
import { UsageError } from "../../base/errors.ts";
import { refuseReadable } from "../../base/home/given-file.ts";
import { findSecret } from "../../base/home/secrets.ts";
import { readYaml } from "../../base/home/yaml.ts";

export type WorkflowActivation = {
  readonly activation: Activation;
  /** The zone of its schedule, and of timestamps that go out. */
  readonly timezone: string | undefined;
  /** Keys that only the service that runs workflows uses: its tasks and its schedule. */
  readonly leftOut: readonly string[];
};

/**
 * Reads an incremental activation from a workflow file (seed 002, C): its `_export.params` with the values of
 * variables. It is called as the file is, without the extension. Throws UsageError naming file, key, value and rule.
 */
export function readWorkflow(path: string): WorkflowActivation & { readonly name: string } {
  const content = readYaml(path, "workflow");
  const found = parseWorkflow(content, `workflow ${path}`);
  const place = findSecret(content);
  if (place !== undefined)
    refuseReadable(
      path,
      "workflow",
      place,
      `write ${savedMarker} there and store the value separately`,
    );
  return { ...found, name: parse(path).name };
}

/** The activation that a workflow's content describes. Throws UsageError, which names the place as `label`. */
export function parseWorkflow(content: unknown, label: string): WorkflowActivation {
  const failAt = (what: string): never => {
    throw new UsageError(`${label}: ${what}`);
  };
  if (!isObject(content))
    return failAt("expected keys and values, with the parameters under _export.params");
  const own = Object.fromEntries(Object.entries(content).filter(([key]) => !isForeign(key)));
  const params = toObject(own["_export"])["params"];
  const given = resolveVariables(own, { timezone: own["timezone"], params }, (fault) =>
    failAt(`${fault.path.join(".")}: ${fault.message}`),
  );
  const result = workflow.safeParse(withOut(given, failAt));
  if (!result.success) {
    const issue = result.error.issues[0]!;
    return failAt(`${issue.path.map(String).join(".") || "the file"}: ${issue.message}`);
  }
  const leftOut = Object.keys(content).filter(isForeign);
  const { timezone, _export: exported } = result.data;
  return { activation: exported.params, timezone, leftOut };
}

// An `out` block configures the connector (seed 002, What the service does, rule 4, and A), as the parameter does.
function withOut(given: unknown, fail: (what: string) => never): unknown {
  const { out, ...rest } = given as Record<string, unknown>;
  if (out === undefined) return given;
  const exported = toObject(rest["_export"]);
  const params = toObject(exported["params"]);
  if (params["result_connection_settings"] !== undefined)
    return fail("both out and result_connection_settings are given; expected one of the two");
  const filled = { ...params, result_connection_settings: out };
  return { ...rest, _export: { ...exported, params: filled } };
}

const toObject = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};

/** What a text of a workflow may name: `${timezone}`, and `${params.…}` as its `_export.params` define it. */
type Scope = { readonly timezone: unknown; readonly params: unknown };

/** Why a text cannot be resolved, and its place. */
type VariableFault = { readonly path: readonly string[]; readonly message: string };

const anyReference = /\$\{([^}]*)\}/g;
const wholeReference = /^\$\{([^}]*)\}$/;
const maxDepth = 10;
const secretMessage = `auditlake cannot read secrets of the service; write ${savedMarker}, and store the value in the authentication named by result_connection_name or by authentication in the connector's settings`;

/**
 * Replaces the variables in a value. A text that is exactly one variable becomes its value unchanged, for example a
 * list. `failAt` is called with undefined variables.
 */
export function resolveVariables(
  value: unknown,
  scope: Scope,
  fail: (fault: VariableFault) => never,
): unknown {
  const walkValue = (each: unknown, path: readonly string[], depth: number): unknown => {
    if (typeof each === "string") return resolveText(each, path, depth);
    if (Array.isArray(each))
      return each.map((item, i) => walkValue(item, [...path, String(i)], depth));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, item]) => [key, walkValue(item, [...path, key], depth)]),
    );
  };
  const findVariable = (name: string, path: readonly string[], depth: number): unknown => {
    const expected = "expected ${params.…}, a parameter of this file, or ${timezone}";
    if (depth === maxDepth)
      return fail({ path, message: `\${${name}} refers to itself; ${expected}` });
    if (/^\s*secret:/.test(name)) return fail({ path, message: secretMessage });
    const known = findDefinition(name.trim(), scope);
    if (known === undefined)
      return fail({ path, message: `\${${name}} is not defined here; ${expected}` });
    return walkValue(known, path, depth + 1);
  };
  const resolveText = (text: string, path: readonly string[], depth: number): unknown => {
    const whole = wholeReference.exec(text)?.[1];
    if (whole !== undefined) return findVariable(whole, path, depth);
    // Cutting off after the last brace avoids a search to the end for each opening brace.
    const end = text.lastIndexOf("}") + 1;
    const put = text.slice(0, end).replaceAll(anyReference, (_, name: string) => {
      const part = findVariable(name, path, depth);
      if (typeof part !== "object") return String(part);
      return fail({ path, message: `\${${name}} is not text; expected it as the complete value` });
    });
    return put + text.slice(end);
  };
  return walkValue(value, [], 0);
}

function findDefinition(name: string, { timezone, params }: Scope): unknown {
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
