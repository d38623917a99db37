import { readConfig } from "../../core/config/config.ts";
import { setRuntime } from "../../core/config/runtime.ts";

/** Sets up what a process knows about itself, without starting anything. @param environment settings that differ from the tests' own */
export function prepareRuntime(environment: Record<string, string> = {}): void {
  setRuntime({
    config: readConfig({ SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789", ...environment }),
    scheme: "http",
    version: "0.0.0",
    gitSha: "unknown",
    builtAt: null,
    migrations: [],
    secret: "a secret for tests that nobody else has, 0123456789",
    publicPort: undefined,
  });
}
