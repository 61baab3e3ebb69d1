import type { Command } from "commander";
import { policyId } from "../../../schemas/policies.ts";
import { AuditlakeError, exitCode } from "../../errors.ts";
import { clientOf } from "../../source/configured-client.ts";
import {
  keepSnapshot,
  nextSnapshotMs,
  readPolicies,
  storeLanded,
  type PoliciesRead,
} from "../../policies/snapshot.ts";
import { streamSink } from "../../report/sink.ts";
import { newProgress } from "../../terminal/progress.ts";
import type { Writer } from "../../writer/open.ts";
import { withWriter } from "../../session/write.ts";
import {
  chooseSource,
  readSettings,
  type NamedSource,
  type Settings,
} from "../../home/settings.ts";
import type { Client } from "../../source/client.ts";
import { knownPolicies, type Moved } from "../../store/policies.ts";
import type { World } from "../../world.ts";
import { sayTo } from "../../report/output.ts";
import { plural } from "../../terminal/amounts.ts";
import { changeLines } from "../../policies/lines.ts";
import { checkId } from "../../policies/target.ts";

const notes = `
Without ids, the policies that sources.<name>.policies lists, or else all that
the log names. The view policy_permissions has what each policy holds and held:
a permission that is not there any more ends, and a policy that the service does
not know any more ends with all it had. What began (+) and ended (-) since the
last snapshot of a policy is printed. A policy that the key may not read leaves
the others alone.

Examples:
  auditlake policy snapshot
  auditlake policy snapshot 1234 1235`;

/** Registers `policy snapshot`. */
export function addSnapshot(verb: Command, world: World): void {
  verb
    .command("snapshot")
    .description("read the permission sets of policies and keep their history")
    .argument("[ids...]", "ids of the policies")
    .addHelpText("after", notes)
    .action(async (ids: readonly string[], _flags: object, command: Command) => {
      for (const id of ids) checkId(id);
      const settings = readSettings(command, world);
      const source = chooseSource(settings, world);
      await using client = clientOf(settings, source, world);
      await withWriter(settings, world, "policy snapshot", (writer) =>
        runSnapshot(settings, source, ids, client, writer, world),
      );
    });
}

async function runSnapshot(
  settings: Settings,
  source: NamedSource,
  named: readonly string[],
  client: Client,
  writer: Writer,
  world: World,
): Promise<void> {
  const { connection } = writer.database;
  const say = sayTo(world, settings.flags.quiet === true);
  const resumed = await storeLanded(settings.home.landing, connection);
  if (resumed > 0) say(`stored ${plural(resumed, "snapshot")} that an earlier run had landed`);
  const known = await knownPolicies(connection, source.name);
  const asked = named.length > 0 ? named : (source.policies ?? listed(known, world));
  const ids = [...new Set(asked)];
  if (ids.length === 0)
    return say(
      "no policy is known yet; ingest the log first, name ids, or list them in sources.<name>.policies",
    );
  const floorMs = await nextSnapshotMs(connection, source.name);
  const { quiet, progress: mode } = settings.flags;
  const progress = newProgress(mode, quiet === true, ids.length, "policies", world);
  let read: PoliciesRead;
  try {
    read = await readPolicies(client, source, ids, floorMs, world, progress.update);
  } finally {
    progress.end();
  }
  if (named.length === 0) refuseAllGone(read);
  await keep(settings, source, withoutUnknown(read, known), writer, say, world);
}

type Known = Awaited<ReturnType<typeof knownPolicies>>;

// The log may name anything; what is no id is not asked for.
function listed(known: Known, world: World): string[] {
  const all = [...known].filter(([, { isGone }]) => !isGone).map(([id]) => id);
  const good = all.filter((id) => policyId.safeParse(id).success);
  if (good.length < all.length)
    world.stderr.write(
      `warning: ${plural(all.length - good.length, "policy id")} of the log left out: no id that a path can carry\n`,
    );
  return good;
}

// What nobody has ever seen is not gone, but a wrong id.
function withoutUnknown({ policies, failures }: PoliciesRead, known: Known): PoliciesRead {
  const isWrong = ({ policy_id: id, body }: PoliciesRead["policies"][number]): boolean =>
    body === null && !known.has(id);
  const wrong = policies.filter(isWrong).map(({ policy_id }) => ({
    policyId: policy_id,
    message: "it does not exist: the service answered 404",
  }));
  return {
    policies: policies.filter((policy) => !isWrong(policy)),
    failures: [...failures, ...wrong],
  };
}

// A wrong base_url makes every policy look gone, which must not end everything.
function refuseAllGone({ policies, failures }: PoliciesRead): void {
  if (policies.length > 1 && failures.length === 0 && policies.every(({ body }) => body === null))
    throw new AuditlakeError(
      `the service knows none of the ${policies.length} policies (404 each); nothing was stored; check base_url, or name the ids if they are all gone`,
    );
}

async function keep(
  settings: Settings,
  source: NamedSource,
  { policies, failures }: PoliciesRead,
  writer: Writer,
  say: (line: string) => void,
  world: World,
): Promise<void> {
  for (const { policyId: id, message } of failures)
    world.stderr.write(`error: policy ${id}: ${message}\n`);
  if (failures.length > 0)
    process.exitCode = policies.length > 0 ? exitCode.partial : exitCode.failed;
  if (policies.length === 0) return;
  const { connection } = writer.database;
  const { landing } = settings.home;
  const counts = await keepSnapshot(landing, connection, source.name, policies, world);
  const gone = policies.filter(({ body }) => body === null);
  const missing = gone.length === 0 ? "" : `, gone: ${gone.map((one) => one.policy_id).join(", ")}`;
  await streamSink(world.stdout, world.signal)(movedLines(counts.moved));
  say(
    `${policies.length} ${policies.length === 1 ? "policy" : "policies"} at ${source.name}: ${plural(counts.inForce, "permission")} in force, ${counts.began} new, ${counts.ended} ended${missing}`,
  );
}

// What began (+) and ended (-), policy by policy.
function movedLines(moved: readonly Moved[]): string {
  return [...Map.groupBy(moved, ({ policyId }) => policyId)]
    .map(([id, own]) => {
      const of = (isBegun: boolean): Moved["grant"][] =>
        own.filter((one) => one.isBegun === isBegun).map(({ grant }) => grant);
      return `policy ${id}\n${changeLines({ added: of(true), removed: of(false), kept: [] })}`;
    })
    .join("");
}
