import { existsSync, statSync } from "node:fs";
import { access, constants, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileTarget } from "../../../../schemas/connectors/file.ts";
import { draftIn } from "../../../base/home/drafts.ts";
import { AuditlakeError, messageOf } from "../../../base/errors.ts";

/** Checks that files can be written into the folder of a target; leaves nothing there. */
export async function tryFolder({ folder }: FileTarget): Promise<string[]> {
  try {
    if (!existsSync(folder)) {
      let above = dirname(folder);
      while (!existsSync(above)) above = dirname(above);
      if (!statSync(above).isDirectory()) throw new Error(`${above} is no folder`);
      await access(above, constants.W_OK);
      return [`${folder} is not there yet, and can be made`];
    }
    const draft = draftIn(folder);
    await writeFile(draft, "", { mode: 0o600, flag: "wx" });
    await rm(draft);
    return [`${folder} can be written to`];
  } catch (error) {
    throw new AuditlakeError(
      `${folder} cannot be written to: ${messageOf(error)}; give this user the right, or name another folder`,
    );
  }
}
