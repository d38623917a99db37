import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { browserPackage, type Unpacked, unpackBrowser } from "./browser-package.ts";

/** Where Debian and others install Chromium. */
const INSTALLED = "/usr/bin/chromium";
const LIBRARY_MISSING = 127;

export interface BrowserProgram {
  program: string;
  /** Extra environment variables that it needs. */
  environment: Record<string, string>;
}

export interface Whereabouts {
  /** `SERVICE_CHROMIUM_PATH`; if set, nothing else is tried. */
  configured: string | undefined;
  /** Folder to unpack the package's browser into. */
  folder: string;
}

const isRunnable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Explains to the operator why this machine cannot make PDFs; null if there is a browser. Unpacks and starts nothing. */
export async function browserMissing({ configured }: Whereabouts): Promise<string | null> {
  if (configured !== undefined)
    return (await isRunnable(configured))
      ? null
      : `SERVICE_CHROMIUM_PATH is ${configured}, which cannot be run: PDF files answer 503.`;
  if ((await browserPackage()) || (await isRunnable(INSTALLED))) return null;
  return `There is no Chromium for ${process.platform} ${process.arch}: PDF files answer 503 until it is installed as ${INSTALLED} or SERVICE_CHROMIUM_PATH names one.`;
}

/** The exit code of `--version`; 127 if the loader misses a library. */
const versionCode = (program: string, environment: Record<string, string>): Promise<number> =>
  new Promise((resolve) => {
    execFile(program, ["--version"], { env: { ...process.env, ...environment }, timeout: 10_000 }, (error) =>
      resolve(error ? (typeof error.code === "number" ? error.code : 1) : 0),
    );
  });

/** The package's browser, with its own libraries and fonts only if the machine lacks them. */
async function packaged({ program, libraries, fonts }: Unpacked): Promise<BrowserProgram> {
  const environment: Record<string, string> = existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: fonts };
  if ((await versionCode(program, environment)) === LIBRARY_MISSING)
    environment["LD_LIBRARY_PATH"] = [libraries, process.env["LD_LIBRARY_PATH"]].filter(Boolean).join(path.delimiter);
  return { program, environment };
}

/**
 * Finds the browser to start: the configured, the package's or the installed one, in this order.
 * @throws Error with an explanation if there is none
 */
export async function findBrowser(where: Whereabouts): Promise<BrowserProgram> {
  const missing = await browserMissing(where);
  if (missing !== null) throw new Error(missing);
  if (where.configured !== undefined) return { program: where.configured, environment: {} };
  const unpacked = await unpackBrowser(where.folder);
  return unpacked ? packaged(unpacked) : { program: INSTALLED, environment: {} };
}
