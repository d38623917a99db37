import { readFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { type Config, isEmbedded } from "../../core/config/config.ts";
import { keyRing } from "../../core/database/sealed.ts";
import { placeFile, readIfPresent } from "../../core/embedded/files.ts";
import { sealingKey } from "../../core/security/crypto.ts";
import { secretFile } from "../boot.ts";
import { firstRunFile } from "../demo/seed.ts";
import { OperatorError } from "../organisations.ts";
import { writeMeasured } from "./copy.ts";
import type { Manifest, Part } from "./manifest.ts";

const SECRET = "keys/secret";

/** Key files of the data directory: name in the backup, and path. Excludes a main secret from the environment. */
const placesOf = (config: Config): (readonly [string, string])[] => [
  ...(config.secret ? [] : [[SECRET, secretFile(config)] as const]),
  ["keys/first-run.json", firstRunFile(config)],
];

/** The main secret, configured or stored; undefined if there is none. Never creates one. */
const knownSecret = async (config: Config): Promise<string | undefined> =>
  config.secret ?? (await readIfPresent(secretFile(config)))?.trim();

/**
 * Copies the key files of the data directory: the main secret and the first run's credentials. A secret from the environment is not copied:
 * the operator keeps it apart from the data on purpose.
 */
export async function keepKeys(config: Config, folder: string): Promise<Part[]> {
  if (!isEmbedded(config)) return [];
  const parts: Part[] = [];
  for (const [file, source] of placesOf(config)) {
    const kept = await readIfPresent(source);
    if (kept !== undefined)
      parts.push({ file, ...(await writeMeasured(Readable.from([Buffer.from(kept)]), path.join(folder, file))) });
  }
  return parts;
}

/** The id of the main secret; null before the first start, when nothing is sealed yet. */
export async function mainSecretId(config: Config): Promise<string | null> {
  const secret = await knownSecret(config);
  return secret === undefined ? null : sealingKey(secret).id;
}

/**
 * Rejects a restore that would leave sealed values unreadable.
 * @throws OperatorError naming the missing or wrong setting
 */
export async function checkKeys(config: Config, folder: string, { keys }: Manifest): Promise<void> {
  if (keys.main_secret === null) return;
  const included = keys.parts.some(({ file }) => file === SECRET);
  const known = await knownSecret(config);
  const secret = known ?? (included ? (await readFile(path.join(folder, SECRET), "utf8")).trim() : undefined);
  const where = included
    ? `the one in ${path.join(folder, SECRET)}`
    : `the one that the backup was made with (id ${keys.main_secret})`;
  if (secret === undefined) throw new OperatorError(`The backup contains no main secret: set SERVICE_SECRET to ${where}.`);
  if (sealingKey(secret).id !== keys.main_secret)
    throw new OperatorError(
      `${config.secret ? "SERVICE_SECRET" : secretFile(config)} is not ${where}; use that main secret, or --other-secret to restore without it.`,
    );
  const ring = new Set(keyRing({ config, secret }).map(({ id }) => id));
  const closed = Object.keys(keys.sealed).filter((id) => !ring.has(id));
  if (closed.length > 0)
    throw new OperatorError(
      `Unknown keys sealed secrets in the backup (ids ${closed.join(", ")}): set SERVICE_ENCRYPTION_KEY or SERVICE_ENCRYPTION_OTHER_KEYS, or use --other-secret to restore without them.`,
    );
}

/** Restores the key files to an embedded installation's data directory; existing files stay. */
export async function restoreKeys(config: Config, folder: string, { keys }: Manifest): Promise<void> {
  if (!isEmbedded(config)) return;
  const named = new Set(keys.parts.map(({ file }) => file));
  for (const [file, target] of placesOf(config))
    if (named.has(file) && (await readIfPresent(target)) === undefined)
      await placeFile(target, await readFile(path.join(folder, file), "utf8"));
}
