import { globSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ChannelAdapter } from "./channel.ts";

const require = createRequire(import.meta.url);

/** Loads the adapters below this folder, on first use of a channel. */
const load = (): Map<string, ChannelAdapter> =>
  new Map(
    globSync("**/*.adapter.ts", { cwd: import.meta.dirname })
      .sort()
      .flatMap(
        (file) => (require(path.join(import.meta.dirname, file)) as { default: ChannelAdapter | ChannelAdapter[] }).default,
      )
      .map((adapter) => [adapter.kind, adapter]),
  );

let known: Map<string, ChannelAdapter> | undefined;

/** The adapter of a kind. @throws Error for an unknown kind */
export function channelAdapter(kind: string): ChannelAdapter {
  const adapter = (known ??= load()).get(kind);
  if (!adapter) throw new Error(`there is no channel of the kind '${kind}'`);
  return adapter;
}
