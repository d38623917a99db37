import type { Config } from "./config.ts";

/** What the start has worked out for this process, for actors that need it. */
export interface Runtime {
  config: Config;
  scheme: "http" | "https";
  version: string;
  gitSha: string;
  builtAt: string | null;
  /** Migration steps this version knows. */
  migrations: string[];
  /** Main secret; keys for one purpose are derived from it. */
  secret: string;
  /** Port callers see, undefined for the usual one of the scheme; embedded it is known once the gateway listens. */
  publicPort: number | undefined;
}

let current: Runtime | undefined;

export function setRuntime(runtime: Runtime): void {
  current = runtime;
}

/** What the start of this process has worked out. @throws Error before the start has set it */
export function runtime(): Runtime {
  if (!current) throw new Error("the runtime is not set up yet");
  return current;
}
