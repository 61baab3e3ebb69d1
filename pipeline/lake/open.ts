import type { LakeConfig } from "../../schemas/lake.ts";
import { AuditlakeError, UsageError } from "../errors.ts";
import { randomUUID } from "node:crypto";
import type { Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { folderStore } from "./folder.ts";
import type { Store } from "./store.ts";

/** The lake of the configuration; throws UsageError where there is none. */
export function lakeOf({ config, configFile }: Settings): LakeConfig {
  if (config.lake !== undefined) return config.lake;
  throw new UsageError(
    `no lake: ${configFile ?? "the configuration"} has no lake; add one such as "lake": {"location": "/srv/lake"} or {"location": "s3://bucket/audit"}`,
  );
}

/** Opens where the lake lies. */
export async function openStore(settings: Settings, _world: World): Promise<Store> {
  const { location } = lakeOf(settings);
  if (!location.startsWith("s3://")) return folderStore(location.replace(/(?<!^)\/+$/, ""));
  throw new UsageError("not yet");
}

/** Throws AuditlakeError where the store would let two publishers take one name, before anything is put there. */
export async function probe(store: Store): Promise<void> {
  const name = `_probe/${randomUUID()}`;
  const first = await store.putIfAbsent(name, Buffer.from("1"));
  const second = await store.putIfAbsent(name, Buffer.from("2"));
  const found = await store.get(name);
  await store.remove(name);
  if (first && !second && found?.toString() === "1") return;
  throw new AuditlakeError(
    `the lake ${store.place} cannot put a file only where there is none (If-None-Match), so that two publishers would undo each other's commits; nothing was put there: choose another store`,
  );
}
