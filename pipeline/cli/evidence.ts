import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { newStreamSink } from "../answers/report/result.ts";
import { AuditlakeError } from "../base/errors.ts";
import { requireHome } from "../base/home/published.ts";
import { readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { adoptLog, initEvidence } from "../core/evidence/adopt.ts";
import { logFiles } from "../core/evidence/entries.ts";
import { buildConsistency, buildLeafProof } from "../core/evidence/prove.ts";
import { runWithWriter, withLock } from "../core/session/write.ts";

/** Registers `evidence` and what can be done with the log over landed files. */
export function evidence(program: Command, world: World): void {
  const verb = program
    .command("evidence")
    .description("sign the log over landed files, and print its heads and proofs");
  init(verb, world);
  head(verb, world);
  consistency(verb, world);
  proof(verb, world);
  adopt(verb, world);
}

const initNotes = `
Writes evidence.key_file (PKCS8, mode 600) and prints the verifier key of this home, which auditors need. Give it to
them separately from the reports.

Examples:
  auditlake evidence init > auditlake.vkey`;

function init(verb: Command, world: World): void {
  verb
    .command("init")
    .description("create the key that signs the heads of the log")
    .addHelpText("after", initNotes)
    .action(async (_flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const key = await changeLog(settings, world, () => initEvidence(settings, world));
      await newStreamSink(world.stdout)(`${key}\n`);
    });
}

const headNotes = `
Prints the newest head of this home as a C2SP checkpoint: origin, number of entries, root hash and signature.

Examples:
  auditlake evidence head > head.checkpoint`;

function head(verb: Command, world: World): void {
  verb
    .command("head")
    .description("print the newest head of the log")
    .addHelpText("after", headNotes)
    .action(async (_flags: object, command: Command) => {
      const { home } = readSettings(command.optsWithGlobals(), world);
      requireHome(home);
      const path = join(home.landing, logFiles.head);
      if (!existsSync(path))
        throw new AuditlakeError(
          "the log of this home has no head yet; the next ingest or import creates it",
        );
      await newStreamSink(world.stdout)(readFileSync(path, "utf8"));
    });
}

const consistencyNotes = `
Prints the body of a C2SP tlog-witness request (add-checkpoint) with the proof that NEW continues OLD. The exit code is
3 if it does not.

Examples:
  auditlake evidence consistency 120.checkpoint 340.checkpoint`;

function consistency(verb: Command, world: World): void {
  verb
    .command("consistency <old> <new>")
    .description("prove that a head continues an older one")
    .addHelpText("after", consistencyNotes)
    .action(async (older: string, newer: string, _flags: object, command: Command) => {
      const { home } = readSettings(command.optsWithGlobals(), world);
      requireHome(home);
      await newStreamSink(world.stdout)(buildConsistency(home.landing, older, newer));
    });
}

const proofNotes = `
Prints a C2SP tlog-proof that the newest head covers an entry, named by its index or by the id of its read. The extra
line is the entry itself.

Examples:
  auditlake evidence proof 17 > 17.tlog-proof`;

function proof(verb: Command, world: World): void {
  verb
    .command("proof <entry>")
    .description("prove that the newest head covers an entry")
    .addHelpText("after", proofNotes)
    .action(async (entry: string, _flags: object, command: Command) => {
      const { home } = readSettings(command.optsWithGlobals(), world);
      requireHome(home);
      await newStreamSink(world.stdout)(buildLeafProof(home.landing, entry));
    });
}

const adoptNotes = `
Gives this home a log with a new name, which starts with all existing entries. Run it for a restored or cloned home:
its new heads then do not contradict heads signed before. Give auditors the new verifier key, which it prints, and
set evidence.heads to another folder.

Examples:
  auditlake evidence adopt > auditlake.vkey`;

function adopt(verb: Command, world: World): void {
  verb
    .command("adopt")
    .description("start a log with a new name, in a home that was restored or cloned")
    .addHelpText("after", adoptNotes)
    .action(async (_flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      const key = await changeLog(settings, world, () => adoptLog(settings, world));
      if (key !== undefined) await newStreamSink(world.stdout)(`${key}\n`);
    });
}

// What is published next, if anything is, names the new head.
async function changeLog<T>(
  settings: Settings,
  world: World,
  change: () => Promise<T>,
): Promise<T> {
  return withLock(settings, world, "evidence", async () => {
    const changed = await change();
    if (existsSync(settings.home.warehouse))
      await runWithWriter(settings, world, () => Promise.resolve());
    return changed;
  });
}
