import { globSync } from "node:fs";
import path from "node:path";
import { requireFound } from "../../values/found-files.ts";
import type { ChannelAdapter } from "./channel.ts";

/** Loads the adapters below this folder, on first use of a channel. */
const load = (): Map<string, ChannelAdapter> =>
  new Map(
    globSync("**/*.adapter.ts", { cwd: import.meta.dirname })
      .sort()
      .flatMap(
        (file) => requireFound<{ default: ChannelAdapter | ChannelAdapter[] }>(path.join(import.meta.dirname, file)).default,
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
