import { readFileSync } from "node:fs";
import { parse } from "node:path";
import { parseDocument } from "yaml";
import type { Activation } from "../../../schemas/activation.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { isForeign, workflow } from "../../../schemas/workflow.ts";
import { messageOf, UsageError } from "../../errors.ts";
import { refuseReadable } from "../../secret-file.ts";
import { secretPlace } from "../../secret-keys.ts";
import { resolved } from "./variables.ts";

/** An activation as a workflow file describes it. */
export type WorkflowActivation = {
  /** Name of the file without its extension. */
  readonly name: string;
  readonly activation: Activation;
  /** Keys that are left to the service that runs workflows: its tasks and its schedule. */
  readonly leftOut: readonly string[];
};

/**
 * Reads an incremental activation from a workflow file (seed 002, C): its `_export.params`, variables put in. Throws
 * UsageError naming file, key, value and rule.
 */
export function readWorkflow(path: string): WorkflowActivation {
  const fail = (what: string): never => {
    throw new UsageError(`workflow ${path}: ${what}`);
  };
  const all = asRecord(parsedYaml(path, fail));
  if (all === undefined)
    return fail("expected keys and values, with the parameters under _export.params");
  const own = Object.fromEntries(Object.entries(all).filter(([key]) => !isForeign(key)));
  const params = asRecord(own["_export"])?.["params"];
  const given = resolved(own, { timezone: own["timezone"], params }, (fault) =>
    fail(`${fault.path.join(".")}: ${fault.message}`),
  );
  const result = workflow.safeParse(given);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    return fail(`${issue.path.map(String).join(".") || "the file"}: ${issue.message}`);
  }
  const place = secretPlace(all);
  if (place !== undefined)
    refuseReadable(path, "workflow", place, `write ${savedMarker} there and store it apart`);
  const leftOut = Object.keys(all).filter(isForeign);
  return { name: parse(path).name, activation: result.data._export.params, leftOut };
}

function parsedYaml(path: string, fail: (what: string) => never): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read workflow ${path}: ${messageOf(error)}`);
  }
  const document = parseDocument(text);
  // The lines behind the first quote the file, which may hold a credential; a tag that nothing defines is a warning.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined)
    return fail(`is no YAML that can be read: ${fault.message.split("\n")[0]!.replace(/:$/, "")}`);
  try {
    return document.toJS();
  } catch (error) {
    return fail(`is no YAML that can be read: ${messageOf(error)}`);
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
