import { globSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ChannelAdapter } from "./channel.ts";

const require = createRequire(import.meta.url);

/** The adapters of this folder, loaded when the first channel is used. */
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

/** The adapter of a kind. @throws Error for a kind nothing is there for */
export function channelAdapter(kind: string): ChannelAdapter {
  const adapter = (known ??= load()).get(kind);
  if (!adapter) throw new Error(`there is no channel of the kind '${kind}'`);
  return adapter;
}
