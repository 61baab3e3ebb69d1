import { fault, notify, warning } from "../../base/notice/notice.ts";
import {
  compareSets,
  type Comparison,
  type Grant,
  listGrants,
} from "../../core/records/permissions.ts";
import { escapeControls } from "../../base/printable.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import type { PermissionSet } from "../../../schemas/policies.ts";
import { AuditlakeError, exitCode, type ExitCode } from "../../base/errors.ts";
import type { Refusal } from "../../core/source/client.ts";
import type { ChangeOutcome } from "./change.ts";
import type { World } from "../../base/world.ts";

type Line = { readonly sign: string; readonly label: readonly string[]; readonly ids: string };

/** What a change takes away and adds, a line for each operation with its ids. */
export function changeLines({ removed, added }: Comparison): string {
  return alignLines([...listLines(removed, "- "), ...listLines(added, "+ ")]);
}

/** Permissions as lines: kind of resource, operation, ids. */
export function formatGrants(grants: readonly Grant[]): string {
  return alignLines(listLines(grants, "  "));
}

function listLines(grants: readonly Grant[], sign: string): Line[] {
  const groups = Map.groupBy(grants, (grant) => JSON.stringify(buildLabel(grant)));
  return [...groups.values()].map((group) => ({
    sign,
    label: buildLabel(group[0]!),
    ids: group
      .flatMap(({ objectId }) => objectId ?? [])
      .map(escapeControls)
      .join(","),
  }));
}

function alignLines(lines: readonly Line[]): string {
  const measureWidth = (at: number): number =>
    Math.max(0, ...lines.map(({ label }) => label[at]!.length));
  const [kinds, operations] = [measureWidth(0), measureWidth(1)];
  return lines
    .map(({ sign, label: [kind = "", operation = "", more = ""], ids }) => {
      const rest = [ids, more].filter((text) => text !== "").join("  ");
      const line = `${sign}${kind.padEnd(kinds)}  ${operation.padEnd(operations)}  ${rest}`;
      return `${line.trimEnd()}\n`;
    })
    .join("");
}

export function changeText({ added, removed, kept }: Comparison): string {
  return `${formatCount(added.length, "permission")} added, ${removed.length} removed, ${kept.length} unchanged`;
}

function buildLabel({ kind, operation, objectName, details }: Grant): string[] {
  const name = objectName === null ? [] : [JSON.stringify(objectName)];
  const more = [...name, details ?? ""].join(" ").trim();
  return [kind, operation ?? "", more].map(escapeControls);
}

type Sets = { readonly before: PermissionSet; readonly wanted: PermissionSet };

/**
 * Prints the outcome of a change and sets the exit code; throws AuditlakeError if the set differs from the wanted one.
 */
export function printOutcome(
  id: string,
  outcome: ChangeOutcome,
  { before, wanted }: Sets,
  print: (line: string) => void,
  world: World,
): void {
  const write = (text: string): void => void world.stderr.write(text);
  const why = "why" in outcome ? outcome.why : undefined;
  const refused = "refused" in outcome ? outcome.refused : undefined;
  if (why !== undefined)
    notify(world, warning("change_unanswered", { why, is_refused: refused !== undefined }));
  switch (outcome.kind) {
    case "in_place":
      return print(`policy ${id} is set and verified`);
    case "kept_further":
      return notify(
        world,
        warning("policy_keeps_more", { policy: id, kinds: outcome.kinds.join(", ") }),
        exitCode.partial,
      );
    case "changed_meanwhile":
      write(`first read:\n${getVersion(before)}now:\n${getVersion(outcome.now)}`);
      throw new AuditlakeError(
        `policy ${id} was changed elsewhere in the meantime; nothing was sent; check it and set it again`,
      );
    case "refused":
      throw new AuditlakeError(
        `policy ${id} ${refusals[outcome.refused]}`,
        chooseExitCode(refused),
      );
    case "not_in_place":
      throw new AuditlakeError(
        `policy ${id} is unchanged: the service has not applied the set${why === undefined ? ", although it reported success" : " yet"}; check with policy get before you set it again`,
      );
    case "differs":
      write(
        `read back, compared with the requested set:\n${changeLines(compareSets(wanted, outcome.now))}`,
      );
      throw new AuditlakeError(
        `policy ${id} now differs from what was sent; check it with policy get`,
      );
    case "not_read_back":
      return failReadBack(id, outcome, world);
  }
}

const refusals: Readonly<Record<Refusal, string>> = {
  set: "is unchanged: the service refused the set; check its operations and ids",
  key: "is unchanged: the service refused the key; check the key and the rights of its user",
  policy: "was not set: the service reports that the policy does not exist; check with policy get",
};

const chooseExitCode = (refused: Refusal | undefined): ExitCode =>
  refused === "key" ? exitCode.refused : exitCode.failed;

function getVersion(set: PermissionSet): string {
  return formatGrants(listGrants(set)) || "  no permission\n";
}

// An interrupted command line prints nothing by itself, and here the person has to know.
function failReadBack(
  id: string,
  { error, why, refused }: ChangeOutcome & { readonly kind: "not_read_back" },
  world: World,
): void {
  const sent = why === undefined ? "was sent and accepted" : "was sent, but its outcome is unknown";
  const text = `the set of policy ${id} ${sent}; it could not be read back: ${error}; check with policy get`;
  if (!world.signal.aborted) throw new AuditlakeError(text, chooseExitCode(refused));
  notify(world, fault("failed", { text }), exitCode.interrupted);
}
