import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isZone } from "../../../schemas/zone.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { aboutSubject } from "../investigate/with-subject.ts";
import { quotedStart } from "../../base/printable.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Report } from "../report/find.ts";
import { untoldLines } from "../report/untold.ts";
import { momentOf } from "../report/values.ts";
import { interruptFrom } from "../../base/sql/interrupt.ts";
import type { Question } from "../../base/sql/question.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { withIds } from "./ids.ts";

/** A report of the package, and what it is asked with. */
type Asked = { readonly report: Report; readonly question: Question };

/** A question in which every name was found, and what is to be told of them, a line each. */
export type Found = { readonly question: Question; readonly told: readonly string[] };

/**
 * The question with ids in place of names. Throws UsageError for a time zone that the published data does not have, and
 * for a name that nobody had. Either would give no rows, which looks as if nothing was found.
 */
export async function knownQuestion(
  connection: DuckDBConnection,
  { report, question }: Asked,
  source: string | undefined,
): Promise<Question> {
  await refuseUnknownZone(connection, question);
  return withIds(connection, report, question, source);
}

/** The same, and with the subject of a timeline. A report of a user's own is asked as it stands. */
export async function foundQuestion(
  connection: DuckDBConnection,
  asked: Asked,
  source: string | undefined,
): Promise<Found> {
  const { report, question } = asked;
  if (!report.isBuiltIn) return { question, told: [] };
  const told: string[] = [];
  const known = await knownQuestion(connection, asked, source);
  told.push(...(await untoldBy(connection, { report, question: known }, source)));
  const found = await aboutSubject(connection, { report, question: known }, (line) =>
    told.push(line),
  );
  return { question: found, told };
}

/** The same in the published data, which is opened where the question may name anything; the signal interrupts it. */
export async function foundPublished(
  asked: Asked,
  { home, config, flags: { source } }: Settings,
  signal: AbortSignal,
): Promise<Found> {
  const { report, question } = asked;
  const isText = Object.values(question.values).some(({ type }) => type === "text");
  if (!report.isBuiltIn || !(isText || "on" in question.values)) return { question, told: [] };
  await using database = await openPublished(home.published, readLimits(config), source);
  const stopListening = interruptFrom(database.connection, signal);
  try {
    return await foundQuestion(database.connection, asked, source);
  } finally {
    stopListening();
  }
}

/**
 * A line on the policies of which nothing tells what they hold, of those that a report at a moment is about. Such a
 * report leaves out what they give. The question names by ids.
 */
export async function untoldBy(
  connection: DuckDBConnection,
  { report, question: { values } }: Asked,
  source: string | undefined,
): Promise<string[]> {
  const onMs = values["on"] && momentOf(values["on"]);
  if (!report.isBuiltIn || onMs === undefined) return [];
  const [policy, user] = ["policy", "user"].map((name) => values[name]?.value ?? null);
  return untoldLines(connection, {
    source: source ?? null,
    policy_id: typeof policy === "string" ? policy : null,
    user_id: typeof user === "string" ? user : null,
    on: toTimestamp(onMs),
  });
}

async function refuseUnknownZone(
  connection: DuckDBConnection,
  { values }: Question,
): Promise<void> {
  const zone = values["timezone"]?.value;
  if (typeof zone !== "string" || zone === "default") return;
  const held = (await queryFile(connection, "queries/timezones/held.sql")).map((row) =>
    String(row["timezone"]),
  );
  if (held.includes(zone)) return;
  if (!isZone(zone))
    throw new UsageError(
      `${quotedStart(zone)} is no time zone; expected one such as UTC or Europe/Oslo`,
    );
  throw new UsageError(
    `time zone ${JSON.stringify(zone)} is not in the published data, which has ${held.join(", ")}; add it to timezones in the configuration, then run ${commandText("publish")}`,
  );
}
