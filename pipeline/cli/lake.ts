import type { Command } from "commander";
import type { World } from "../base/world.ts";
import { ddl } from "./lake/ddl.ts";
import { publish } from "./lake/publish.ts";
import { status } from "./lake/status.ts";
import { vacuum } from "./lake/vacuum.ts";
import { verify } from "./lake/verify.ts";

/** Registers `lake` and what can be done with it. */
export function lake(program: Command, world: World): void {
  const verb = program
    .command("lake")
    .description("keep the rows in Delta tables too, for engines that scale out");
  publish(verb, world);
  status(verb, world);
  verify(verb, world);
  vacuum(verb, world);
  ddl(verb, world);
}
