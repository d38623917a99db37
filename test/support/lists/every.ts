import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Listing } from "../../../core/database/lists/list.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

/** Every list of the service, by file name. */
export async function everyListing(): Promise<Listing[]> {
  const files = globSync("{services,integrations}/**/*.list.ts", { cwd: ROOT }).sort();
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(ROOT, file)).href)));
  return modules.flatMap((module: Record<string, unknown>) =>
    Object.values(module).filter((value): value is Listing => !!(value as Listing)?.functions),
  );
}
