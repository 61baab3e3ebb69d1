import { type Print, formatLine } from "../../base/notice/printer.ts";
import { formatCommand } from "../../base/command-line.ts";
import type { Activation } from "../../../schemas/activation.ts";
import { name as activationName } from "../../../schemas/name.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { getOwn } from "../../base/home/get-own.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readWorkflow, parseWorkflow } from "./workflow.ts";
import { checkEndpoint, isFetched } from "../../../schemas/integrations.ts";
import { newTransport, formatOutcome, usualTransport } from "../../base/http/transport.ts";
import type { World } from "../../base/world.ts";
import { parseYaml } from "../../base/home/yaml.ts";
import { isDeepStrictEqual } from "node:util";
import { listClassTargets } from "./classes.ts";
import type { ClassTarget } from "./started.ts";
import { tryTo } from "../deliveries/target.ts";

/** An activation with the name that its state goes by. */
export type NamedActivation = {
  readonly name: string;
  readonly activation: Activation;
  /** The zone of timestamps that go out; UTC where none is given. */
  readonly timezone?: string | undefined;
};

/** The activation of a name; throws UsageError naming those there are. */
export function findConfigured(name: string | undefined, { config }: Settings): NamedActivation {
  const known = Object.keys(config.activations).join(", ") || "none; add one under activations";
  if (name === undefined)
    throw new UsageError(
      `which one? expected the name of an activation, or --from-workflow; known: ${known}`,
    );
  const activation = getOwn(config.activations, name);
  if (activation !== undefined) return { name, activation };
  throw new UsageError(`activation ${name} is not configured; known: ${known}`);
}

/**
 * Loads the activation of a workflow file, by the given name or the file's name. Throws UsageError for an unusable
 * file, an invalid name, or the name of a configured activation.
 */
export function loadWorkflow(
  path: string,
  given: string | undefined,
  { config }: Settings,
  print: Print,
): NamedActivation {
  const { name: ownName, activation, leftOut, timezone } = readWorkflow(path);
  const name = given ?? ownName;
  const advice = `choose one: ${formatCommand("activate", "NAME", "--from-workflow", path)}`;
  if (!activationName.safeParse(name).success)
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of an activation; expected letters, digits, dots, dashes and underscores; ${advice}`,
    );
  if (getOwn(config.activations, name) !== undefined)
    throw new UsageError(
      `activation ${name} is already in the configuration, with its own record of delivered rows; ${advice}`,
    );
  if (leftOut.length > 0) print(`note: only the activation is run, not ${leftOut.join(", ")}`);
  return { name, activation, timezone };
}

const maxBytes = 1024 * 1024;

/**
 * The activation as its `api_endpoint` defines it (seed 002, Endpoints, rule 3), where the integrations of its site
 * have it fetched. Else the activation itself, and `print` takes a note that nothing was fetched. Throws UsageError
 * where the address is not that of the account's site (C, rule 2).
 */
export async function findEndpoint(
  given: NamedActivation,
  { config: { integrations } }: Settings,
  world: World,
  print: Print,
): Promise<NamedActivation> {
  const { name } = given;
  const { api_endpoint: endpoint } = given.activation;
  if (endpoint === undefined) return given;
  const fault = checkEndpoint(endpoint, integrations);
  if (fault !== undefined) throw new UsageError(`activation ${name}: api_endpoint: ${fault}`);
  if (!isFetched(endpoint, integrations)) {
    print(`note: api_endpoint was checked but not fetched (integrations.SITE.fetch)`);
    return given;
  }
  const label = `workflow of activation ${name}, from its api_endpoint`;
  const text = await fetchWorkflow(endpoint, label, world);
  const content = parseYaml(text, (why) => {
    throw new AuditlakeError(`${label}: ${why}`);
  });
  const { activation, timezone, leftOut } = parseWorkflow(content, label);
  if (activation.api_endpoint !== endpoint)
    throw new UsageError(
      `${label}: api_endpoint: differs from the endpoint that it was fetched from; expected the same`,
    );
  print(`the workflow definition was fetched from api_endpoint`);
  if (leftOut.length > 0) print(`note: only the activation is run, not ${leftOut.join(", ")}`);
  return { name, activation, timezone: timezone ?? given.timezone };
}

// Once for each run, without any credential: how the gateway would want one is not shown.
async function fetchWorkflow(endpoint: string, label: string, world: World): Promise<string> {
  const options = { ...usualTransport, maxAnswerBytes: maxBytes };
  await using http = newTransport(options, world);
  const headers = { accept: "application/yaml, text/yaml, */*" };
  const found = await http.send(
    { method: "GET", url: new URL(endpoint), headers },
    { repeat: "harmless" },
  );
  if (found.outcome === "answered" && found.answer.status === 200) return found.answer.text;
  throw new AuditlakeError(
    `${label}: cannot be fetched: ${formatOutcome(found)}; expected YAML of at most 1 MB; nothing was delivered`,
  );
}

/**
 * Checks the connector of each class of an activation, as `tryTo` does. A connector that several classes share is
 * checked once. Returns what was found, by class. Throws what an activation throws before it delivers.
 */
export async function tryActivation(
  given: NamedActivation,
  sends: boolean,
  settings: Settings,
  world: World,
): Promise<string[]> {
  const lines: string[] = [];
  const { name, activation } = await findEndpoint(given, settings, world, (line) =>
    lines.push(formatLine(line)),
  );
  for (const { status, classes, target } of mergeTargets(
    listClassTargets(name, activation, settings, world),
  ))
    for (const line of await tryTo(target, sends, settings, world))
      lines.push(`${[status, ...classes].join(", ")}: ${line}`);
  return lines;
}

type DistinctTarget = ClassTarget & { readonly classes: string[] };

function mergeTargets(all: readonly ClassTarget[]): DistinctTarget[] {
  const found: DistinctTarget[] = [];
  for (const { status, target } of all) {
    const same = found.find((each) => isDeepStrictEqual(each.target, target));
    if (same === undefined) found.push({ status, target, classes: [] });
    else same.classes.push(status);
  }
  return found;
}
