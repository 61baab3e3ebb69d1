import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AuditlakeError, isCode, messageOf } from "../errors.ts";

/** Writes a file that is whole or not there: temporary file, fsync, rename, fsync of the folder. */
export async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new AuditlakeError(
      `cannot write ${path}: ${messageOf(error)}; free space or fix the rights, then run again`,
    );
  }
  await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    await folder.sync().finally(async () => folder.close());
  } catch (error) {
    // Some file systems refuse to sync a folder; the file itself is safe.
    if (!isCode(error, "EINVAL") && !isCode(error, "EISDIR") && !isCode(error, "EPERM"))
      throw error;
  }
}
