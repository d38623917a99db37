import { globSync } from "node:fs";
import path from "node:path";
import { requireFound } from "../../../core/values/found-files.ts";
import type { MarketingSource } from "./source.ts";

const files = globSync("*.source.ts", { cwd: import.meta.dirname }).toSorted();
const loaded = files.map((file) => requireFound<{ default: MarketingSource }>(path.join(import.meta.dirname, file)).default);

/** Every source by key, in display order. Each source is a file `<name>.source.ts` in this folder. */
export const sources: ReadonlyMap<string, MarketingSource> = new Map(
  loaded.toSorted((one, other) => one.position - other.position).map((source) => [source.key, source]),
);
