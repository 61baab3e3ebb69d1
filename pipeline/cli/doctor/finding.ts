import { AuditlakeError, exitCode, type ExitCode, getMessage } from "../../base/errors.ts";
import { escapeControls } from "../../base/printable.ts";
import { wrapText } from "../../base/terminal/amounts.ts";

/** What one check came to. */
export type Finding = {
  readonly level: "ok" | "warn" | "fail";
  /** What was looked at, one word. */
  readonly check: string;
  readonly text: string;
  readonly exitCode?: ExitCode;
};

export function newPassed(check: string, text: string): Finding {
  return { level: "ok", check, text };
}

/** Nothing is broken yet; the text says what to do. */
export function warn(check: string, text: string): Finding {
  return { level: "warn", check, text };
}

/** Broken; the text says what to do. */
export function newFailed(check: string, text: string, code: ExitCode = exitCode.failed): Finding {
  return { level: "fail", check, text, exitCode: code };
}

/** A failure from something thrown; errors of this program say themselves what to do. */
export function newFailedWith(check: string, error: unknown, before = ""): Finding {
  const code = error instanceof AuditlakeError ? error.exitCode : exitCode.failed;
  return newFailed(check, before + getMessage(error), code);
}

const margin = 21;

/** Formats a finding as one line, or as several lines if the width requires it. */
export function formatFinding({ level, check, text }: Finding, columns: number): string {
  const line = escapeControls(text.replaceAll(/(?<!\s)\s*\n\s*/g, " "));
  const lines = wrapText(line, Math.max(columns - margin, margin));
  const head = `${level.padEnd(6)}${check.padEnd(margin - 6)}`;
  return `${head}${lines.join(`\n${" ".repeat(margin)}`)}\n`;
}

/** Returns 0 without failures, else the exit code of what must be fixed first. */
export function chooseExitCode(findings: readonly Finding[]): ExitCode {
  const codes = new Set(findings.map((finding) => finding.exitCode));
  const first = [exitCode.usage, exitCode.refused, exitCode.failed].find((code) => codes.has(code));
  return first ?? exitCode.done;
}
