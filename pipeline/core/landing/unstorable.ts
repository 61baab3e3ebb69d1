import type { Manifest } from "./manifests.ts";

/** Why a read is set aside that `isUnstorable`. */
export const unstorableText = "has a time after the year 9999, which no database takes";

/**
 * Whether a manifest has a time after the year 9999, which versions before this one wrote: of a window there, or of the
 * service's clock. Such a read could never be loaded.
 */
export function isUnstorable(manifest: Manifest): boolean {
  const { read_at: readAt, range_start: start, server_time: serverTime } = manifest;
  return isWindowUnstorable(manifest) || [readAt, start, serverTime].some(isBeyond);
}

/** Whether the window of a read itself ends after that year, so that it cannot be read again either. */
export function isWindowUnstorable(manifest: Manifest): boolean {
  return [manifest.window_start, manifest.window_end].some(isBeyond);
}

// A year of more than four digits is written with a sign.
function isBeyond(moment: string | null | undefined): boolean {
  return moment?.startsWith("+") === true;
}
