import { readConfig } from "../../core/config/config.ts";
import { setRuntime } from "../../core/config/runtime.ts";

/** Sets the process-wide runtime without starting anything. @param environment settings that differ from the tests' defaults */
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
