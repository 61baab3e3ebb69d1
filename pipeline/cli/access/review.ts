import type { Command } from "commander";
import type { World } from "../../base/world.ts";
import { addApply } from "./review/apply.ts";
import { addExport } from "./review/export.ts";
import { addStatus } from "./review/status.ts";

/** Registers the verbs of `access review`. */
export function addReview(verb: Command, world: World): void {
  const review = verb
    .command("review")
    .description("hand out who may do what, carry out what was decided on it, and prove it");
  for (const add of [addExport, addApply, addStatus]) add(review, world);
}
