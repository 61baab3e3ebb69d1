import { withhold } from "../../base/notice/notice.ts";
import { rowCount } from "../../work/targets/error.ts";
import type { Activated } from "../../work/activations/started.ts";
import type { Came } from "../../work/deliveries/recorded.ts";

/** What a run came to, in lines for the person. */
export function summary(name: string, activated: Activated, dryRun: boolean): string[] {
  const { run: done, unmapped, setAside, dropped } = activated;
  const { rows, counts, allNewBecause } = done;
  const why = allNewBecause === undefined ? "" : ` (all new: ${allNewBecause})`;
  const classes = `${counts.new} new, ${counts.updated} updated, ${counts.deleted} deleted, ${counts.unchanged} unchanged${why}`;
  const left = unmapped.map((status) => `${status}: no mapping, so not delivered`);
  const sent = dryRun ? ["dry run: nothing was delivered"] : deliveredLines(activated);
  return [
    `${name}: ${rows} rows: ${classes}`,
    ...left,
    ...(setAside > 0 ? [`${rowCount(setAside)} set aside, which did not arrive before`] : []),
    ...(dropped.changed > 0
      ? [
          `of what did not arrive before, ${rowCount(dropped.changed)} changed since and went by the new content`,
        ]
      : []),
    ...(dropped.gone > 0
      ? [
          `of what did not arrive before, ${rowCount(dropped.gone)} left the source and are tried no more`,
        ]
      : []),
    ...sent,
  ];
}

const maxId = 40;

function deliveredLines({ run: done, refused: rows }: Activated): string[] {
  const { accepted, refused, uncertain, outcome } = done;
  const failed = refused > 0 ? `, ${refused} refused` : "";
  const perhaps = uncertain > 0 ? `, ${uncertain} perhaps` : "";
  const sent = `${accepted} delivered${failed}${perhaps}`;
  if (outcome !== "partial") return [sent];
  const named = rows.map(
    ({ id, status, state, reason }) =>
      `warning: ${status} ${withhold(JSON.stringify(id.slice(0, maxId)), "row")} ${state}: ${reason}`,
  );
  return [
    ...named,
    sent,
    "what did not arrive is set aside, and all else is remembered; refused_rows lists it",
    ...(refused > 0 ? ["--retry-refused tries the refused ones again"] : []),
    ...(uncertain > 0 ? ["--resend-uncertain sends again what may have arrived"] : []),
    "--accept-refused gives them up",
  ];
}

/** The same as it is recorded. */
export function cameOf(name: string, { run, refused: rows }: Activated): Came {
  const { accepted, refused, uncertain, outcome, counts, number } = run;
  const classes = { ...counts, all_new_because: run.allNewBecause ?? null };
  return {
    delivery: `${name}-${number}`,
    // A run that fails throws, and is recorded as such.
    outcome: outcome === "partial" ? "partial" : "delivered",
    rows: run.rows,
    accepted,
    refused,
    uncertain,
    more: { classes, refused_rows: rows },
  };
}
