import { userInfo } from "node:os";

/** The name of whoever runs this; `uid 12345` where this machine has no name for them, as in many containers. */
export function userName(read: () => { readonly username: string } = userInfo): string {
  try {
    return read().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
