import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import type { Row } from "../../support/rows.ts";

/** Commits whose programs made the homes, oldest first (make-homes.sh); the first knew no prune. */
export const commits = ["36f09f0", "061c7fc", "6992e1b"] as const;

/** A home as the program of the commit left it, and in `whole` a home of its landing before anything was pruned. */
export type OldHome = Disposable & { readonly old: TestHome; readonly whole: TestHome };

/** Unpacks the home of a commit. */
export function oldHome(commit: string): OldHome {
  const [old, whole] = [newHome(), newHome()];
  const archive = fileURLToPath(new URL(`${commit}.tar.gz`, import.meta.url));
  execFileSync("tar", ["xzf", archive, "-C", old.folder]);
  const { warehouse, published } = resolveHome(old.home);
  cpSync(warehouse, published);
  mkdirSync(whole.home, { mode: 0o700 });
  cpSync(join(old.folder, "whole"), join(whole.home, "landing"), { recursive: true });
  const remove = (): void => [old, whole].forEach((home) => home[Symbol.dispose]());
  return { old, whole, [Symbol.dispose]: remove };
}

/** All that an upgrade retains of the events, in one order, without the record's number on its page. */
export function readEvents(home: TestHome): Promise<Row[]> {
  return home.rows(
    "select * exclude (run_id, read_id, first_seen_at, record_number) from event_rows order by event_key",
  );
}
