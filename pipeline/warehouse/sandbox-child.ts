import {
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBConnection,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { once } from "node:events";
import { rmdirSync } from "node:fs";
import { Socket } from "node:net";
import { messageOf } from "../errors.ts";
import { assertReadToEnd } from "../streamed.ts";
import { linesOf } from "./lines.ts";
import { prepareAgain, prepareExplain, prepareSelect, RefusedStatement } from "./sandbox-gate.ts";
import {
  answerDescriptor,
  interruptLine,
  type Cell,
  type ResultColumn,
  type SandboxMessage,
  type SandboxRequest,
  type Stage,
} from "./sandbox-protocol.ts";

/** How values of the database become plain cells; the same as for reports, so that both print alike. */
type CellForms = {
  readonly cellOf: (value: DuckDBValue, type: DuckDBType) => Cell | bigint;
  readonly kindOf: (type: DuckDBType) => ResultColumn["kind"];
};

// The order matters: the file systems can be closed only while settings can be changed, and closing them
// first would block the setting of external access. The file that is open already stays readable.
const lockDown = [
  "set TimeZone = 'UTC'",
  "set enable_external_access = false",
  "set disabled_filesystems = 'LocalFileSystem'",
  "set lock_configuration = true",
];

// Rows are sent when this much text has come together.
const sendLength = 65_536;

/**
 * The confined side of `auditlake sql`: answers the one request that comes over stdin on the descriptor
 * meant for it, then ends the process. Whoever starts it has emptied its environment, limited its
 * resources and put it into an empty folder.
 */
export async function serveQuery(forms: CellForms): Promise<void> {
  const answers = new Socket({ fd: answerDescriptor, readable: false, writable: true });
  let connection: DuckDBConnection | undefined;
  let asked = false;
  // Ctrl-C reaches the whole foreground group; the parent decides what it means.
  process.on("SIGINT", () => undefined);
  for await (const lines of linesOf(process.stdin))
    for (const line of lines) {
      if (line === interruptLine) connection?.interrupt();
      else if (!asked) {
        asked = true;
        const request = JSON.parse(line) as SandboxRequest;
        void answer(request, forms, answers, (opened) => (connection = opened));
      }
    }
  // A parent that is gone wants no answer, and a running statement would hold up an orderly exit.
  removeOwnFolder();
  process.kill(process.pid, "SIGKILL");
}

// Only where it is empty, as it was made: nothing else is ever removed.
function removeOwnFolder(): void {
  try {
    rmdirSync(process.cwd());
  } catch {
    // Gone already, or not ours.
  }
}

async function answer(
  request: SandboxRequest,
  forms: CellForms,
  answers: Socket,
  onOpen: (connection: DuckDBConnection) => void,
): Promise<void> {
  let stage: Stage = "open";
  try {
    const connection = await open(request);
    onOpen(connection);
    stage = "prepare";
    const prepare = request.explain ? prepareExplain : prepareSelect;
    const prepared = await prepare(connection, request.sql);
    stage = "run";
    const result = await prepared.stream();
    const again = async (): Promise<unknown> => (await prepareAgain(connection, request.sql)).run();
    for await (const text of answerTo(result, request.maxRows, forms, again))
      if (!answers.write(text)) await once(answers, "drain");
  } catch (error) {
    if (error instanceof RefusedStatement) stage = "gate";
    answers.write(lineOf({ error: { stage, text: messageOf(error) } }));
  }
  answers.end(() => process.exit(0));
}

async function open(request: SandboxRequest): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(request.database, {
    access_mode: "READ_ONLY",
    threads: String(request.threads),
    memory_limit: request.memoryLimit,
    // Without a folder to spill to, want of memory is reported as such.
    temp_directory: "",
    max_temp_directory_size: "0KB",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
  });
  const connection = await instance.connect();
  for (const statement of lockDown) await connection.run(statement);
  return connection;
}

// Row by row: one value can be a megabyte, and a chunk holds two thousand rows. A chunk keeps the values
// it has given out, so it is taken up afresh whenever some have been sent.
async function* answerTo(
  result: DuckDBResult,
  maxRows: number,
  { cellOf, kindOf }: CellForms,
  again: () => Promise<unknown>,
): AsyncGenerator<string> {
  const types = result.columnTypes();
  const names = result.deduplicatedColumnNames();
  const columns = types.map((type, i) => ({
    name: names[i]!,
    type: String(type),
    kind: kindOf(type),
  }));
  let text = lineOf({ columns });
  let rows = 0;
  for await (const { chunk } of result) {
    let values = new DuckDBDataChunk(chunk);
    for (let i = 0; i < values.rowCount; i++) {
      if (rows === maxRows) return yield text + lineOf({ end: { rows, more: true } });
      text += lineOf(
        values.getRowValues(i).map((value, c) => travelling(cellOf(value, types[c]!))),
      );
      rows++;
      if (text.length < sendLength && i + 1 < values.rowCount) continue;
      yield text;
      text = "";
      values = new DuckDBDataChunk(chunk);
    }
  }
  await assertReadToEnd(result, again);
  yield text + lineOf({ end: { rows, more: false } });
}

function travelling(cell: Cell | bigint): Cell {
  if (typeof cell === "bigint") return String(cell);
  return typeof cell === "number" && !Number.isFinite(cell) ? String(cell) : cell;
}

function lineOf(answer: SandboxMessage | readonly Cell[]): string {
  return `${JSON.stringify(answer)}\n`;
}
