import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve, sep } from "node:path";

// Every process of a suite that is searched for leaks loads this first. What is removed below the temporary folder is
// moved to another place instead, so that it can be searched afterwards.

const kept = process.env["TEST_KEPT"];
const watched = process.env["TMPDIR"];
let moves = 0;

if (kept !== undefined && watched !== undefined) {
  const move = (path: unknown): boolean => {
    if (typeof path !== "string" || !resolve(path).startsWith(resolve(watched) + sep)) return false;
    try {
      renameSync(path, join(kept, `${process.pid}-${(moves += 1)}`));
      return true;
    } catch {
      // Any failure is reported by the real removal, as without this module.
      return false;
    }
  };
  // A name that another file takes over keeps its old file under a second name; it is never missing in between.
  const link = (path: unknown): void => {
    if (typeof path !== "string" || !resolve(path).startsWith(resolve(watched) + sep)) return;
    try {
      linkSync(path, join(kept, `${process.pid}-${(moves += 1)}`));
    } catch {
      // There was none, or it is a folder.
    }
  };
  const { linkSync, renameSync, rmSync, unlinkSync } = fs;
  const { rm, unlink, rename } = fs.promises;
  fs.rmSync = (path, options) => {
    if (!move(path)) rmSync(path, options);
  };
  fs.unlinkSync = (path) => {
    if (!move(path)) unlinkSync(path);
  };
  fs.renameSync = (from, to) => {
    link(to);
    renameSync(from, to);
  };
  fs.promises.rm = async (path, options) => {
    if (!move(path)) await rm(path, options);
  };
  fs.promises.unlink = async (path) => {
    if (!move(path)) await unlink(path);
  };
  fs.promises.rename = async (from, to) => {
    link(to);
    await rename(from, to);
  };
  syncBuiltinESMExports();
}
