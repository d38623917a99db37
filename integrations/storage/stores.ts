import path from "node:path";
import type { Config } from "../../core/config/config.ts";
import type { Stores } from "../../core/files/storage.ts";
import { diskStore } from "./disk.ts";
import { s3Store } from "./s3.ts";

/**
 * The stores a configuration names: the data folder, and a bucket when there is one, which then takes all new files. What lies in the
 * folder stays readable, so an installation may move on at any time. Nothing is opened yet.
 */
export function configuredStores(config: Config): Stores {
  const folder = path.join(config.dataDir, "files");
  const disk = diskStore(folder);
  const s3 = config.filesBucket === undefined ? null : s3Store(config.filesBucket, config);
  return { writing: s3 ?? disk, all: s3 ? [s3, disk] : [disk], spoolFolder: path.join(folder, "incoming") };
}
