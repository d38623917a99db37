import path from "node:path";
import type { Config } from "../../config/config.ts";
import type { Stores } from "../../files/storage.ts";
import { diskStore } from "./disk.ts";
import { s3Store } from "./s3.ts";

/**
 * The configured stores: the data folder, and a bucket if there is one, which then receives all new files. Files in the folder stay
 * readable, so an installation can switch at any time. Opens nothing yet.
 */
export function configuredStores(config: Config): Stores {
  const folder = path.join(config.dataDir, "files");
  const disk = diskStore(folder);
  const s3 = config.filesBucket === undefined ? null : s3Store(config.filesBucket, config);
  return { writing: s3 ?? disk, all: s3 ? [s3, disk] : [disk], spoolFolder: path.join(folder, "incoming") };
}
