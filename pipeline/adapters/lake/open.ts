import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { parseJson } from "../../base/rows/json-text.ts";
import type { LakeConfig } from "../../../schemas/lake.ts";
import { AuditlakeError, isCode, UsageError } from "../../base/errors.ts";
import { checkBase } from "../../base/http/address.ts";
import { newTransport, usualTransport } from "../../base/http/transport.ts";
import { readSecretFile } from "../../base/home/given-file.ts";
import { newScrub, scrubError } from "../../base/home/secrets.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { newFolderStore, type Store } from "./store.ts";
import { newBucketStore } from "./s3.ts";

// A file of 128 MB takes its time on a slow line.
const options = { ...usualTransport, timeoutMs: 600_000, maxAnswerBytes: 1024 ** 3 };

/** Opens where the lake lies; `await using` closes its connections. Throws UsageError where no key is to be had. */
export async function openStore(
  settings: Settings,
  world: World,
): Promise<Store & AsyncDisposable> {
  const lake = getLake(settings);
  if (lake.endpoint === undefined) {
    await refuseNoFolder(lake.location);
    const store = newFolderStore(resolve(lake.location));
    return { ...store, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const endpoint = checkBase(lake.endpoint, world.env, "lake.endpoint");
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(lake.location)!;
  const keys = readKeys(lake, settings, world);
  const transport = newTransport(options, world);
  const where = { place: lake.location, endpoint, bucket, region: lake.region };
  const folder = path === "" ? "" : `${path}/`;
  const store = newBucketStore({ ...where, folder, ...keys }, transport, world);
  const scrub = newScrub([keys.secretAccessKey]);
  return {
    ...withoutSecrets(store, (error) => scrubError(error, scrub)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function refuseNoFolder(location: string): Promise<void> {
  const isFolder = await stat(location).then(
    (found) => found.isDirectory(),
    (error: unknown) => !isCode(error, "ENOTDIR"),
  );
  if (isFolder) return;
  throw new AuditlakeError(
    `lake.location ${location} or a part of it is not a folder; expected an existing or new folder; correct lake.location`,
  );
}

function withoutSecrets(store: Store, scrub: (error: unknown) => unknown): Store {
  const cleanErrors = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw scrub(error);
    }
  };
  return {
    place: store.place,
    list: (...args) => cleanErrors(store.list(...args)),
    drafts: () => cleanErrors(store.drafts()),
    get: (...args) => cleanErrors(store.get(...args)),
    put: (...args) => cleanErrors(store.put(...args)),
    putIfAbsent: (...args) => cleanErrors(store.putIfAbsent(...args)),
    upload: (...args) => cleanErrors(store.upload(...args)),
    remove: (...args) => cleanErrors(store.remove(...args)),
  };
}

type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string };

const stored = z.object({
  access_key_id: z.string().min(1),
  secret_access_key: z.string().min(1),
});

function readKeys(lake: LakeConfig, { configFolder }: Settings, { env }: World): Keys {
  if (lake.credentials_file !== undefined)
    return readFileKeys(resolve(configFolder, lake.credentials_file));
  const [accessKeyId, secretAccessKey] = [env[lake.key_env], env[lake.secret_env]];
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  const missing = accessKeyId ? lake.secret_env : lake.key_env;
  throw new UsageError(
    `no key for the lake ${lake.location}: ${missing} is not set; set it, or set lake.credentials_file`,
  );
}

function readFileKeys(path: string): Keys {
  const text = readSecretFile(path, { file: "credential file", content: "the keys of the lake" });
  const found = stored.safeParse(parseJson(text));
  if (!found.success)
    throw new UsageError(
      `credential file ${path} has no keys; expected {"access_key_id": "…", "secret_access_key": "…"}`,
    );
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = found.data;
  return { accessKeyId, secretAccessKey };
}

/** Throws AuditlakeError where the store would let two publishers take one name, before anything is put there. */
export async function probeStore(store: Store): Promise<void> {
  const name = `_probe/${randomUUID()}`;
  const isFirstStored = await store.putIfAbsent(name, Buffer.from("1"));
  const isSecondStored = await store.putIfAbsent(name, Buffer.from("2"));
  const found = await store.get(name);
  await store.remove(name);
  if (isFirstStored && !isSecondStored && found?.toString() === "1") return;
  throw new AuditlakeError(
    `the lake ${store.place} does not support conditional writes (If-None-Match), so two publishers would overwrite each other's commits; nothing was published: choose another store`,
  );
}

/** Returns the configured lake; throws UsageError if none is configured. */
export function getLake({ config, configFile }: Settings): LakeConfig {
  if (config.lake !== undefined) return config.lake;
  throw new UsageError(
    `no lake: ${configFile ?? "the configuration"} has no lake; add one such as "lake": {"location": "/srv/lake"}`,
  );
}
