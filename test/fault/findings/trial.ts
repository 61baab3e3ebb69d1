import { newRandom } from "../../../fixtures/random.ts";
import { openDetectionHome } from "../../support/detection-home.ts";
import { findDisagreements } from "./agreement.ts";
import { cutLog, drawLog, type LogRecord } from "./log.ts";

/**
 * Complaints of a seed: findings of a log in pieces, or evaluated month by month, that are not those of the whole at once,
 * and findings that do not agree with their evidence.
 */
export async function compareCuts(
  seed: number,
): Promise<{ complaints: string[]; findings: number }> {
  const random = newRandom(seed, "findings");
  const { records, users } = drawLog(random);
  const disagreements: string[] = [];
  const whole = await findingsOf([records], users, disagreements);
  const pieces = await findingsOf(cutLog(records, random), users, disagreements);
  const months = await findingsOf([records], users, disagreements, 1);
  const compare = (other: readonly string[], how: string): string[] => [
    ...whole.filter((each) => !other.includes(each)).map((each) => `missing in ${how}: ${each}`),
    ...other.filter((each) => !whole.includes(each)).map((each) => `only in ${how}: ${each}`),
  ];
  const complaints = [...disagreements, ...compare(pieces, "pieces"), ...compare(months, "months")];
  return { complaints: complaints.map((each) => `seed ${seed}: ${each}`), findings: whole.length };
}

async function findingsOf(
  reads: readonly (readonly LogRecord[])[],
  users: readonly object[],
  disagreements: string[],
  leastEvents?: number,
): Promise<string[]> {
  await using home = await openDetectionHome(
    { findings: { learning: "1d" } },
    undefined,
    leastEvents,
  );
  if (users.length > 0) await home.loadUsers(users);
  for (const records of reads) {
    await home.load(records);
    const failed = await home.evaluate();
    if (failed.length > 0) throw new Error(JSON.stringify(failed));
  }
  disagreements.push(...(await findDisagreements(home.rows)));
  const rows = await home.rows(
    "select concat_ws(' ', detection, source, key, first_at, last_at, finding_id, message) as finding from findings where state <> 'withdrawn' order by finding",
  );
  return rows.map(({ finding }) => String(finding));
}
