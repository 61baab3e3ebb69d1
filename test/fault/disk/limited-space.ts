import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder with limited disk space, with a copy of another folder's content. */
export type LimitedSpace = Disposable & {
  readonly folder: string;
  /** Prefix of a command line that runs with limited space. */
  readonly prefix: readonly string[];
  readonly what: string;
  /** Removes the limit. */
  readonly widen: () => void;
};

export type SpaceLimit = "file size limit" | "small disk";

/** No file can grow past `kilobytes`, as under a quota; the disk itself has space. */
export function limitFileSize(content: string, kilobytes: number): LimitedSpace {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-full-"));
  cpSync(content, folder, { recursive: true });
  return {
    folder,
    prefix: ["bash", "-c", `ulimit -f ${kilobytes}; exec "$0" "$@"`],
    what: `no file over ${kilobytes} kB`,
    widen: () => undefined,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file system of its own in memory with `kilobytes` left free. */
export function mountSmallDisk(content: string, kilobytes: number): LimitedSpace {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-full-"));
  const mount = (...options: string[]): void =>
    void execFileSync("mount", ["-t", "tmpfs", "-o", options.join(","), "tmpfs", folder]);
  mount("size=256m", "mode=700");
  cpSync(content, folder, { recursive: true });
  const used = Number(
    execFileSync("df", ["-k", "--output=used", folder], { encoding: "utf8" }).split("\n")[1],
  );
  mount("remount", `size=${used + kilobytes}k`);
  return {
    folder,
    prefix: [],
    what: `${kilobytes} kB free`,
    widen: () => mount("remount", "size=256m"),
    [Symbol.dispose]: () => {
      spawnSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether this process may mount a file system of its own. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-full-"));
  try {
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
    if (status === 0) spawnSync("umount", [folder]);
    return status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
