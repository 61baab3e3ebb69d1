import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Faults } from "../../../fixtures/faults.ts";
import { truthLine, truthOf } from "../../../fixtures/faults/truth.ts";
import type { Traffic } from "../../../fixtures/traffic.ts";
import { AuditlakeError } from "../../base/errors.ts";

/** Writes the planted incidents as JSON. */
export async function writeTruth(file: string, { incidents }: Traffic): Promise<void> {
  await orFail("--truth", () => writeFile(file, `${JSON.stringify(incidents, null, 2)}\n`));
}

/** Writes every event of the log, with the moment it becomes visible, as newline-delimited JSON. */
export async function writeLog(file: string, traffic: Traffic, faults?: Faults): Promise<void> {
  const lines = Readable.from(truthOf(traffic, faults).map(truthLine));
  await orFail("--log", () => pipeline(lines, createWriteStream(file)));
}

async function orFail(flag: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new AuditlakeError(`${flag}: the file cannot be written`, undefined, { cause: error });
  }
}
