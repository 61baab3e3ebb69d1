import { notify, warning } from "../../base/notice/notice.ts";
import type { PermissionSet } from "../../../schemas/policies.ts";
import { writeJson } from "../../core/records/canonical.ts";
import { compareSets, type Comparison, selectPermissions } from "../../core/records/permissions.ts";
import { newStreamSink } from "../report/result.ts";
import { keepChange, type SentChange } from "./log.ts";
import { changePolicy, readCurrentSet, type ChangeResult } from "./change.ts";
import { AuditlakeError, getMessage, UsageError } from "../../base/errors.ts";
import { newClockCheck } from "../../core/source/clock.ts";
import { newRunId } from "../../core/store/ledger/record.ts";
import type { World } from "../../base/world.ts";
import { changeLines, changeText, printOutcome } from "./change-lines.ts";
import { openKnown, type Target } from "./target.ts";
import { plainPrinter, type Line } from "../../base/notice/printer.ts";
import type { Settings } from "../../base/home/settings.ts";
import { confirmChange, confirmWithText } from "../../base/terminal/confirm.ts";
import { escapeControls } from "../../base/printable.ts";
import { nullable, queryRows, text } from "../../base/sql/typed-rows.ts";

export type SendFlags = {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly reason?: string;
};

/** The wanted set, once the present one is known. */
export type Plan = (before: PermissionSet) => PermissionSet;

/** A policy to set, and the reason if the flags have none. */
export type Sending = { readonly target: Target; readonly plan: Plan; readonly reason?: string };

/** Sends one set after the other. Where one fails, it prints the policies that are left unchanged, and throws. */
export async function sendAll(
  sendings: readonly Sending[],
  verb: string,
  flags: SendFlags,
  world: World,
): Promise<void> {
  for (const [i, { target, plan, ...why }] of sendings.entries()) {
    try {
      await send(target, verb, plan, { ...flags, ...why }, world);
    } catch (error) {
      const left = [...new Set(sendings.slice(i + 1).map((sending) => sending.target.id))];
      if (left.length > 0) notify(world, warning("policies_unchanged", { policies: left }));
      throw error;
    }
  }
}

/**
 * Sends a planned change of a policy; all verbs use it (seed 000, Endpoints, rule 2). Reads the set, shows the change,
 * warns, asks for consent, reads it again, sends once, reads it back, and records who did it and why.
 */
export async function send(
  target: Target,
  verb: string,
  plan: Plan,
  flags: SendFlags,
  world: World,
): Promise<void> {
  const { client, id, source, settings } = target;
  const print = plainPrinter(world, settings.flags);
  // A stored change is confirmed and found by its time.
  const check = newClockCheck(true, undefined, world.now, () => undefined);
  const before = selectPermissions(await readCurrentSet(client, id, check));
  const wanted = plan(before);
  const comparison = compareSets(before, wanted);
  if (comparison.added.length + comparison.removed.length === 0)
    return print(`policy ${id}: nothing to change, nothing was sent`);
  await showComparison(comparison, flags, settings.flags.quiet === true, world);
  print(`policy ${id} at ${source.name}: ${changeText(comparison)}`);
  for (const line of await listWarnings(target, comparison)) plainPrinter(world, {})(line);
  if (flags.dryRun) return print("dry run: nothing was sent");
  const reason = await readAgreedReason(flags, settings, world);
  const sent = newSentChange(target, verb, reason, { before, wanted }, world);
  await keepChange(settings.home, sent);
  const keep = (outcome: string, made = {}): Promise<void> =>
    keepChange(settings.home, { ...sent, outcome, ...made });
  const made = await changePolicy(client, id, before, wanted, world.now).catch(
    async (error: unknown) => {
      await keep("not_sent").catch(() => undefined);
      throw error;
    },
  );
  const { outcome } = made;
  // The change was sent, so its outcome is printed even if recording it fails.
  const fault = await keep(outcome.kind, toInterval(made)).then(
    () => undefined,
    (error: unknown) => new AuditlakeError(`${unkept}: ${getMessage(error)}`),
  );
  if (fault !== undefined) notify(world, warning("change_unrecorded", { why: fault.message }));
  printOutcome(id, outcome, { before, wanted }, print, world);
  if (fault !== undefined) throw fault;
}

function toInterval({ fromMs, untilMs }: ChangeResult): Partial<SentChange> {
  return {
    ...(fromMs === undefined ? {} : { made_from: new Date(fromMs).toISOString() }),
    ...(untilMs === undefined ? {} : { made_until: new Date(untilMs).toISOString() }),
  };
}

const unkept = "its outcome is not recorded; policy changes shows it as begun";

async function showComparison(
  comparison: Comparison,
  { dryRun, yes }: SendFlags,
  isQuiet: boolean,
  world: World,
): Promise<void> {
  if (dryRun) await newStreamSink(world.stdout, world.signal)(changeLines(comparison));
  // What sends prints to standard error: a reader of standard output may leave, which would stop it halfway.
  else if (!yes || !isQuiet) world.stderr.write(changeLines(comparison));
}

function newSentChange(
  { id, source }: Target,
  verb: string,
  reason: string | null,
  { before, wanted }: { readonly before: PermissionSet; readonly wanted: PermissionSet },
  world: World,
): SentChange {
  return {
    version: 1,
    change_id: newRunId(world.now(), world.random),
    source: source.name,
    policy_id: id,
    sent_at: new Date(world.now()).toISOString(),
    verb,
    by_whom: world.env["USER"] ?? world.env["LOGNAME"] ?? "unknown",
    api_user: source.api_user ?? null,
    reason,
    before: writeJson(before),
    after: writeJson(wanted),
    outcome: "begun",
  };
}

type Flags = { readonly reason?: string; readonly yes?: true };

/**
 * Asks for consent, and for a reason if `--reason` has none. Returns the reason, or null. Throws UsageError if
 * policies.require_reason demands a reason and none is given, AuditlakeError if the answer is no.
 */
export async function readAgreedReason(
  { reason, yes }: Flags,
  { config }: Settings,
  world: World,
): Promise<string | null> {
  const given = reason?.trim() ?? "";
  const isAsked = yes !== true && world.stdin.isTTY === true;
  const isMissing = given === "" && config.policies.require_reason;
  if (isMissing && !isAsked) throw new UsageError(demanded);
  if (yes) return given || null;
  if (!isAsked)
    throw new UsageError("nothing was sent: confirmation needs a terminal; add --yes to set it");
  const answer =
    given === ""
      ? await confirmWithText(
          question,
          config.policies.require_reason ? "Why" : "Why (may be empty)",
          world,
        )
      : (await confirmChange(question, world))
        ? given
        : undefined;
  if (answer === undefined) throw new AuditlakeError("not confirmed; nothing was sent");
  if (answer === "" && isMissing) throw new UsageError(demanded);
  return answer || null;
}

const question = "Set these permissions?";
const demanded = "nothing was sent: policies.require_reason requires a reason; add --reason TEXT";

/** Warnings before a change is sent: whom it touches, that it grants `manage`, that it touches the sender's own access. */
async function listWarnings(target: Target, comparison: Comparison): Promise<Line[]> {
  const people = await listMembers(target);
  const { api_user: own } = target.source;
  const givesAll = comparison.added.some(
    ({ kind, operation }) => kind === "Databases" && operation === "manage",
  );
  const isOwn = own !== undefined && people?.some((each) => each.includes(own.toLowerCase()));
  return [
    people === undefined || people.length === 0
      ? []
      : `it affects ${people.length === 1 ? "1 person" : `${people.length} people`}, according to log and directory`,
    givesAll ? warning("manage_granted", { operation: "manage" }) : [],
    isOwn && comparison.removed.length > 0
      ? warning("own_rights_lost", {
          user: escapeControls(own),
          permissions: comparison.removed.length,
        })
      : [],
  ].flat();
}

// The members of the policy, by e-mail and id; undefined where no published data knows them.
async function listMembers({ id, settings, source }: Target): Promise<string[][] | undefined> {
  await using database = await openKnown(settings);
  if (database === undefined) return undefined;
  const shape = { userId: nullable(text), userEmail: nullable(text) };
  const values = { policy_id: id, source: source.name };
  const path = "queries/access/members_now.sql";
  const rows = await queryRows(database.connection, path, shape, values);
  return rows.map(({ userId, userEmail }) => [userEmail?.toLowerCase() ?? "", userId ?? ""]);
}
