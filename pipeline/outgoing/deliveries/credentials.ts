import { resolve } from "node:path";
import { parseJson } from "../../base/rows/json-text.ts";
import { storedCredentials, type Authentication } from "../../../schemas/authentications.ts";
import { savedMarker } from "../../../schemas/connectors/saved.ts";
import { UsageError } from "../../base/errors.ts";
import { getOwn } from "../../base/home/get-own.ts";
import { readSecretFile } from "../../base/home/given-file.ts";
import type { NamedTarget } from "../targets/destination.ts";
import { getDestination } from "../registry.ts";

export type Credentials = {
  /** Reads the value of a key of the target; throws UsageError if it is neither in the target nor stored. */
  readonly of: (key: string) => string;
  /** All that must never be shown. */
  readonly secrets: readonly string[];
};

// What a workflow names for a destination that takes no credentials: the parameter must be given.
const noAuthentication = "none";

const kind = { file: "credential file", content: "credentials" };

/**
 * Reads the credentials of a target. A key `__SAVED__` takes its value from the authentication of the target (seed 002,
 * B, access_token): a JSON object in a file of mode 600 or in an environment variable. Throws UsageError, which never
 * shows any of it.
 */
export function readCredentials(
  target: NamedTarget,
  authentications: Readonly<Record<string, Authentication>>,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  const written: Readonly<Record<string, unknown>> = target;
  const saved = Object.keys(written).filter((key) => written[key] === savedMarker);
  const { needsCredentials } = getDestination(target);
  // An authentication that is named has to exist (seed 002, C, rule 7), also where none is needed.
  const isNamed =
    target.authentication !== undefined &&
    (needsCredentials(target) || target.authentication !== noAuthentication);
  const place =
    isNamed || saved.length > 0 ? locateKey(target, authentications, folder) : undefined;
  const stored = place === undefined || saved.length === 0 ? {} : readStored(place, env);
  const missing = saved.find((key) => getOwn(stored, key) === undefined);
  if (missing !== undefined)
    throw new UsageError(
      `target ${target.name}: ${missing} is ${savedMarker}, but ${place!.label} has no ${missing}; add it there`,
    );
  const readKey = (key: string): string => {
    const value = written[key] === savedMarker ? stored[key] : written[key];
    if (typeof value === "string" && value !== "") return value;
    throw new UsageError(
      `target ${target.name}: ${key} is missing; expected a credential, or ${savedMarker} for a stored one`,
    );
  };
  return { of: readKey, secrets: [...Object.values(stored), ...listTargetSecrets(target)] };
}

/** What a target has of secrets in the configuration itself. */
export function listTargetSecrets(target: NamedTarget): string[] {
  return getDestination(target).secrets(target).filter(isSecret);
}

function isSecret(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value !== savedMarker;
}

type Place = { readonly file?: string; readonly env?: string; readonly label: string };

function locateKey(
  { name, authentication }: NamedTarget,
  authentications: Readonly<Record<string, Authentication>>,
  folder: string,
): Place {
  const found = authentication === undefined ? undefined : getOwn(authentications, authentication);
  if (found === undefined) {
    const known = Object.keys(authentications).join(", ") || "none";
    const named =
      authentication === undefined
        ? "names no authentication"
        : `authentication ${authentication} is not configured`;
    throw new UsageError(`target ${name}: ${named}; known: ${known}`);
  }
  if ("env" in found)
    return {
      env: found.env,
      label: `authentication ${authentication} (environment variable ${found.env})`,
    };
  const file = resolve(folder, found.file);
  return { file, label: `authentication ${authentication} (file ${file})` };
}

function readStored(
  { file, env: variable, label }: Place,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const text = file === undefined ? getOwn(env, variable!) : readSecretFile(file, kind);
  if (text === undefined || text === "")
    throw new UsageError(`${label} is empty; expected ${form}`);
  const result = storedCredentials.safeParse(parseJson(text.replace(/^\ufeff/, "")));
  if (!result.success)
    throw new UsageError(`${label} is not a set of credentials; expected ${form}`);
  return result.data;
}

const form = 'a JSON object of strings such as {"client_id": "…", "client_secret": "…"}';

// The error of the parser would quote the text.
