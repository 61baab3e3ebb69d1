import { Presets, SingleBar } from "cli-progress";
import type { ProgressMode } from "../home/settings.ts";
import type { World } from "../world.ts";

/** Takes how far a run is; `total` is given where it has changed. */
export type OnProgress = (done: number, note: string, total?: number) => void;

/** Shows how far a run is, on standard error only. */
export type Progress = {
  readonly update: OnProgress;
  readonly end: () => void;
};

const plainEveryMs = 5000;

/** Shows a bar on a terminal, a line every few seconds elsewhere, and JSON lines or nothing on request. */
export function newProgress(
  mode: ProgressMode,
  quiet: boolean,
  total: number,
  unit: string,
  world: World,
): Progress {
  const chosen = quiet
    ? "none"
    : mode === "auto"
      ? world.stderr.isTTY === true
        ? "bar"
        : "plain"
      : mode;
  if (chosen === "none") return { update: () => undefined, end: () => undefined };
  return chosen === "bar"
    ? newBar(total, unit, world)
    : newLineProgress(chosen, total, unit, world);
}

function newBar(total: number, unit: string, world: World): Progress {
  const format = ` {bar} {percentage}% | {value}/{total} ${unit} | {note}`;
  const options = {
    format,
    stream: world.stderr,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
    linewrap: false,
  };
  const single = new SingleBar(options, Presets.shades_classic);
  single.start(total, 0, { note: "" });
  const updateBar: OnProgress = (done, note, now = single.getTotal()) => {
    if (now !== single.getTotal()) single.setTotal(now);
    single.update(done, { note });
  };
  return { update: updateBar, end: () => single.stop() };
}

function newLineProgress(
  mode: "plain" | "json",
  total: number,
  unit: string,
  world: World,
): Progress {
  let last = world.now();
  return {
    update: (done, note, now = total) => {
      if (world.now() - last < plainEveryMs) return;
      last = world.now();
      const line =
        mode === "json"
          ? JSON.stringify({ done, total: now, unit, note })
          : `${done}/${now} ${unit}: ${note}`;
      world.stderr.write(`${line}\n`);
    },
    end: () => undefined,
  };
}
