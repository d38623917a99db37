import type { Config } from "./config.ts";

/** The values that the start has determined for this process. */
export interface Runtime {
  config: Config;
  scheme: "http" | "https";
  version: string;
  gitSha: string;
  builtAt: string | null;
  /** Migration steps of this version. */
  migrations: string[];
  /** Main secret; keys for single purposes are derived from it. */
  secret: string;
  /** Port that callers see; undefined for the scheme's default. With the embedded database it is known once the gateway listens. */
  publicPort: number | undefined;
}

let current: Runtime | undefined;

export function setRuntime(runtime: Runtime): void {
  current = runtime;
}

/** The values that the start of this process has determined. @throws Error before the start has set them */
export function runtime(): Runtime {
  if (!current) throw new Error("the runtime is not set up yet");
  return current;
}
