import type { DuckDBConnection } from "@duckdb/node-api";
import { nameOfPlace, placeText } from "../deliveries/same-place.ts";
import { queryFile, runFile } from "../../base/sql/statements.ts";
import type { ClassTarget } from "./class-places.ts";

/** Remembers where the rows of each class went. */
export async function keepPlaces(
  connection: DuckDBConnection,
  targets: readonly ClassTarget[],
): Promise<void> {
  for (const { status, target } of targets)
    await runFile(connection, "queries/activation/keep_place.sql", {
      delta_status: status,
      place: placeText(target),
    });
}

/**
 * Warns of each class that goes to another place than in the last run. What is remembered is what the former one has,
 * and nothing of it is brought to the new one.
 */
export async function warnOfPlaces(
  connection: DuckDBConnection,
  name: string,
  targets: readonly ClassTarget[],
  print: (line: string) => void,
): Promise<void> {
  const rows = await queryFile(connection, "queries/activation/places.sql");
  const before = new Map(rows.map((row) => [String(row["delta_status"]), String(row["place"])]));
  for (const { status, target } of targets) {
    const [then, now] = [before.get(status), placeText(target)];
    if (then === undefined || then === now) continue;
    const [former, present] = [then, now].map(nameOfPlace);
    const places =
      former === present
        ? `${present}, in another part of it`
        : `${present}, no longer to ${former}`;
    print(
      `warning: ${status}: goes to ${places}; what the last runs delivered counts as delivered and is not sent there; activate reset ${name} sends all`,
    );
  }
}
