import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { target as targetSchema } from "../../../schemas/connectors.ts";
import { isObject } from "../../../schemas/object.ts";
import { UsageError } from "../../base/errors.ts";
import { refuseReadable } from "../../base/home/secret-file.ts";
import { secretPlace } from "../../base/home/secret-keys.ts";
import type { Settings } from "../../base/home/settings.ts";
import { parsedYaml, readYaml } from "../../base/home/yaml.ts";
import { sha256Of } from "../../base/home/sha256.ts";

/** A target that stands on the command line: the settings that know it, and the name that it has there. */
export type GivenTarget = { readonly settings: Settings; readonly name: string };

/**
 * The target of `--result` (seed 002, Endpoints, rule 5): a JSON object of connector keys, or @ and a file of JSON or
 * YAML. The file holds the keys by themselves or as its `out` block. Its name follows from its keys, so that the same
 * command goes on with what it began. Throws UsageError, which shows no credential; one on the command line itself is
 * refused.
 */
export function resultTarget(given: string, settings: Settings): GivenTarget {
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const label = file === undefined ? "--result" : `--result @${file}`;
  const content = file === undefined ? ofText(given) : readYaml(file, "--result");
  const keys = blockOf(content, label);
  const place = secretPlace(keys);
  if (place !== undefined && file === undefined)
    throw new UsageError(
      `--result: ${place} holds a credential, which everybody on this machine could read; write ${savedMarker} there and name an authentication, or put the keys into a file of mode 600: --result @FILE`,
    );
  if (place !== undefined)
    refuseReadable(file!, "--result", place, `write ${savedMarker} there and store it apart`);
  const result = targetSchema.safeParse(keys);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw new UsageError(`${label}: ${issue.path.map(String).join(".") || "it"}: ${issue.message}`);
  }
  const name = `result-${sha256Of(JSON.stringify(keys)).slice(0, 8)}`;
  const { config } = settings;
  const targets = { ...config.targets, [name]: result.data };
  return { name, settings: { ...settings, config: { ...config, targets } } };
}

function ofText(text: string): unknown {
  return parsedYaml(text, (why) => {
    throw new UsageError(
      `--result ${why}; expected a JSON object such as {"type": "file", "folder": "out"}`,
    );
  });
}

function blockOf(content: unknown, label: string): Readonly<Record<string, unknown>> {
  const block = isObject(content) && "out" in content ? content["out"] : content;
  if (isObject(block)) return block;
  throw new UsageError(`${label} is no object; expected the keys of a connector, with its type`);
}
