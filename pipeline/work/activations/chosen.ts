import { commandText } from "../../base/command-line.ts";
import type { Activation } from "../../../schemas/activation.ts";
import { name as activationName } from "../../../schemas/name.ts";
import { UsageError } from "../../base/errors.ts";
import { own } from "../../base/home/own.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readWorkflow } from "./workflow.ts";

/** An activation with the name that its state goes by. */
export type Named = {
  readonly name: string;
  readonly activation: Activation;
  /** The zone of timestamps that go out; UTC where none is given. */
  readonly timezone?: string | undefined;
};

/** The activation of a name; throws UsageError naming those there are. */
export function configured(name: string | undefined, { config }: Settings): Named {
  const known = Object.keys(config.activations).join(", ") || "none; add one under activations";
  if (name === undefined)
    throw new UsageError(
      `which one? expected the name of an activation, or --from-workflow; known: ${known}`,
    );
  const activation = own(config.activations, name);
  if (activation !== undefined) return { name, activation };
  throw new UsageError(`activation ${name} is not configured; known: ${known}`);
}

/**
 * The activation of a workflow file, by the name given or that of the file. Throws UsageError where the file will not
 * do, or where the name is none or that of an activation of the configuration.
 */
export function fromWorkflow(
  path: string,
  given: string | undefined,
  { config }: Settings,
  print: (line: string) => void,
): Named {
  const { name: ownName, activation, leftOut, timezone } = readWorkflow(path);
  const name = given ?? ownName;
  const advice = `choose one: ${commandText("activate", "NAME", "--from-workflow", path)}`;
  if (!activationName.safeParse(name).success)
    throw new UsageError(
      `${JSON.stringify(name)} cannot be the name of an activation; expected letters, digits, dots, dashes and underscores; ${advice}`,
    );
  if (own(config.activations, name) !== undefined)
    throw new UsageError(
      `activation ${name} is one of the configuration, which remembers rows of its own; ${advice}`,
    );
  if (leftOut.length > 0) print(`note: only the activation is run, not ${leftOut.join(", ")}`);
  return { name, activation, timezone };
}
