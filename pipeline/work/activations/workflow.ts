import { parse } from "node:path";
import type { Activation } from "../../../schemas/activation.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { isObject } from "../../../schemas/object.ts";
import { isForeign, workflow } from "../../../schemas/workflow.ts";
import { UsageError } from "../../base/errors.ts";
import { refuseReadable } from "../../base/home/secret-file.ts";
import { secretPlace } from "../../base/home/secret-keys.ts";
import { readYaml } from "../../base/home/yaml.ts";
import { resolved } from "./variables.ts";

/** An activation as a workflow describes it. */
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
  const found = workflowOf(content, `workflow ${path}`);
  const place = secretPlace(content);
  if (place !== undefined)
    refuseReadable(path, "workflow", place, `write ${savedMarker} there and store it apart`);
  return { ...found, name: parse(path).name };
}

/** The activation that a workflow's content describes. Throws UsageError, which names the place as `label`. */
export function workflowOf(content: unknown, label: string): WorkflowActivation {
  const fail = (what: string): never => {
    throw new UsageError(`${label}: ${what}`);
  };
  if (!isObject(content))
    return fail("expected keys and values, with the parameters under _export.params");
  const own = Object.fromEntries(Object.entries(content).filter(([key]) => !isForeign(key)));
  const params = objectIn(own["_export"])["params"];
  const given = resolved(own, { timezone: own["timezone"], params }, (fault) =>
    fail(`${fault.path.join(".")}: ${fault.message}`),
  );
  const result = workflow.safeParse(withOut(given, fail));
  if (!result.success) {
    const issue = result.error.issues[0]!;
    return fail(`${issue.path.map(String).join(".") || "the file"}: ${issue.message}`);
  }
  const leftOut = Object.keys(content).filter(isForeign);
  const { timezone, _export: exported } = result.data;
  return { activation: exported.params, timezone, leftOut };
}

// An `out` block configures the connector (seed 002, What the service does, rule 4, and A), as the parameter does.
function withOut(given: unknown, fail: (what: string) => never): unknown {
  const { out, ...rest } = given as Record<string, unknown>;
  if (out === undefined) return given;
  const exported = objectIn(rest["_export"]);
  const params = objectIn(exported["params"]);
  if (params["result_connection_settings"] !== undefined)
    return fail("out: stands beside result_connection_settings; expected one of the two");
  const filled = { ...params, result_connection_settings: out };
  return { ...rest, _export: { ...exported, params: filled } };
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : {};
