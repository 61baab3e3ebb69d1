import type { Command } from "commander";
import type { World } from "../base/world.ts";
import { addChanges, addHistory, addList, addSnapshot } from "./policy/changes.ts";
import { addDiff } from "./policy/diff.ts";
import { addFolder } from "./policy/folder.ts";
import { addGet, addRestore, addSet } from "./policy/set.ts";
import { addPropose } from "./policy/propose.ts";

/** Registers the verbs of `policy` (seed 000). */
export function policy(program: Command, world: World): void {
  const verb = program
    .command("policy")
    .description("read, set, compare and store the permissions of policies");
  for (const add of [
    addList,
    addGet,
    addHistory,
    addSet,
    addFolder,
    addRestore,
    addChanges,
    addDiff,
    addPropose,
    addSnapshot,
  ])
    add(verb, world);
}
