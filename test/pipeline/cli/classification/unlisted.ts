import { one, request, unknown, type Case, type Expected } from "./case.ts";

type Ending = Pick<Expected, "denial_kind" | "outcome">;

const ending = (outcome: string, denial_kind: string | null = null): Ending => ({
  outcome,
  denial_kind,
});

// What the name of an event that the reference does not list says, beside what it says of the kind.
const names: readonly (readonly [name: string | null, more: object, byName: Ending])[] = [
  ["something.column_visibility_violation", {}, ending("denied", "column_visibility_denial")],
  ["Anything.Column_Visibility_Violation", {}, ending("denied", "column_visibility_denial")],
  ["column_visibility_violation", {}, ending("unknown")],
  ["x.column_visibility_violations", {}, ending("unknown")],
  ["x.columnXvisibility_violation", {}, ending("unknown")],
  ["lookup_made", { required_visibility: "pii" }, ending("denied", "column_visibility_denial")],
  ["lookup_failed", { required_visibility: "pii" }, ending("denied", "column_visibility_denial")],
  [null, { required_visibility: "clear" }, ending("denied", "column_visibility_denial")],
  ["lookup_made", { required_visibility: "" }, ending("unknown")],
  ["lookup_made", { visibility: "pii" }, ending("unknown")],
  ["sign_in_failed_by_robot", {}, ending("failed", "failed_sign_in")],
  ["SIGN_IN_FAILED2", {}, ending("failed", "failed_sign_in")],
  ["sign_in_failed_access_denied", {}, ending("failed", "failed_sign_in")],
  ["new_sign_in_failed", {}, ending("failed")],
  ["sign_in_fail", {}, ending("unknown")],
  ["column_unauthorized", {}, ending("denied", "unauthorized_action")],
  ["Export_Denied", {}, ending("denied", "unauthorized_action")],
  ["export_failed_denied", {}, ending("denied", "unauthorized_action")],
  ["export_denied_failed", {}, ending("failed")],
  ["workflow_FAILED", {}, ending("failed")],
  ["exportfailed", {}, ending("unknown")],
  ["export-failed", {}, ending("unknown")],
  ["export_failed_again", {}, ending("unknown")],
  ["unauthorized_export", {}, ending("unknown")],
  ["accessdenied", {}, ending("unknown")],
  ["column_query", {}, ending("unknown")],
  ["", {}, ending("unknown")],
  [null, {}, ending("unknown")],
];

// What a result decides; undefined where it decides nothing.
const outcomes: readonly (readonly [result: string | null, outcome: string | undefined])[] = [
  [null, undefined],
  ["", undefined],
  [" ", undefined],
  ["denied", "denied"],
  [" Denied ", "denied"],
  ["FAILED", "failed"],
  ["ok", "succeeded"],
  ["denied by policy", "succeeded"],
  ["unknown", "succeeded"],
];

/** Names of tomorrow in every form, with every result: the result decides, else the name; the kind is the name's. */
export const unlisted: Case[] = names.flatMap(([name, more, byName]) =>
  outcomes.map(([event_result, stated]) => {
    const outcome = stated ?? byName.outcome;
    const denial_kind = outcome === "succeeded" ? null : byName.denial_kind;
    return one(
      `${name} with ${JSON.stringify({ ...more, event_result })}`,
      request(name!, null, null, { ...more, event_result }),
      { ...unknown, outcome, denial_kind },
    );
  }),
);
