import { commandText } from "../../base/command-line.ts";
import { existsSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { Settings } from "../../base/home/settings.ts";
import { ambiguityText } from "../load/ambiguous-reads.ts";
import { printer } from "../../base/terminal/printer.ts";
import type { World } from "../../base/world.ts";
import type { Choices } from "./plan-rebuild.ts";
import { findPresent, keptOf } from "./present.ts";
import { remake, type Remade } from "./remake.ts";
import { replaceWarehouse } from "./restore.ts";

/** A database made anew that is in its place, and the digest of the one before where that has one. */
export type Rebuilt = Pick<Remade, "plan" | "built"> & { readonly before: string | undefined };

/** Throws AuditlakeError where a home has nothing to rebuild from; a database without landing is enough. */
export function refuseNothing({ landing, warehouse, published }: Home): void {
  if ([landing, warehouse, published].some((path) => existsSync(path))) return;
  throw new AuditlakeError(
    `nothing to rebuild from: ${landing} does not exist; run ${commandText("ingest")} or import first`,
  );
}

/**
 * Makes the database anew beside the present one, under the run lock, and puts it in its place. Prints what is left
 * out and what is ambiguous. Throws AuditlakeError where the digests differ without `force`; nothing is changed then.
 */
export async function rebuildStore(
  settings: Settings,
  choices: Choices,
  world: World,
): Promise<Rebuilt> {
  const { home } = settings;
  const print = printer(world);
  const found = await findPresent(settings, world);
  const { path, plan, built } = await remake(settings, found, choices, world);
  // A page that several reads have is named once.
  for (const what of new Set([...plan.leftOut, ...built.leftOut]))
    print(`warning: left out: ${what}`);
  // What a scheduled run read, the next one reads again.
  for (const manifest of built.ambiguous)
    if (!manifest.nightly) print(`warning: ${ambiguityText(manifest)}`);
  const before = found.present?.digest;
  if (!choices.force && isSameIds(found.present?.ids, plan.ids)) refuseOther(before, built.digest);
  const printing = { nowMs: world.now(), print };
  await replaceWarehouse(home.warehouse, path, keptOf(found, home), printing);
  return { plan, built, before };
}

// Where records are identified by something else than before, other events are expected.
function isSameIds(
  before: ReadonlyMap<string, string> = new Map(),
  now: ReadonlyMap<string, string>,
): boolean {
  const same = [...before].every(([source, idAt]) => now.get(source) === idAt);
  return same && before.size === now.size;
}

function refuseOther(before: string | undefined, digest: string): void {
  if (before === undefined || before === digest) return;
  throw new AuditlakeError(
    `the rebuilt database has digest ${digest}, the present one ${before}; nothing was changed; --force takes the rebuilt one`,
  );
}
