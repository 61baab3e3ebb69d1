import { existsSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Command } from "commander";
import type { PermissionSet } from "../../schemas/policies.ts";
import { parseKeepingNumbers } from "../records/canonical.ts";
import { compareSets, isSameSet } from "../records/permissions.ts";
import { textResult } from "../report/result.ts";
import { listChanges, type SentChange } from "./log.ts";
import { readSettings } from "../home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import { queryFile } from "../sql/statements.ts";
import type { World } from "../world.ts";
import { rowFormatOf, withOutput, writeRows, type OutputFlags } from "../report/output.ts";
import { plural } from "../terminal/amounts.ts";
import { plainPrinter } from "../terminal/printer.ts";

/** Registers `policy changes`. */
export function addChanges(verb: Command, world: World): void {
  withOutput(
    verb
      .command("changes")
      .description(
        "the sets that were sent from here: who, why, what came of it, proven by which event",
      ),
  )
    .addHelpText(
      "after",
      "\nconfirmed_by is the event of the log that shows the set as it was sent; it is empty\nuntil the log of that time has been ingested.\n\nExamples:\n  auditlake policy changes\n  auditlake policy changes --format csv",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command, world);
      const format = rowFormatOf(flags);
      const changes = listChanges(settings.home);
      const { published } = settings.home;
      await using database = existsSync(published)
        ? await openPublished(published, readLimits(settings.config))
        : undefined;
      const rows = [];
      for (const sent of changes) rows.push(await rowOf(sent, database?.connection));
      const print = plainPrinter(world, settings.flags.quiet === true);
      await writeRows(textResult(columns, rows), format, flags, world, print);
      print(plural(changes.length, "change"));
    });
}

const columns = [
  "sent_at",
  "policy_id",
  "verb",
  "by_whom",
  "api_user",
  "reason",
  "added",
  "taken_away",
  "outcome",
  "confirmed_by",
  "confirmed_actor",
  "source",
];

async function rowOf(
  sent: SentChange,
  connection: DuckDBConnection | undefined,
): Promise<(string | null)[]> {
  const [before, after] = [setOf(sent.before), setOf(sent.after)];
  const { added, removed } = compareSets(before, after);
  const proof = connection === undefined ? undefined : await proofOf(sent, after, connection);
  return [
    sent.sent_at,
    sent.policy_id,
    sent.verb,
    sent.by_whom,
    sent.api_user,
    sent.reason,
    String(added.length),
    String(removed.length),
    sent.outcome,
    proof?.key ?? null,
    proof?.actor ?? null,
    sent.source,
  ];
}

const setOf = (text: string): PermissionSet => parseKeepingNumbers(text) as PermissionSet;

const minuteMs = 60_000;

// Clocks differ, and the log keeps whole seconds: some minutes around it are looked at.
async function proofOf(
  { policy_id, source, sent_at }: SentChange,
  after: PermissionSet,
  connection: DuckDBConnection,
): Promise<{ readonly key: string; readonly actor: string | null } | undefined> {
  const sentMs = Date.parse(sent_at);
  const at = (ms: number): string => new Date(ms).toISOString();
  const rows = await queryFile(connection, "queries/access/confirming.sql", {
    policy_id,
    source,
    from: at(sentMs - 5 * minuteMs),
    until: at(sentMs + 15 * minuteMs),
  });
  const proof = rows.find((row) => shows(String(row["new_value"]), after));
  if (proof === undefined) return undefined;
  const actor = proof["actor_email"];
  return { key: String(proof["event_key"]), actor: actor === null ? null : String(actor) };
}

function shows(value: string, after: PermissionSet): boolean {
  try {
    const logged = parseKeepingNumbers(value);
    return (
      typeof logged === "object" && logged !== null && isSameSet(logged as PermissionSet, after)
    );
  } catch {
    return false;
  }
}
