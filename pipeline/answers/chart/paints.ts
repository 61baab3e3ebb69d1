import { escapeControls } from "../../base/printable.ts";
import { denialKinds } from "../../base/html/signs.ts";
import type { Paint } from "./chart.ts";

/** How a category is shown: its words for people, and a colour that it has on every page. */
type Look = { readonly words: string; readonly paint: Paint };

const looks: Readonly<Record<string, Look>> = {
  column_visibility_denial: { words: denialKinds.column_visibility_denial!, paint: "c1" },
  failed_sign_in: { words: denialKinds.failed_sign_in!, paint: "c2" },
  unauthorized_action: { words: denialKinds.unauthorized_action!, paint: "c3" },
  folder_permission_denial: { words: denialKinds.folder_permission_denial!, paint: "c5" },
  failed_result_export: { words: denialKinds.failed_result_export!, paint: "c4" },
  denied_job_result_download: { words: denialKinds.denied_job_result_download!, paint: "c6" },
  succeeded: { words: "succeeded", paint: "ok" },
  success: { words: "succeeded", paint: "ok" },
  failed: { words: "failed", paint: "fail" },
  error: { words: "failed", paint: "fail" },
  "failed or killed": { words: "failed or killed", paint: "fail" },
  denied: { words: "denied", paint: "deny" },
  critical: { words: "Critical", paint: "crf" },
  high: { words: "High", paint: "hgf" },
  medium: { words: "Medium", paint: "medf" },
  low: { words: "Low", paint: "lowf" },
  info: { words: "Info", paint: "sl" },
  others: { words: "others", paint: "sl" },
};

/** Blue, magenta, teal, violet, green, slate: the largest category first. */
const categories: readonly Paint[] = ["c1", "c2", "c3", "c5", "c4", "c6"];

/** Words for a category; a name that is not known is shown as recorded. */
export function writeCategory(name: string): string {
  return Object.hasOwn(looks, name) ? looks[name]!.words : escapeControls(name);
}

/** Chooses a colour for each category, largest first; unknown categories get a free colour. */
export function choosePaints(names: readonly string[]): Paint[] {
  const known = names.map((name) => (Object.hasOwn(looks, name) ? looks[name]!.paint : undefined));
  const free = categories.filter((paint) => !known.includes(paint));
  const rest = free.length === 0 ? categories : free;
  let taken = 0;
  return known.map((paint) => paint ?? rest[taken++ % rest.length]!);
}
