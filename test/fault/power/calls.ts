// What strace prints, read back: one call per line, strings and paths in hexadecimal, a call that another thread
// interrupts in two lines.

/** A call of a process that touches files: where it began and ended among all the calls. */
export type Call = {
  readonly name: string;
  /** The process that called, by the number of its first thread. */
  readonly process: string;
  /** As printed, strings in hexadecimal. */
  readonly args: readonly string[];
  /** What it returned; negative where it failed. */
  readonly result: number;
  /** The written data, after it was requested. */
  payload?: Buffer;
};

/** Half of a call: a sync covers what was written before it began, and holds from its end on. */
export type Moment = { readonly call: Call; readonly at: "begin" | "end" };

const started = /^(\d+) +([a-z_0-9]+)\((.*)$/s;
const resumed = /^(\d+) +<\.\.\. ([a-z_0-9]+) resumed>(.*)$/s;
const unfinished = / ?<unfinished \.\.\.>$/;
const spoken = /^[12]<.*?>, "/;
const ended = /^(.*?)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(?:[< ].*)?$/s;

const cloned = /^(\d+) +(?:<\.\.\. )?clone3?[( ](.*)$/gm;

type Open = { begin: number; text: string };

/**
 * The calls of a trace that name a folder or a file below it, and what was written to the standard streams. Each is
 * listed at its start and at its end. Those that never ended are omitted.
 */
export function readMoments(trace: string, folder: string): Moment[] {
  const named = getHex(folder);
  const processes = listProcesses(trace);
  const open = new Map<string, Open>();
  const found: { at: number; moment: Moment }[] = [];
  let place = 0;
  const end = (thread: string, name: string, text: string, begin: number, at: number): void => {
    const made = buildCall(name, text);
    if (made === undefined) return;
    const call = { ...made, process: processes.get(thread) ?? thread };
    found.push({ at: begin, moment: { call, at: "begin" } });
    found.push({ at: at + 0.5, moment: { call, at: "end" } });
  };
  for (const line of trace.split("\n")) {
    place += 1;
    const resumption = resumed.exec(line);
    const [, pid = "", name = "", text = ""] = resumption ?? started.exec(line) ?? [];
    if (name === "") continue;
    const key = `${pid} ${name}`;
    if (resumption === null && !text.includes(named) && !spoken.test(text)) continue;
    if (unfinished.test(text)) open.set(key, { begin: place, text: text.replace(unfinished, "") });
    else if (resumption !== null) {
      const first = open.get(key);
      open.delete(key);
      if (first !== undefined) end(pid, name, first.text + text, first.begin, place);
    } else end(pid, name, text, place, place);
  }
  return found.sort((a, b) => a.at - b.at).map(({ moment }) => moment);
}

// By each thread but the first the process that it belongs to.
function listProcesses(trace: string): ReadonlyMap<string, string> {
  const makers = new Map<string, string>();
  const isMaking = new Map<string, boolean>();
  for (const [, maker = "", rest = ""] of trace.matchAll(cloned)) {
    if (!rest.startsWith("resumed")) isMaking.set(maker, rest.includes("CLONE_THREAD"));
    const [, made] = /= (\d+)$/.exec(rest) ?? [];
    if (made !== undefined && isMaking.get(maker) === true) makers.set(made, maker);
  }
  const getFirst = (thread: string): string => {
    const maker = makers.get(thread);
    return maker === undefined ? thread : getFirst(maker);
  };
  return new Map([...makers.keys()].map((thread) => [thread, getFirst(thread)]));
}

function buildCall(name: string, text: string): Omit<Call, "process"> | undefined {
  const [, args, result = "?"] = ended.exec(text) ?? [];
  if (args === undefined || result === "?") return undefined;
  return { name, args: args.split(", "), result: Number(result) };
}

function getHex(text: string): string {
  return Buffer.from(text).toString("hex").replaceAll(/../g, "\\x$&");
}

/** A descriptor and its path. */
export function buildDescriptor(arg: string): { readonly fd: number; readonly path: string } {
  const [, fd = "-1", path = ""] = /^(\d+|AT_FDCWD)<([^>]*)>/.exec(arg) ?? [];
  return { fd: Number(fd), path: formatText(path) };
}

/** The bytes that a call has written, from a buffer or from several. */
export function buildPayload(call: Call): Buffer {
  call.payload ??= Buffer.concat(
    Array.from(
      call.args
        .slice(1)
        .join(", ")
        .matchAll(/"[^"]*"(?:\.\.\.)?/g),
      ([part]) => toBytes(part),
    ),
  );
  return call.payload;
}

/** The bytes of a string as printed; throws where the trace has cut it. */
export function toBytes(arg: string): Buffer {
  if (!arg.startsWith('"') || !arg.endsWith('"'))
    throw new Error(`the trace has no whole string here: ${arg.slice(0, 80)}`);
  const bytes = Buffer.allocUnsafe((arg.length - 2) / 4);
  // Each byte is four letters, of which the last two are its digits.
  for (let i = 0; i < bytes.length; i++)
    bytes[i] = 16 * getDigit(arg.charCodeAt(4 * i + 3)) + getDigit(arg.charCodeAt(4 * i + 4));
  return bytes;
}

function getDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

function formatText(hex: string): string {
  return hex.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (part) =>
    Buffer.from(part.replaceAll("\\x", ""), "hex").toString("utf8"),
  );
}
