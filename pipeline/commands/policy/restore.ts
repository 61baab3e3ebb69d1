import type { Command } from "commander";
import { databaseOperations, type PermissionSet } from "../../../schemas/policies.ts";
import { UsageError } from "../../errors.ts";
import { readLimits } from "../../store/limits.ts";
import { openPublished } from "../../store/open.ts";
import { queryFile } from "../../sql/statements.ts";
import type { World } from "../../world.ts";
import { momentMs } from "../../moments/asked-moment.ts";
import { send, type SendFlags } from "../../policies/send.ts";
import { withSending } from "../../policies/send-flags.ts";
import { onPolicy, type Target } from "../../policies/target.ts";
import { checkWanted } from "../../policies/wanted.ts";
import { toTimestamp } from "../../moments/text.ts";

type Flags = SendFlags & { readonly on: string; readonly timezone: string };

/** Registers `policy restore`. */
export function addRestore(verb: Command, world: World): void {
  withSending(
    verb
      .command("restore")
      .description("set a policy to what it held at a moment, by what log and snapshots tell")
      .argument("<policy>", "id or name of the policy, also a former name")
      .requiredOption("--on <time>", "the moment: date, RFC 3339 time, 7d, 12h")
      .option("--timezone <zone>", "where a date's day ends", "UTC"),
  )
    .addHelpText(
      "after",
      "\nRights on databases are restored, and other kinds stay as they are. What is not certain\nof that moment is refused: look at it with policy get --on.\n\nExamples:\n  auditlake policy restore Analysts --on 2026-03-01 --dry-run\n  auditlake policy restore 1234 --on 7d --reason 'undo of a mistake'",
    )
    .action((name: string, flags: Flags, command: Command) =>
      onPolicy(name, command, world, async (target) => {
        const entries = await entriesAt(target, flags, world);
        const plan = (before: PermissionSet): PermissionSet => {
          const wanted = { ...before, Databases: entries };
          checkWanted({ Databases: entries }, "the set of that moment", false);
          return wanted;
        };
        await send(target, "restore", plan, flags, world);
      }),
    );
}

async function entriesAt(
  { id, settings, source }: Target,
  { on, timezone }: Flags,
  world: World,
): Promise<object[]> {
  const onMs = momentMs(on, timezone, world.now());
  world.stderr.write(`on ${new Date(onMs).toISOString()}\n`);
  await using database = await openPublished(settings.home.published, readLimits(settings.config));
  const rows = await queryFile(database.connection, "queries/access/policy.sql", {
    policy_id: id,
    source: source.name,
    on: toTimestamp(onMs),
  });
  const own = rows.filter((row) => row["resource_kind"] === "Databases");
  const unsure = own.filter((row) => row["is_certain"] !== true);
  if (unsure.length > 0)
    throw new UsageError(
      `what policy ${id} held then is not certain (${String(unsure[0]!["evidence"])}); nothing was sent; look with policy get ${id} --on ${on}`,
    );
  const byOperation = Map.groupBy(own, (row) => String(row["operation"]));
  const known: readonly string[] = databaseOperations;
  return [...byOperation]
    .toSorted(([a], [b]) => known.indexOf(a) - known.indexOf(b))
    .map(([operation, rights]) => {
      const ids = rights.flatMap((row) =>
        row["object_id"] === null ? [] : String(row["object_id"]),
      );
      return { operation, ...(ids.length === 0 ? {} : { ids: ids.join(",") }) };
    });
}
