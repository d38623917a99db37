import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { knownSteps } from "../../migrations/run.ts";
import { OperatorError } from "../organisations.ts";
import type { Sequence } from "./catalogue.ts";
import { type Measured, measuredFile } from "./copy.ts";

const FORMAT = 1;

/** One file of a backup, by its path relative to the folder. */
export interface Part extends Measured {
  file: string;
}

/** A table of a backup: its rows in PostgreSQL's text format. */
export interface TablePart extends Part {
  table: string;
  columns: string[];
  rows: number;
}

/** Contents of a backup. The manifest is written last, so a folder that has one is complete. */
export interface Manifest {
  format: typeof FORMAT;
  /** Version and commit of the service. */
  version: string;
  git_sha: string;
  /** The time of the snapshot. */
  taken_at: string;
  postgresql: string;
  migrations: string[];
  tables: TablePart[];
  sequences: Sequence[];
  excluded: Readonly<Record<string, string>>;
  files: FileParts;
  keys: {
    parts: Part[];
    /** Id of the main secret, which lets a restore recognise the right one; null if there was none yet. */
    main_secret: string | null;
    /** Number of sealed values by key id. */
    sealed: Record<string, number>;
  };
}

/** The file contents that rows refer to. */
export interface FileParts {
  parts: Part[];
  /** Number of contents on S3 that were not copied. */
  left_out: number;
  /** Contents that were missing or damaged in the store. */
  missing: string[];
}

const MANIFEST = "manifest.json";
const digestOf = (manifest: Manifest): string => createHash("sha256").update(JSON.stringify(manifest)).digest("hex");

/** The manifest as text, with a digest that reveals changes. */
export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, sha256: digestOf(manifest) }, null, 2)}\n`;

/** Path of a backup's manifest. */
export const manifestFile = (folder: string): string => path.join(folder, MANIFEST);

/**
 * Reads a backup's manifest.
 * @throws OperatorError if it is missing or was changed, or if this version is older than the backup
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestFile(folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${folder} is not a finished backup: its ${MANIFEST} cannot be read (${error.code}).`);
  });
  const manifest = parsed(text);
  if (!manifest) throw new OperatorError(`The ${MANIFEST} in ${folder} is damaged; no data was written.`);
  const known = new Set(knownSteps());
  const unknown = manifest.migrations.filter((step) => !known.has(step));
  if (unknown.length > 0)
    throw new OperatorError(
      `The backup was made by a newer version (${manifest.version}, with ${unknown.join(", ")}); restore it with that version.`,
    );
  return manifest;
}

function parsed(text: string): Manifest | null {
  try {
    const { sha256, ...manifest } = JSON.parse(text) as Manifest & { sha256: string };
    return manifest.format === FORMAT && digestOf(manifest) === sha256 ? manifest : null;
  } catch {
    return null;
  }
}

/** Every file the manifest lists. */
export const partsOf = ({ tables, files, keys }: Manifest): Part[] => [...tables, ...files.parts, ...keys.parts];

/** @throws OperatorError naming the first file that is missing or does not match the manifest */
export async function checkParts(folder: string, manifest: Manifest): Promise<void> {
  for (const { file, bytes, sha256 } of partsOf(manifest)) {
    const found = await measuredFile(path.join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      throw new OperatorError(`The backup is incomplete: ${file} cannot be read (${error.code}); no data was written.`);
    });
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new OperatorError(`The backup is damaged: ${file} does not match the manifest; no data was written.`);
  }
}
