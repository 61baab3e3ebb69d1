import { commandText } from "../../base/command-line.ts";
import { AuditlakeError, firstOf, messageOf } from "../../base/errors.ts";

/** The database answers nothing any more until it is opened anew; the message says what it failed on. */
export class DatabaseDown extends AuditlakeError {
  override name = "DatabaseDown";
}

const hints: Readonly<Record<string, string>> = {
  "Out of Memory Error": "raise memory_limit in the configuration",
  "IO Error": "check free space and rights below the home directory",
};

/**
 * A fault of the database during a load as one line to act on. Its own text is left out, since it can quote a record.
 * The file and the cause of a write that failed are taken from it. Anything else is returned as it is.
 */
export function loadFault(thrown: unknown): unknown {
  const error = firstOf(thrown);
  if (error instanceof AuditlakeError || !(error instanceof Error)) return error;
  const kind = /^([A-Za-z ]{2,40} Error): /.exec(error.message)?.[1];
  if (kind === undefined) return error;
  const cause = fileFault(error.message);
  const hint = hints[kind] ?? "run it again, and report it if that does not help";
  const isDown = kind === "FATAL Error";
  // Each later statement fails with the words of the first failure in its own, and that may have followed a commit.
  const kept =
    isDown || /COMMIT succeeded/.test(error.message)
      ? "what was committed is safe"
      : "nothing of this read was stored";
  const Fault = isDown ? DatabaseDown : AuditlakeError;
  return new Fault(
    cause === undefined
      ? `the database failed during the load (${kind}); ${kept}; ${hint}`
      : `${cause.text}; ${kept}; ${cause.advice}`,
  );
}

/** A fault of the database while it wrote what it holds and closed; what was committed before is safe. */
export function closingFault(error: unknown): unknown {
  if (error instanceof AuditlakeError || !(error instanceof Error)) return error;
  const cause = fileFault(error.message);
  return new AuditlakeError(
    cause === undefined
      ? `the warehouse could not be closed: ${messageOf(error)}; the old published file stays; run ${commandText("publish")}`
      : `${cause.text}; the old published file stays; ${cause.advice}`,
  );
}

type Cause = { readonly text: string; readonly advice: string };

const makeRoom = "make room or mend the rights, then run again";

// The database names the file in double quotes and gives the system's words for the cause after it.
function fileFault(message: string): Cause | undefined {
  if (/max_temp_directory_size/.test(message))
    return {
      text: "no room for temporary files below the home directory",
      advice: "make room, or raise memory_limit in the configuration",
    };
  if (
    /Corrupt database file|does not match stored checksum|Could not read enough bytes/.test(message)
  )
    return {
      text: "the warehouse is damaged: a block is cut off or does not match its checksum",
      advice: `run ${commandText("rebuild")} to make it anew from the landed pages`,
    };
  const [, file, cause] =
    /"(\/[^"]+)":? ?.*?(No space left on device|File too large|Disk quota exceeded|Permission denied|Read-only file system|Input\/output error)/s.exec(
      message,
    ) ?? [];
  if (file === undefined) return undefined;
  return { text: `cannot write ${file}: ${cause!.toLowerCase()}`, advice: makeRoom };
}
