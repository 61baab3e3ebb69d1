import { execFileSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Copies the files of a checkout, new ones too, and links what is made for it. */
export function copyTree(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", listing, { cwd: from, encoding: "utf8" }).split("\0");
  for (const file of listed) {
    if (lstatSync(join(from, file), { throwIfNoEntry: false })?.isFile() !== true) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(from, file), join(to, file));
  }
  for (const made of ["node_modules", ".lake-tools", "pipeline/adapters/serve/editor.bundle.js"])
    if (existsSync(join(from, made))) symlinkSync(join(from, made), join(to, made));
}
