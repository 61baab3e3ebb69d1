/** The class that colours a severity. */
export function getSeverityClass(severity: string): string {
  if (severity === "critical" || severity === "high") return "bad";
  return severity === "medium" ? "warn" : "quiet";
}
